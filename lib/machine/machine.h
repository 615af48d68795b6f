/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one door to the outside world: files below a root descriptor, and a table of
 * calls for what is not a file. A recorded or a simulated machine is this
 * struct with another root and another table.
 */
#ifndef UH_MACHINE_MACHINE_H
#define UH_MACHINE_MACHINE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "unhalted/machine.h"

struct uh_machine_calls {
	/* As the system call: a descriptor or a negative errno. */
	int (*perf_event_open)(struct uh_machine *machine, struct perf_event_attr *attr, pid_t pid,
			       int cpu, int group, unsigned long flags);
	/* CPUID of the processor that the caller runs on, registers eax ebx ecx edx. -ENODEV
	 * where the architecture has none or the recording lacks the leaf. */
	int (*cpuid)(struct uh_machine *machine, uint32_t leaf, uint32_t subleaf,
		     uint32_t registers[4]);
	/* Nanoseconds of a clock that never goes back. */
	uint64_t (*clock)(struct uh_machine *machine);
};

struct uh_machine {
	int root; /* directory descriptor; paths below it have no leading slash */
	bool real;
	const struct uh_machine_calls *calls;
};

static inline uint64_t uh_machine_clock(struct uh_machine *machine)
{
	return machine->calls->clock(machine);
}

#endif
