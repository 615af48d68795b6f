/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever the text, a list of processors comes out sorted, unique and in range, or empty. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct uh_index_list list = {0};
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (uh_index_list_parse(text, &list) != 0 && list.count != 0)
		abort();
	for (size_t i = 0; i < list.count; i++) {
		if (list.items[i] < 0 || list.items[i] > UH_INDEX_LIMIT)
			abort();
		if (i > 0 && list.items[i] <= list.items[i - 1])
			abort();
	}
	uh_index_list_free(&list);
	free(text);
	return 0;
}
