/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/perf_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "count/cluster.h"
#include "count/explain.h"
#include "count/frame.h"

/* One open counter. */
struct counter {
	int descriptor;
	uint32_t event;
};

/* Counters that are read by one system call: those of a group at one place, or one alone. */
struct unit {
	uint32_t first; /* index of its leader in `counters` */
	uint32_t count;
	uint32_t place;
	bool grouped; /* opened with PERF_FORMAT_GROUP */
};

struct perf_source {
	struct uh_source base;
	struct uh_machine *machine;
	const struct uh_event_list *list;
	struct uh_event_state *states;
	const struct uh_perf_target *target;
	struct counter *counters;
	size_t counter_count, counter_capacity;
	struct unit *units;
	size_t unit_count, unit_capacity;
	uint64_t *buffer; /* of one group's read */
	size_t buffer_words;
	size_t place_count;
};

#define GROUP_WORDS 3 /* number of members, time enabled, time running */

static int grow(void **array, size_t *capacity, size_t count, size_t size)
{
	if (count < *capacity)
		return 0;
	size_t wanted = *capacity ? *capacity * 2 : 16;
	void *larger = realloc(*array, wanted * size);
	if (!larger)
		return -ENOMEM;
	*array = larger;
	*capacity = wanted;
	return 0;
}

static void perf_source_free(struct uh_source *base)
{
	struct perf_source *source = (struct perf_source *)base;
	for (size_t i = 0; i < source->counter_count; i++)
		close(source->counters[i].descriptor);
	free(source->counters);
	free(source->units);
	free(source->buffer);
	free(source);
}

/* The soft limit on descriptors is often 1024 although the hard one is far above. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int fail_descriptors(const struct perf_source *source, int code, struct uh_error *error)
{
	struct rlimit limit = {0};
	(void)getrlimit(RLIMIT_NOFILE, &limit);
	if (code == -ENFILE)
		return uh_fail(error, code,
			       "the whole machine is out of file descriptors (fs.file-max)");
	return uh_fail(error, code,
		       "out of file descriptors: %zu events at %zu places need one each, the limit "
		       "is %llu; raise it (ulimit -n %zu) or count fewer",
		       source->list->count, source->place_count, (unsigned long long)limit.rlim_cur,
		       source->list->count * source->place_count + 64);
}

/* Where one opening goes. */
struct spot {
	pid_t pid;
	int cpu;
	uint32_t place;
	unsigned long flags;
};

static int open_counter(struct perf_source *source, uint32_t index, const struct spot *spot,
			int leader, bool grouped)
{
	const struct uh_event *event = &source->list->events[index];
	struct uh_event_state *state = &source->states[index];
	struct perf_event_attr attr = event->attr;
	bool on_task = spot->pid >= 0 && !spot->flags;

	attr.size = sizeof(attr);
	attr.disabled = leader < 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (grouped)
		attr.read_format |= PERF_FORMAT_GROUP;
	attr.inherit = on_task && source->target->inherit;
	attr.enable_on_exec = on_task && source->target->enable_on_exec && leader < 0;
	if (state->user_only)
		attr.exclude_kernel = attr.exclude_hv = 1;
	bool raised = false;
	for (;;) {
		int descriptor = source->machine->calls->perf_event_open(
		    source->machine, &attr, spot->pid, spot->cpu, leader, spot->flags);
		if (descriptor == -EMFILE && !raised) {
			raise_descriptor_limit();
			raised = true;
			continue;
		}
		/* An ordinary user may count user mode only: say so in the name, as perf does. */
		bool kernel_refused = (descriptor == -EACCES || descriptor == -EPERM) && on_task &&
				      !attr.exclude_kernel && !attr.exclude_user &&
				      event->kind != UH_EVENT_TRACEPOINT &&
				      !uh_event_is_kernels(event);
		if (kernel_refused) {
			attr.exclude_kernel = attr.exclude_hv = 1;
			continue;
		}
		if (descriptor >= 0 && attr.exclude_kernel && !event->attr.exclude_kernel)
			state->user_only = true;
		return descriptor;
	}
}

static int add_counter(struct perf_source *source, int descriptor, uint32_t event)
{
	int status = grow((void **)&source->counters, &source->counter_capacity,
			  source->counter_count, sizeof(*source->counters));
	if (status) {
		close(descriptor);
		return status;
	}
	source->counters[source->counter_count++] = (struct counter){descriptor, event};
	return 0;
}

static int add_unit(struct perf_source *source, const struct unit *unit)
{
	int status = grow((void **)&source->units, &source->unit_capacity, source->unit_count,
			  sizeof(*source->units));
	if (!status)
		source->units[source->unit_count++] = *unit;
	return status;
}

static void drop_counters(struct perf_source *source, size_t first)
{
	while (source->counter_count > first)
		close(source->counters[--source->counter_count].descriptor);
}

static void explain(struct perf_source *source, uint32_t index, const struct spot *spot, int code,
		    bool in_group)
{
	const struct uh_attempt attempt = {.event = &source->list->events[index],
					   .code = code,
					   .system_wide = spot->pid < 0 || spot->flags,
					   .in_group = in_group};
	if (source->states[index].status == UH_COUNTED)
		uh_explain_open(source->machine, &attempt, &source->states[index]);
}

/* A group is counted wholly or not at all. */
static void fail_cluster(struct perf_source *source, const struct uh_cluster *cluster,
			 uint32_t culprit)
{
	const struct uh_event_state *cause = &source->states[culprit];
	for (size_t i = 0; i < cluster->count; i++) {
		struct uh_event_state *state = &source->states[cluster->events[i]];
		if (cluster->events[i] == culprit || state->status != UH_COUNTED)
			continue;
		state->status = cause->status;
		(void)snprintf(state->reason, sizeof(state->reason), "its group has %.60s: %.400s",
			       source->list->events[culprit].name, cause->reason);
	}
}

static bool fatal(int code)
{
	return code == -EMFILE || code == -ENFILE || code == -ENOMEM;
}

/*
 * Opens a cluster at one place. Returns 0 when it was opened or its events were marked as
 * not countable, 1 when the task has gone, or a negative errno that ends everything.
 */
static int open_cluster(struct perf_source *source, const struct uh_cluster *cluster,
			const struct spot *spot)
{
	bool inherit = source->target->inherit && spot->pid >= 0 && !spot->flags;
	bool grouped = !inherit; /* the kernel reads inherited events one by one only */
	size_t first = source->counter_count;
	int leader = -1;

	for (size_t i = 0; i < cluster->count; i++) {
		uint32_t index = cluster->events[i];
		if (source->states[index].status != UH_COUNTED || source->states[index].taken)
			continue;
		int descriptor = open_counter(source, index, spot, leader, grouped);
		if (fatal(descriptor))
			return descriptor;
		if (descriptor == -ESRCH) {
			drop_counters(source, first);
			return 1;
		}
		if (descriptor < 0) {
			explain(source, index, spot, descriptor, leader >= 0 && cluster->explicit);
			if (!cluster->explicit)
				continue;
			fail_cluster(source, cluster, index);
			drop_counters(source, first);
			return 0;
		}
		int status = add_counter(source, descriptor, index);
		if (status)
			return status;
		if (leader < 0)
			leader = descriptor;
	}
	size_t count = source->counter_count - first;
	struct unit unit = {(uint32_t)first, (uint32_t)count, spot->place, grouped};
	if (!count)
		return 0;
	if (count + GROUP_WORDS > source->buffer_words)
		source->buffer_words = count + GROUP_WORDS;
	if (grouped)
		return add_unit(source, &unit);
	for (size_t i = 0; i < count; i++) {
		unit.first = (uint32_t)(first + i);
		unit.count = 1;
		int status = add_unit(source, &unit);
		if (status)
			return status;
	}
	return 0;
}

/* ---- places ---- */

/* Whether the event belongs to a socket, not to what runs: no task can have it for itself. */
static bool is_wide(const struct uh_event *event)
{
	return event->kind == UH_EVENT_PMU && event->cpus.count;
}

static int open_everywhere(struct perf_source *source, const struct uh_cluster *cluster,
			   bool *task_lives)
{
	const struct uh_event *event = &source->list->events[cluster->events[0]];
	const struct uh_perf_target *target = source->target;
	int status = 0;

	if (event->cgroup >= 0 || target->cpus) {
		for (size_t i = 0; target->cpus && i < target->cpus->count && status >= 0; i++) {
			int cpu = target->cpus->items[i];
			if (event->cpus.count && !uh_index_list_contains(&event->cpus, cpu))
				continue;
			struct spot spot = {-1, cpu, (uint32_t)i, 0};
			if (event->cgroup >= 0) {
				spot.pid = target->cgroups[event->cgroup];
				spot.flags = PERF_FLAG_PID_CGROUP;
			}
			status = open_cluster(source, cluster, &spot);
		}
		return status < 0 ? status : 0;
	}
	if (is_wide(event)) {
		/* A socket's event beside a program: it sees everything that runs there. */
		for (size_t i = 0; i < event->cpus.count && status >= 0; i++) {
			struct spot spot = {-1, event->cpus.items[i], 0, 0};
			status = open_cluster(source, cluster, &spot);
		}
		for (size_t i = 0; i < cluster->count; i++)
			source->states[cluster->events[i]].whole_machine = true;
		return status < 0 ? status : 0;
	}
	for (size_t i = 0; i < target->tasks->count && status >= 0; i++) {
		struct spot spot = {target->tasks->items[i], -1, (uint32_t)i, 0};
		status = open_cluster(source, cluster, &spot);
		*task_lives = *task_lives || !status;
	}
	return status < 0 ? status : 0;
}

/* A weak group that does not fit is taken apart. */
static int open_weak(struct perf_source *source, const struct uh_cluster *cluster, bool *task_lives)
{
	for (size_t i = 0; i < cluster->count; i++) {
		uint32_t event = cluster->events[i];
		const struct uh_cluster alone = {&event, 1, false};
		source->states[event] = (struct uh_event_state){.status = UH_COUNTED};
		int status = open_everywhere(source, &alone, task_lives);
		if (status)
			return status;
	}
	return 0;
}

static int open_all(struct perf_source *source, struct uh_error *error)
{
	struct uh_cluster cluster = {calloc(source->list->count + 1, sizeof(uint32_t)), 0, false};
	bool task_lives = false;
	bool tried = false;
	int status = cluster.events ? 0 : -ENOMEM;

	for (size_t i = 0; i < source->list->count && !status; i++) {
		if (source->states[i].status != UH_COUNTED || source->states[i].taken ||
		    !uh_cluster_leads(source->list, i, source->target->cpus != NULL))
			continue;
		uh_cluster_fill(source->list, i, source->target->cpus != NULL, &cluster);
		tried = true;
		size_t counters = source->counter_count;
		size_t units = source->unit_count;
		status = open_everywhere(source, &cluster, &task_lives);
		if (!status && cluster.explicit && source->states[i].status != UH_COUNTED &&
		    source->list->events[i].weak_group) {
			/* Where it did fit, it must not be counted twice. */
			drop_counters(source, counters);
			source->unit_count = units;
			status = open_weak(source, &cluster, &task_lives);
		}
	}
	free(cluster.events);
	if (status == -ENOMEM)
		return uh_fail_memory(error);
	if (status)
		return fail_descriptors(source, status, error);
	bool gone = tried && source->target->tasks && !task_lives && !source->counter_count;
	for (size_t i = 0; i < source->list->count && gone; i++)
		gone = source->states[i].status == UH_COUNTED && !source->states[i].taken;
	if (gone)
		return uh_fail(error, -ESRCH, "process or thread %d has ended",
			       source->target->tasks->items[0]);
	return 0;
}

/* ---- running ---- */

static const char *unit_name(const struct perf_source *source, const struct unit *unit)
{
	return source->list->events[source->counters[unit->first].event].name;
}

/* Members of a kernel group follow their leader: switching the first is enough. */
static int control(struct perf_source *source, unsigned long request, bool wide_only,
		   struct uh_error *error)
{
	for (size_t i = 0; i < source->unit_count; i++) {
		const struct unit *unit = &source->units[i];
		const struct counter *leader = &source->counters[unit->first];
		if (wide_only && !source->states[leader->event].whole_machine)
			continue;
		if (ioctl(leader->descriptor, request, 0) < 0)
			return uh_fail_errno(error, -errno, "cannot switch the counters of %s",
					     unit_name(source, unit));
	}
	return 0;
}

static int perf_enable(struct uh_source *base, struct uh_error *error)
{
	return control((struct perf_source *)base, PERF_EVENT_IOC_ENABLE, false, error);
}

static int perf_disable(struct uh_source *base, struct uh_error *error)
{
	return control((struct perf_source *)base, PERF_EVENT_IOC_DISABLE, false, error);
}

int uh_perf_source_enable_wide(struct uh_source *base, struct uh_error *error)
{
	return control((struct perf_source *)base, PERF_EVENT_IOC_ENABLE, true, error);
}

static void store(struct uh_frame *frame, uint32_t event, uint32_t place, uint64_t value,
		  const uint64_t times[2])
{
	struct uh_reading *cell = &frame->readings[event * frame->place_count + place];
	struct uh_reading reading = {.value = value, .enabled = times[0], .running = times[1]};
	uh_reading_judge(&reading);
	if (cell->status == UH_ABSENT)
		*cell = reading;
	else
		uh_reading_add(cell, &reading);
}

static int read_unit(struct perf_source *source, const struct unit *unit, uint64_t *buffer,
		     struct uh_frame *frame)
{
	const struct counter *counters = &source->counters[unit->first];
	size_t words = unit->grouped ? unit->count + GROUP_WORDS : 3;
	ssize_t got = read(counters[0].descriptor, buffer, words * sizeof(*buffer));
	if (got < 0)
		return -errno;
	/* A pinned event or group that lost its place reads as nothing at all. */
	if (!got) {
		static const uint64_t never[2] = {1, 0};
		for (uint32_t i = 0; i < unit->count; i++)
			store(frame, counters[i].event, unit->place, 0, never);
		return 0;
	}
	if ((size_t)got != words * sizeof(*buffer) || (unit->grouped && buffer[0] != unit->count))
		return -EIO;
	if (!unit->grouped) {
		store(frame, counters[0].event, unit->place, buffer[0], buffer + 1);
		return 0;
	}
	for (uint32_t i = 0; i < unit->count; i++)
		store(frame, counters[i].event, unit->place, buffer[GROUP_WORDS + i], buffer + 1);
	return 0;
}

static int fail_read(const struct perf_source *source, const struct unit *unit, int code,
		     struct uh_error *error)
{
	return uh_fail_errno(error, code, "cannot read the counter of %s", unit_name(source, unit));
}

static int perf_read(struct uh_source *base, struct uh_frame *frame, struct uh_error *error)
{
	struct perf_source *source = (struct perf_source *)base;
	for (size_t i = 0; i < source->unit_count; i++) {
		int status = read_unit(source, &source->units[i], source->buffer, frame);
		if (status)
			return fail_read(source, &source->units[i], status, error);
	}
	return 0;
}

int uh_perf_source_read_place(struct uh_source *base, size_t place, struct uh_frame *frame,
			      struct uh_error *error)
{
	struct perf_source *source = (struct perf_source *)base;
	/* Several threads read at once: each has a buffer of its own. */
	uint64_t buffer[64];
	for (size_t i = 0; i < source->unit_count; i++) {
		const struct unit *unit = &source->units[i];
		if (unit->place != place)
			continue;
		if (unit->count + GROUP_WORDS > sizeof(buffer) / sizeof(buffer[0]))
			return uh_fail(error, -E2BIG, "a group of %u events is too large",
				       unit->count);
		int status = read_unit(source, unit, buffer, frame);
		if (status)
			return fail_read(source, unit, status, error);
	}
	return 0;
}

static const struct uh_source_calls perf_calls = {
    .enable = perf_enable,
    .disable = perf_disable,
    .read = perf_read,
    .free = perf_source_free,
};

int uh_perf_source_new(struct uh_machine *machine, const struct uh_event_list *list,
		       const struct uh_perf_target *target, struct uh_event_state *states,
		       struct uh_source **out, struct uh_error *error)
{
	struct perf_source *source = calloc(1, sizeof(*source));
	if (!source)
		return uh_fail_memory(error);
	source->base.calls = &perf_calls;
	source->machine = machine;
	source->list = list;
	source->states = states;
	source->target = target;
	source->place_count = target->cpus ? target->cpus->count : target->tasks->count;
	int status = open_all(source, error);
	if (!status) {
		source->buffer = calloc(source->buffer_words + GROUP_WORDS, sizeof(uint64_t));
		if (!source->buffer)
			status = uh_fail_memory(error);
	}
	if (status) {
		perf_source_free(&source->base);
		return status;
	}
	*out = &source->base;
	return 0;
}
