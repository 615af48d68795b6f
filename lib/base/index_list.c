/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/index_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
	int a = *(const int *)left;
	int b = *(const int *)right;
	return (a > b) - (a < b);
}

int uh_index_list_append(struct uh_index_list *list, int item)
{
	/* Grown at powers of two, so the count alone tells the capacity. */
	if ((list->count & (list->count - 1)) == 0) {
		size_t capacity = list->count ? list->count * 2 : 1;
		int *items = realloc(list->items, capacity * sizeof(*items));
		if (!items)
			return -ENOMEM;
		list->items = items;
	}
	list->items[list->count++] = item;
	return 0;
}

static bool parse_index(const char **cursor, long *value)
{
	if (**cursor < '0' || **cursor > '9')
		return false;
	char *end;
	errno = 0;
	*value = strtol(*cursor, &end, 10);
	*cursor = end;
	return !errno && *value < UH_INDEX_LIMIT;
}

static int parse_range(const char **cursor, struct uh_index_list *list)
{
	long first;
	if (!parse_index(cursor, &first))
		return -EINVAL;
	long last = first;
	if (**cursor == '-') {
		(*cursor)++;
		if (!parse_index(cursor, &last) || last < first)
			return -EINVAL;
	}
	/* Ranges repeated without end would eat the memory: a list that says more than every number
	 * once is no honest one. */
	if (list->count + (size_t)(last - first) >= UH_INDEX_LIMIT)
		return -EINVAL;
	for (long i = first; i <= last; i++) {
		int result = uh_index_list_append(list, (int)i);
		if (result)
			return result;
	}
	return 0;
}

static void sort_unique(struct uh_index_list *list)
{
	if (!list->count)
		return;
	qsort(list->items, list->count, sizeof(*list->items), compare);
	size_t kept = 1;
	for (size_t i = 1; i < list->count; i++)
		if (list->items[i] != list->items[kept - 1])
			list->items[kept++] = list->items[i];
	list->count = kept;
}

int uh_index_list_parse(const char *text, struct uh_index_list *list)
{
	struct uh_index_list result = {0};
	const char *cursor = text + strspn(text, " \t");
	int status = 0;

	while (*cursor && *cursor != '\n' && !status) {
		status = parse_range(&cursor, &result);
		cursor += strspn(cursor, " \t");
		if (status || *cursor != ',')
			break;
		cursor++;
		if (!*cursor || *cursor == '\n')
			status = -EINVAL;
	}
	if (!status && *cursor && *cursor != '\n')
		status = -EINVAL;
	if (status) {
		uh_index_list_free(&result);
		*list = result;
		return status;
	}
	sort_unique(&result);
	/* Parsing leaves the count shorter than what append assumes; re-grow on demand. */
	struct uh_index_list exact = {0};
	status = uh_index_list_copy(&result, &exact);
	uh_index_list_free(&result);
	*list = exact;
	return status;
}

bool uh_index_list_contains(const struct uh_index_list *list, int item)
{
	return list->count &&
	       bsearch(&item, list->items, list->count, sizeof(*list->items), compare);
}

int uh_index_list_copy(const struct uh_index_list *from, struct uh_index_list *to)
{
	*to = (struct uh_index_list){0};
	for (size_t i = 0; i < from->count; i++) {
		int status = uh_index_list_append(to, from->items[i]);
		if (status) {
			uh_index_list_free(to);
			return status;
		}
	}
	return 0;
}

void uh_index_list_free(struct uh_index_list *list)
{
	free(list->items);
	*list = (struct uh_index_list){0};
}
