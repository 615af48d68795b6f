/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/fake_machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit.h"

static struct fake_machine *current;

static struct fake_opening *opening_of(int descriptor)
{
	for (size_t i = 0; current && i < current->count; i++)
		if (descriptor >= 0 && current->openings[i].descriptor == descriptor)
			return &current->openings[i];
	return NULL;
}

/* ---- the kernel's side ---- */

static int fake_open(struct uh_machine *machine, struct perf_event_attr *attr, pid_t pid, int cpu,
		     int group, unsigned long flags)
{
	(void)machine;
	assert_true(current->count < FAKE_OPENINGS);
	struct fake_opening *opening = &current->openings[current->count];
	*opening = (struct fake_opening){
	    .attr = *attr, .pid = pid, .cpu = cpu, .group = group, .flags = flags};
	opening->descriptor = current->refuse ? current->refuse(opening) : 0;
	if (!opening->descriptor)
		opening->descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (opening->descriptor == -1)
		opening->descriptor = -errno;
	/* A number that is given again belonged to a counter that was closed. */
	struct fake_opening *before = opening_of(opening->descriptor);
	if (before)
		before->descriptor = -EBADF;
	current->count++;
	return opening->descriptor;
}

static int fake_cpuid(struct uh_machine *machine, uint32_t leaf, uint32_t subleaf,
		      uint32_t registers[4])
{
	(void)machine;
	(void)subleaf;
	memset(registers, 0, 4 * sizeof(*registers));
	if (leaf == 0 && current->pmu_version >= 0) {
		registers[0] = 0x16;
		memcpy(&registers[1], "Genu", 4);
		memcpy(&registers[3], "ineI", 4);
		memcpy(&registers[2], "ntel", 4);
	} else if (leaf == 1) {
		registers[2] = (uint32_t)current->hypervisor << 31;
	} else if (leaf == 0xa && current->pmu_version >= 0) {
		registers[0] = (uint32_t)current->pmu_version;
	}
	return 0;
}

static uint64_t fake_clock(struct uh_machine *machine)
{
	(void)machine;
	return current->clock += 1000;
}

static const struct uh_machine_calls calls = {
    .perf_event_open = fake_open,
    .cpuid = fake_cpuid,
    .clock = fake_clock,
};

/* What PERF_FORMAT_GROUP reads: the leader and those that joined it, in order of opening. */
static size_t read_group(const struct fake_opening *leader, uint64_t *words)
{
	size_t members = 0;
	for (size_t i = 0; i < current->count; i++) {
		const struct fake_opening *opening = &current->openings[i];
		if (opening == leader ||
		    (opening->descriptor >= 0 && opening->group == leader->descriptor))
			words[3 + members++] = opening->value;
	}
	words[0] = members;
	words[1] = leader->time_enabled;
	words[2] = leader->time_running;
	return members + 3;
}

/* Stands in for the C library's: the program's own definition comes first. */
ssize_t read(int descriptor, void *buffer, size_t size)
{
	const struct fake_opening *opening = opening_of(descriptor);
	uint64_t words[FAKE_OPENINGS + 3];
	if (!opening)
		return syscall(SYS_read, descriptor, buffer, size);
	if (current->read_error) {
		errno = -current->read_error;
		return -1;
	}
	if (opening->lost)
		return 0;
	size_t count = 3;
	if (opening->attr.read_format & PERF_FORMAT_GROUP) {
		count = read_group(opening, words);
	} else {
		words[0] = opening->value;
		words[1] = opening->time_enabled;
		words[2] = opening->time_running;
	}
	if (size < count * sizeof(*words)) {
		errno = ENOSPC; /* as the kernel */
		return -1;
	}
	memcpy(buffer, words, count * sizeof(*words));
	return (ssize_t)(count * sizeof(*words));
}

int ioctl(int descriptor, unsigned long request, ...)
{
	struct fake_opening *opening = opening_of(descriptor);
	if (opening && request == PERF_EVENT_IOC_ENABLE)
		opening->enabled = true;
	else if (opening && request == PERF_EVENT_IOC_DISABLE)
		opening->enabled = false;
	else
		return (int)syscall(SYS_ioctl, descriptor, request, 0);
	return 0;
}

/* ---- the test's side ---- */

struct fake_machine *fake_machine_open(const char *root)
{
	current = calloc(1, sizeof(*current));
	assert_non_null(current);
	assert_int_equal(uh_machine_open_recorded(root, &current->machine, NULL), 0);
	current->machine->calls = &calls;
	current->pmu_version = 5;
	return current;
}

void fake_machine_close(struct fake_machine *fake)
{
	for (size_t i = 0; i < fake->count; i++)
		if (fake->openings[i].descriptor >= 0 &&
		    fcntl(fake->openings[i].descriptor, F_GETFD) >= 0)
			fail_msg("the counter of opening %zu was left open", i);
	uh_machine_free(fake->machine);
	current = NULL;
	free(fake);
}

struct fake_opening *fake_find(struct fake_machine *fake, uint32_t type, uint64_t config,
			       size_t nth)
{
	for (size_t i = 0; i < fake->count; i++) {
		struct fake_opening *opening = &fake->openings[i];
		if (opening->attr.type == type && opening->attr.config == config && !nth--)
			return opening;
	}
	fail_msg("type %u config %#llx was not opened so often", type, (unsigned long long)config);
	return NULL;
}

void fake_count(struct fake_machine *fake, uint64_t value, uint64_t enabled, uint64_t running)
{
	for (size_t i = 0; i < fake->count; i++) {
		fake->openings[i].value = value;
		fake->openings[i].time_enabled = enabled;
		fake->openings[i].time_running = running;
	}
}
