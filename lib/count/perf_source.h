/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames from the kernel's perf_event, by plain system calls. */
#ifndef UH_COUNT_PERF_SOURCE_H
#define UH_COUNT_PERF_SOURCE_H

#include "count/source.h"

/* Whom to count. Exactly one of `tasks` and `cpus` has items. */
struct uh_perf_target {
	const struct uh_index_list *tasks; /* thread ids, one place each */
	const struct uh_index_list *cpus;  /* processors, one place each */
	const int *cgroups; /* directory descriptors, one an event's `cgroup`; NULL: none */
	bool inherit;       /* count children and threads that tasks start from now on */
	bool enable_on_exec;
};

/*
 * Opens every event of `list` that the kernel can count, disabled. `states` has one
 * element an event: those that are not to be opened come in with a status other than
 * UH_COUNTED; on return it says what became of each. An event that cannot be opened is
 * not a failure of the call; running out of descriptors or memory is (-EMFILE,
 * -ENFILE, -ENOMEM), and so is -ESRCH when none of the tasks is left.
 *
 * `machine`, `list` and `states` must outlive the source.
 */
int uh_perf_source_new(struct uh_machine *machine, const struct uh_event_list *list,
		       const struct uh_perf_target *target, struct uh_event_state *states,
		       struct uh_source **source, struct uh_error *error);

/*
 * Reads the counters of one place only (of one processor, by a thread that runs on
 * it: another processor's counters cost an interrupt there).
 */
int uh_perf_source_read_place(struct uh_source *source, size_t place, struct uh_frame *frame,
			      struct uh_error *error);

/*
 * Switches on only the events that belong to no task: beside a command, whose own
 * counters are switched on by its exec.
 */
int uh_perf_source_enable_wide(struct uh_source *source, struct uh_error *error);

#endif
