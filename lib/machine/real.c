/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/error.h"
#include "machine/machine.h"

static int real_perf_event_open(struct uh_machine *machine, struct perf_event_attr *attr, pid_t pid,
				int cpu, int group, unsigned long flags)
{
	(void)machine;
	long descriptor =
	    syscall(SYS_perf_event_open, attr, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC);
	return descriptor < 0 ? -errno : (int)descriptor;
}

static int real_cpuid(struct uh_machine *machine, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4])
{
	(void)machine;
#if defined(__x86_64__) || defined(__i386__)
	/* The hypervisor's leaves are above the highest basic one, where the helper below
	 * sees none. */
	if (leaf >> 28 == 4) {
		__cpuid_count(leaf, subleaf, registers[0], registers[1], registers[2],
			      registers[3]);
		return 0;
	}
	if (!__get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2],
			       &registers[3]))
		return -ENODEV;
	return 0;
#else
	(void)leaf;
	(void)subleaf;
	(void)registers;
	return -ENODEV;
#endif
}

static uint64_t monotonic_clock(struct uh_machine *machine)
{
	(void)machine;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int recorded_perf_event_open(struct uh_machine *machine, struct perf_event_attr *attr,
				    pid_t pid, int cpu, int group, unsigned long flags)
{
	(void)machine;
	(void)attr;
	(void)pid;
	(void)cpu;
	(void)group;
	(void)flags;
	return -ENODEV;
}

static int recorded_cpuid(struct uh_machine *machine, uint32_t leaf, uint32_t subleaf,
			  uint32_t registers[4])
{
	(void)machine;
	(void)leaf;
	(void)subleaf;
	(void)registers;
	return -ENODEV;
}

static const struct uh_machine_calls real_calls = {
    .perf_event_open = real_perf_event_open,
    .cpuid = real_cpuid,
    .clock = monotonic_clock,
};

static const struct uh_machine_calls recorded_calls = {
    .perf_event_open = recorded_perf_event_open,
    .cpuid = recorded_cpuid,
    .clock = monotonic_clock,
};

static int open_below(const char *root, const struct uh_machine_calls *calls,
		      struct uh_machine **machine, struct uh_error *error)
{
	struct uh_machine *result = calloc(1, sizeof(*result));
	if (!result)
		return uh_fail_memory(error);
	result->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (result->root < 0) {
		int code = -errno;
		free(result);
		return uh_fail_errno(error, code, "cannot open the machine's root %s", root);
	}
	result->calls = calls;
	result->real = calls == &real_calls;
	*machine = result;
	return 0;
}

int uh_machine_open(struct uh_machine **machine, struct uh_error *error)
{
	return open_below("/", &real_calls, machine, error);
}

int uh_machine_open_recorded(const char *root, struct uh_machine **machine, struct uh_error *error)
{
	return open_below(root, &recorded_calls, machine, error);
}

void uh_machine_free(struct uh_machine *machine)
{
	if (!machine)
		return;
	close(machine->root);
	free(machine);
}
