/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as users type them: what is taken for a number means the same when printed and read. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_whole_numbers(const char *text)
{
	char again[32];
	uint64_t value;
	uint64_t reread;

	if (uh_parse_u64(text, &value)) {
		(void)snprintf(again, sizeof(again), "%" PRIu64, value);
		if (!uh_parse_u64(again, &reread) || reread != value)
			abort();
	}
	if (uh_parse_hex(text, &value)) {
		(void)snprintf(again, sizeof(again), "%" PRIx64, value);
		if (!uh_parse_hex(again, &reread) || reread != value)
			abort();
	}
}

static void check_measures(const char *text)
{
	char again[64];
	uint64_t nanoseconds;
	double value;
	double reread;

	/* Time does not run backwards. */
	if (uh_parse_duration(text, &nanoseconds) && text[0] == '-' && nanoseconds != 0)
		abort();
	if (uh_parse_double(text, &value)) {
		(void)snprintf(again, sizeof(again), "%.17g", value);
		if (!uh_parse_double(again, &reread) || reread < value || reread > value)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_whole_numbers(text);
	check_measures(text);
	free(text);
	return 0;
}
