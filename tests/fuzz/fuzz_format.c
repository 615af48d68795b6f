/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the kernel says that a field's bits go: format/TERM, such as "config:0-7,21". */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/sysfs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *format, uint64_t value)
{
	struct perf_event_attr attr;
	struct perf_event_attr before;

	memset(&attr, 0, sizeof(attr));
	before = attr;
	int status = uh_format_place(format, value, &attr);
	if (status != 0 && status != -EINVAL && status != -ERANGE)
		abort();
	/* Nothing but the three words is ever touched. */
	attr.config = attr.config1 = attr.config2 = 0;
	if (memcmp(&attr, &before, sizeof(attr)) != 0)
		abort();
	/* Zero fits wherever the format is one. */
	if (status != -EINVAL && uh_format_place(format, 0, &attr) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	check(text, 1);
	check(text, UINT64_MAX);
	check(text, size ? 1ull << (data[size - 1] & 63) : 0);
	free(text);
	return 0;
}
