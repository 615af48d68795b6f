/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/cluster.h"

/* Software events always count, so putting them into one group changes nothing but the
 * number of reads. */
static bool free_to_join(const struct uh_event *event)
{
	return event->group == UH_NO_GROUP && event->cgroup < 0 &&
	       event->kind == UH_EVENT_SOFTWARE && !event->attr.pinned && !event->attr.exclusive;
}

static bool joins(const struct uh_event_list *list, size_t leader, size_t other, bool on_processors)
{
	const struct uh_event *a = &list->events[leader];
	const struct uh_event *b = &list->events[other];
	if (a->group != UH_NO_GROUP)
		return b->group == a->group;
	return on_processors && free_to_join(a) && free_to_join(b);
}

bool uh_cluster_leads(const struct uh_event_list *list, size_t index, bool on_processors)
{
	for (size_t before = 0; before < index; before++)
		if (joins(list, before, index, on_processors))
			return false;
	return true;
}

void uh_cluster_fill(const struct uh_event_list *list, size_t leader, bool on_processors,
		     struct uh_cluster *cluster)
{
	cluster->count = 0;
	cluster->explicit = list->events[leader].group != UH_NO_GROUP;
	for (size_t i = leader; i < list->count; i++)
		if (i == leader || joins(list, leader, i, on_processors))
			cluster->events[cluster->count++] = (uint32_t)i;
}
