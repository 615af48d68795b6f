/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine whose files are a recorded tree and whose counters are made up: it keeps what the
 * kernel would have been asked for, refuses what a test tells it to refuse, and lets a
 * test say what each counter has counted. read() and ioctl() of its descriptors are
 * answered here, which is why a program can have one such machine only.
 */
#ifndef UH_TESTS_FAKE_MACHINE_H
#define UH_TESTS_FAKE_MACHINE_H

#include "machine/machine.h"

#define FAKE_OPENINGS 4096

struct fake_opening {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	int group; /* the leader's descriptor, or -1 */
	unsigned long flags;
	int descriptor; /* or the negative errno that was given */
	bool enabled;
	bool lost; /* reads as nothing: a pinned group that lost its place */
	uint64_t value, time_enabled, time_running;
};

struct fake_machine {
	struct uh_machine *machine;
	struct fake_opening openings[FAKE_OPENINGS];
	size_t count;
	/* A negative errno to refuse an opening with, or 0; NULL: refuses nothing. */
	int (*refuse)(const struct fake_opening *opening);
	uint64_t clock; /* goes on by one microsecond each time it is looked at */
	bool hypervisor;
	int pmu_version; /* what CPUID leaf 0xA reports; -1: not an Intel processor */
	int read_error;  /* a negative errno that every read of a counter gives, or 0 */
};

/* `root`: the recorded tree. Fails the test when it cannot be opened. */
struct fake_machine *fake_machine_open(const char *root);

/* Fails the test when a descriptor of a counter is still open. */
void fake_machine_close(struct fake_machine *fake);

/* The opening whose attr has this type and config, the nth of them from 0. Fails the test
 * when there is none. */
struct fake_opening *fake_find(struct fake_machine *fake, uint32_t type, uint64_t config,
			       size_t nth);

/* Gives every counter that was opened the same value and times. */
void fake_count(struct fake_machine *fake, uint64_t value, uint64_t enabled, uint64_t running);

#endif
