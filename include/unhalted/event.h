/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: something hardware or the kernel can count, by name.
 *
 * A list is written as perf takes it: names separated by commas, {groups},
 * name:modifiers, rUUEE for a raw event select, pmu/term=value,.../ and
 * system:tracepoint. Intel's names of the architectural events are taken in any case.
 */
#ifndef UNHALTED_EVENT_H
#define UNHALTED_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "unhalted/error.h"
#include "unhalted/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uh_event_list;

/*
 * Reads a list of events. Unknown names give -ENOENT and the nearest known
 * ones in the text; a list that is not well formed gives -EINVAL. On success the
 * caller owns `*list` and frees it with uh_event_list_free().
 */
int uh_event_list_parse(struct uh_machine *machine, const char *text, struct uh_event_list **list,
			struct uh_error *error);

/* As uh_event_list_parse, adding to an existing list; on failure it is unchanged. */
int uh_event_list_append(struct uh_event_list *list, struct uh_machine *machine, const char *text,
			 struct uh_error *error);

void uh_event_list_free(struct uh_event_list *list);

size_t uh_event_list_count(const struct uh_event_list *list);

/* The event's name as it was asked for; valid as long as the list. */
const char *uh_event_list_name(const struct uh_event_list *list, size_t index);

#ifdef __cplusplus
}
#endif

#endif
