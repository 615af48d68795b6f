/* SPDX-License-Identifier: BSD-3-Clause */
/* Which events go into one kernel group. */
#ifndef UH_COUNT_CLUSTER_H
#define UH_COUNT_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"

/* Events of one kernel group: positions in the list, the leader first. */
struct uh_cluster {
	uint32_t *events;
	size_t count;
	bool explicit; /* written with braces: all or nothing */
};

/*
 * True when no event before this one in the list shares its group. `on_processors`: whole
 * processors are counted, where software events may share a group unasked.
 */
bool uh_cluster_leads(const struct uh_event_list *list, size_t index, bool on_processors);

/* Fills in the group that `leader` leads; `cluster->events` has room for the whole list. */
void uh_cluster_fill(const struct uh_event_list *list, size_t leader, bool on_processors,
		     struct uh_cluster *cluster);

#endif
