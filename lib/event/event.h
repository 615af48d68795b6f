/* SPDX-License-Identifier: BSD-3-Clause */
/* An event as the floors above see it: a name, an encoding, and what is known of it. */
#ifndef UH_EVENT_EVENT_H
#define UH_EVENT_EVENT_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "base/index_list.h"
#include "unhalted/event.h"

#define UH_EVENT_UNIT 24
#define UH_NO_GROUP (-1)

/* Which door an event can be counted through. */
enum uh_event_kind {
	UH_EVENT_SOFTWARE, /* the kernel's own: works without a PMU */
	UH_EVENT_PMU,      /* a kernel PMU other than the core's: msr, power, uncore, ... */
	UH_EVENT_CORE,     /* needs the processor's counters */
	UH_EVENT_TRACEPOINT,
	UH_EVENT_TOOL,          /* measured by ourselves: duration_time, user_time, system_time */
	UH_EVENT_EMULATED_ONLY, /* a name that only the emulated machine can count */
};

enum uh_event_tool { UH_TOOL_DURATION, UH_TOOL_USER, UH_TOOL_SYSTEM };

struct uh_event {
	char *name;        /* as asked for, modifiers included; what is printed */
	const char *plain; /* canonical name without modifiers, for looking up metrics; in `name`'s
			      list or static */
	enum uh_event_kind kind;
	enum uh_event_tool tool;
	struct perf_event_attr attr; /* type, config and exclusions only */
	double scale;                /* printed value = count * scale */
	char unit[UH_EVENT_UNIT];
	uint64_t quantities; /* bit per enum uh_quantity the emulated machine adds up; 0 = none */
	int group;           /* number of its group in the list, or UH_NO_GROUP */
	bool weak_group;
	bool precise_wanted;
	struct uh_index_list cpus; /* where it can be counted: a socket's box on one processor,
				      a core type on its cores; empty: anywhere */
	int cgroup;                /* index into the caller's cgroups, or -1 */
};

struct uh_event_list {
	struct uh_event *events;
	size_t count;
	int groups;
	char **strings; /* canonical names that are not static */
	size_t string_count;
};

/*
 * Gives `event` (zeroed but for its name) the meaning of `text`, one event without its
 * modifiers. Returns 0; -ENOENT when no table knows it; -EINVAL for a known form
 * with bad content.
 */
int uh_event_resolve(struct uh_event_list *list, struct uh_machine *machine, const char *text,
		     struct uh_event *event, struct uh_error *error);

/* Applies perf's modifiers ("ukhGHIpPSDWe") to the event. -EINVAL for an unknown one. */
int uh_event_modify(struct uh_event *event, const char *modifiers, struct uh_error *error);

/* Keeps a copy of `text` alive as long as the list. NULL when out of memory. */
const char *uh_event_list_keep(struct uh_event_list *list, const char *text);

#endif
