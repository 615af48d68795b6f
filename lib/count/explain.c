/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/explain.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "event/sysfs.h"

int uh_machine_paranoid(struct uh_machine *machine)
{
	int64_t level;
	if (uh_file_number(machine->root, "proc/sys/kernel/perf_event_paranoid", &level))
		return 2;
	return (int)level;
}

static bool under_hypervisor(struct uh_machine *machine)
{
	uint32_t registers[4];
	return !machine->calls->cpuid(machine, 1, 0, registers) && (registers[2] >> 31 & 1);
}

static bool is_intel(struct uh_machine *machine)
{
	uint32_t r[4];
	/* "GenuineIntel" in ebx, edx, ecx */
	return !machine->calls->cpuid(machine, 0, 0, r) && r[1] == 0x756e6547 &&
	       r[3] == 0x49656e69 && r[2] == 0x6c65746e;
}

bool uh_machine_lacks_pmu(struct uh_machine *machine, char *reason, size_t size)
{
	/* ARM and POWER name their core PMUs otherwise; there the kernel's word on the
	 * generic event is what counts. */
#if defined(__x86_64__) || defined(__i386__)
	if (uh_pmu_exists(machine, "cpu") || uh_pmu_exists(machine, "cpu_core"))
		return false;
	uint32_t registers[4];
	const char *where = under_hypervisor(machine) ? "this guest" : "this machine";
	if (is_intel(machine) && !machine->calls->cpuid(machine, 0xa, 0, registers))
		(void)snprintf(reason, size, "%s has no PMU (CPUID leaf 0xA reports version %u)",
			       where, registers[0] & 0xff);
	else
		(void)snprintf(reason, size,
			       "%s has no PMU (the kernel shows none in "
			       "/sys/bus/event_source/devices)",
			       where);
	return true;
#else
	(void)machine;
	(void)reason;
	(void)size;
	return false;
#endif
}

bool uh_event_is_kernels(const struct uh_event *event)
{
	__u64 config = event->attr.config;
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       (config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		config == PERF_COUNT_SW_CPU_MIGRATIONS || config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

static void say(struct uh_event_state *state, enum uh_status status, const char *text)
{
	state->status = status;
	(void)snprintf(state->reason, sizeof(state->reason), "%s", text);
}

static void explain_permission(struct uh_machine *machine, const struct uh_attempt *attempt,
			       struct uh_event_state *state)
{
	int level = uh_machine_paranoid(machine);
	state->status = UH_NOT_PERMITTED;
	if (attempt->event->kind == UH_EVENT_TRACEPOINT)
		(void)snprintf(state->reason, sizeof(state->reason),
			       "perf_event_paranoid is %d, tracepoints need -1 or CAP_PERFMON; as "
			       "root, until reboot: sysctl kernel.perf_event_paranoid=-1",
			       level);
	else if (attempt->system_wide)
		(void)snprintf(state->reason, sizeof(state->reason),
			       "perf_event_paranoid is %d, counting whole processors needs 0 or "
			       "CAP_PERFMON; as root, until reboot: "
			       "sysctl kernel.perf_event_paranoid=0",
			       level);
	else if (level == 2 && uh_event_is_kernels(attempt->event))
		say(state, UH_NOT_PERMITTED,
		    "it happens in the kernel, which perf_event_paranoid 2 hides; as root, until "
		    "reboot: sysctl kernel.perf_event_paranoid=1");
	else if (level > 2)
		(void)snprintf(
		    state->reason, sizeof(state->reason),
		    "perf_event_paranoid is %d, which refuses every event; as root, until "
		    "reboot: sysctl kernel.perf_event_paranoid=2",
		    level);
	else
		(void)snprintf(
		    state->reason, sizeof(state->reason),
		    "the kernel refuses it (perf_event_paranoid is %d); watching another "
		    "user's process needs root or CAP_SYS_PTRACE",
		    level);
}

static void explain_absent(struct uh_machine *machine, const struct uh_attempt *attempt,
			   struct uh_event_state *state)
{
	char lacks[160];
	state->status = UH_NOT_SUPPORTED;
	if (attempt->event->kind == UH_EVENT_CORE &&
	    uh_machine_lacks_pmu(machine, lacks, sizeof(lacks)))
		(void)snprintf(state->reason, sizeof(state->reason), "%s", lacks);
	else
		say(state, UH_NOT_SUPPORTED, "this processor's PMU has no such event");
}

static void explain_invalid(const struct uh_attempt *attempt, struct uh_event_state *state)
{
	if (attempt->in_group)
		say(state, UH_NOT_SUPPORTED,
		    "the group does not fit: it needs more counters than the processor has, or "
		    "mixes PMUs; make it smaller or mark it weak, {...}:W");
	else if (attempt->event->attr.precise_ip)
		say(state, UH_NOT_SUPPORTED,
		    "precise counting is not available for it here; leave :p out");
	else if (!attempt->system_wide && attempt->event->kind == UH_EVENT_PMU &&
		 attempt->event->cpus.count)
		say(state, UH_NOT_SUPPORTED, "it counts whole sockets only: add -a");
	else
		say(state, UH_NOT_SUPPORTED, "the kernel refuses this encoding (EINVAL)");
}

void uh_explain_open(struct uh_machine *machine, const struct uh_attempt *attempt,
		     struct uh_event_state *state)
{
	switch (-attempt->code) {
	case EACCES:
	case EPERM:
		explain_permission(machine, attempt, state);
		break;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case ENXIO:
		explain_absent(machine, attempt, state);
		break;
	case EINVAL:
		explain_invalid(attempt, state);
		break;
	case ENOSPC:
		say(state, UH_NOT_SUPPORTED,
		    "no free counter or breakpoint register is left (ENOSPC)");
		break;
	case EBUSY:
		say(state, UH_NOT_SUPPORTED,
		    "another user holds the PMU exclusively (EBUSY); stop that one first");
		break;
	case ENOSYS:
		say(state, UH_NOT_SUPPORTED, "this kernel was built without perf_event");
		break;
	case ESRCH:
		say(state, UH_NOT_COUNTED, "the process or thread has ended");
		break;
	default:
		state->status = UH_NOT_SUPPORTED;
		(void)snprintf(state->reason, sizeof(state->reason), "perf_event_open: %s",
			       strerror(-attempt->code));
	}
}
