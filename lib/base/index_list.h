/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of small numbers as the kernel writes them: "0-3,8,10-14". */
#ifndef UH_BASE_INDEX_LIST_H
#define UH_BASE_INDEX_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define UH_INDEX_LIMIT (1 << 22) /* no processor or thread number is larger */

/* Sorted, without duplicates. Zero-initialise; free with uh_index_list_free(). */
struct uh_index_list {
	int *items;
	size_t count;
};

/* Replaces `list` by what `text` says; blanks and a newline at the end are
 * allowed. Returns 0, -EINVAL (also when it names more than UH_INDEX_LIMIT numbers, those
 * named twice counted twice) or -ENOMEM; on failure `list` is empty. */
int uh_index_list_parse(const char *text, struct uh_index_list *list);

/* Adds a number that is not smaller than all before. Returns 0 or -ENOMEM. */
int uh_index_list_append(struct uh_index_list *list, int item);

bool uh_index_list_contains(const struct uh_index_list *list, int item);
int uh_index_list_copy(const struct uh_index_list *from, struct uh_index_list *to);
void uh_index_list_free(struct uh_index_list *list);

#endif
