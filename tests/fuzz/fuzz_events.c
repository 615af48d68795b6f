/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of events as users type them, on a small recorded machine. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unhalted/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct uh_machine *recorded_machine(void)
{
	static struct uh_machine *machine;

	if (!machine && uh_machine_open_recorded(FUZZ_FOLDER "/machine", &machine, NULL) != 0)
		abort();
	return machine;
}

/* A name for each event; a text for each failure. */
static void check(const char *text)
{
	struct uh_event_list *list = NULL;
	struct uh_error error = {0};

	if (uh_event_list_parse(recorded_machine(), text, &list, &error) != 0) {
		if (error.code >= 0 || error.text[0] == '\0')
			abort();
		return;
	}
	for (size_t i = 0; i < uh_event_list_count(list); i++)
		if (!uh_event_list_name(list, i))
			abort();
	uh_event_list_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check(text);
	free(text);
	return 0;
}
