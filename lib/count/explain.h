/* SPDX-License-Identifier: BSD-3-Clause */
/* The one translation of a failed perf_event_open to words. */
#ifndef UH_COUNT_EXPLAIN_H
#define UH_COUNT_EXPLAIN_H

#include "count/source.h"

/* What was wanted when opening failed. */
struct uh_attempt {
	const struct uh_event *event;
	int code;         /* the negative errno */
	bool system_wide; /* on a processor, all threads */
	bool in_group;    /* as a member behind a leader that opened */
};

/*
 * Fills `state` with the status and a reason: what stood in the way, its present
 * value, the one thing to do. Looks at the paranoid level, the hypervisor and the PMUs of
 * the machine where they matter.
 */
void uh_explain_open(struct uh_machine *machine, const struct uh_attempt *attempt,
		     struct uh_event_state *state);

/*
 * Why the processor's counters cannot be used at all, in one clause such as "this guest
 * has no PMU (CPUID leaf 0xA reports version 0)"; false when the kernel offers a core PMU.
 */
bool uh_machine_lacks_pmu(struct uh_machine *machine, char *reason, size_t size);

/*
 * Whether the event only ever happens in the kernel, as a context switch does: counted in user
 * mode alone it would always be 0, which says nothing.
 */
bool uh_event_is_kernels(const struct uh_event *event);

/* /proc/sys/kernel/perf_event_paranoid; 2, the kernel's default, when unreadable. */
int uh_machine_paranoid(struct uh_machine *machine);

#endif
