/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "count/emulated_source.h"
#include "count/explain.h"
#include "count/frame.h"

static bool needs_counters(const struct uh_event *event)
{
	return event->kind == UH_EVENT_CORE || event->kind == UH_EVENT_EMULATED_ONLY;
}

static bool on_command(const struct uh_session *session)
{
	return !session->tasks.count && !session->cpus.count;
}

/* Whether the events and the machine ask for emulation; with a reason for those not counted. */
static bool choose_emulation(struct uh_session *session)
{
	char lacks[160];
	bool wanted = false;
	for (size_t i = 0; i < session->events->count; i++)
		wanted = wanted || needs_counters(&session->events->events[i]);
	if (!wanted || session->options.emulate == UH_EMULATE_NEVER || !on_command(session))
		return false;
	return session->options.emulate == UH_EMULATE_ALWAYS ||
	       uh_machine_lacks_pmu(session->machine, lacks, sizeof(lacks));
}

static void refuse(struct uh_event_state *state, enum uh_status status, const char *text)
{
	state->status = status;
	(void)snprintf(state->reason, sizeof(state->reason), "%s", text);
}

/* Events that perf_event need not be asked for. */
static void sort_out(struct uh_session *session)
{
	for (size_t i = 0; i < session->events->count; i++) {
		const struct uh_event *event = &session->events->events[i];
		session->states[i].taken |= event->kind == UH_EVENT_TOOL;
		if (event->kind == UH_EVENT_EMULATED_ONLY && !session->states[i].taken)
			refuse(
			    &session->states[i], UH_NOT_SUPPORTED,
			    on_command(session)
				? "no encoding of this name is known for this processor; the "
				  "emulated machine counts it: --emulate"
				: "only the emulated machine counts it, and that needs a command");
	}
}

static int fail_options(struct uh_error *error, const char *text)
{
	return uh_fail(error, -EINVAL, "%s", text);
}

static int choose_target(struct uh_session *session, const struct uh_session_options *options,
			 struct uh_error *error)
{
	bool tasks = options->processes || options->threads;
	bool cpus = options->all_cpus || options->cpus;
	if (tasks && cpus)
		return fail_options(error, "either tasks or processors can be counted, not both");
	if (options->cgroups && !cpus)
		return fail_options(error, "a control group is counted on processors: add -a");
	int status = 0;
	if (tasks)
		status = uh_session_find_tasks(session->machine, options->processes,
					       options->threads, &session->tasks, error);
	else if (cpus)
		status =
		    uh_session_find_cpus(session->machine, options->cpus, &session->cpus, error);
	if (!status && options->cgroups)
		status = uh_session_open_cgroups(session->machine, options->cgroups,
						 &session->cgroups, &session->cgroup_count, error);
	if (!status && session->cgroup_count > 1 && session->cgroup_count != session->events->count)
		return uh_fail(error, -EINVAL,
			       "%zu control groups for %zu events: name one for all, or one each",
			       session->cgroup_count, session->events->count);
	return status;
}

static int make_places(struct uh_session *session, struct uh_error *error)
{
	size_t count = session->cpus.count    ? session->cpus.count
		       : session->tasks.count ? session->tasks.count
					      : 1;
	session->places = calloc(count, sizeof(*session->places));
	if (!session->places)
		return uh_fail_memory(error);
	session->place_count = count;
	for (size_t i = 0; i < count; i++) {
		struct uh_place *place = &session->places[i];
		place->members = 1;
		if (session->cpus.count) {
			place->kind = UH_PLACE_CPU;
			place->cpu = session->cpus.items[i];
		} else if (session->tasks.count) {
			place->kind = UH_PLACE_THREAD;
			place->thread = session->tasks.items[i];
			uh_thread_name(session->machine, place->thread, place->name);
		}
	}
	return 0;
}

static int open_perf(struct uh_session *session, bool enable_on_exec, struct uh_error *error)
{
	session->target = (struct uh_perf_target){
	    .tasks = session->cpus.count ? NULL : &session->tasks,
	    .cpus = session->cpus.count ? &session->cpus : NULL,
	    .cgroups = session->cgroups,
	    .inherit = !session->options.no_inherit && !session->options.per_thread,
	    .enable_on_exec = enable_on_exec && !session->options.start_disabled,
	};
	return uh_perf_source_new(session->machine, session->events, &session->target,
				  session->states, &session->perf, error);
}

static int check_options(const struct uh_session_options *options, struct uh_error *error)
{
	if (options->size > sizeof(*options))
		return uh_fail(error, -E2BIG,
			       "the options come from a newer version than this library");
	return 0;
}

/*
 * Without an emulator the program still runs, and what the kernel counts is counted; each
 * event that would have needed one says what to install.
 */
static int emulate(struct uh_session *session, struct uh_error *error)
{
	struct uh_error reason = {0};
	int status = uh_emulated_source_new(session, &session->emulated, &reason);
	bool missing = status == -ENOENT || status == -ENOEXEC;
	if (missing && session->options.emulate == UH_EMULATE_IF_NEEDED) {
		for (size_t i = 0; i < session->events->count; i++)
			if (needs_counters(&session->events->events[i])) {
				refuse(&session->states[i], UH_NOT_SUPPORTED, reason.text);
				session->states[i].taken = true;
			}
		return 0;
	}
	if (status && error)
		*error = reason;
	return status;
}

int uh_session_new(struct uh_machine *machine, const struct uh_event_list *events,
		   const struct uh_session_options *options, struct uh_session **out,
		   struct uh_error *error)
{
	int status = check_options(options, error);
	if (status)
		return status;
	struct uh_session *session = calloc(1, sizeof(*session));
	if (!session)
		return uh_fail_memory(error);
	session->machine = machine;
	session->events = events;
	memcpy(&session->options, options, options->size);
	session->command.cork = -1;
	session->states = calloc(events->count + 1, sizeof(*session->states));
	if (!session->states)
		status = uh_fail_memory(error);
	if (!status)
		status = choose_target(session, &session->options, error);
	if (!status && session->options.per_thread && on_command(session) &&
	    !choose_emulation(session))
		status = fail_options(error, "counting each thread needs -p or -t: the kernel adds "
					     "a command's threads up");
	if (!status && choose_emulation(session))
		status = emulate(session, error);
	if (!status)
		sort_out(session);
	if (!status && !on_command(session))
		status = make_places(session, error);
	if (!status && !on_command(session))
		status = open_perf(session, false, error);
	/* The texts were borrowed for this call. */
	session->options.processes = session->options.threads = session->options.cpus = NULL;
	session->options.cgroups = session->options.cache = session->options.qemu = NULL;
	if (status) {
		uh_session_free(session);
		return status;
	}
	*out = session;
	return 0;
}

void uh_session_free(struct uh_session *session)
{
	if (!session)
		return;
	uh_command_close(&session->command);
	if (session->perf)
		session->perf->calls->free(session->perf);
	if (session->emulated)
		session->emulated->calls->free(session->emulated);
	for (size_t i = 0; i < session->cgroup_count; i++)
		if (session->cgroups[i] >= 0)
			close(session->cgroups[i]);
	free(session->cgroups);
	uh_index_list_free(&session->tasks);
	uh_index_list_free(&session->cpus);
	free(session->states);
	free(session->places);
	free(session->program);
	free(session);
}

int uh_session_launch(struct uh_session *session, char *const argv[], struct uh_error *error)
{
	if (!argv[0] || session->program)
		return uh_fail(error, -EINVAL, "a session runs one program, once");
	session->program = strdup(argv[0]);
	if (!session->program)
		return uh_fail_memory(error);
	if (session->emulated) {
		int status =
		    uh_emulated_source_fork(session->emulated, argv, &session->command, error);
		if (status)
			return status;
	} else {
		int status = uh_command_fork(&session->command, argv[0], argv, NULL, NULL, error);
		if (status)
			return status;
	}
	if (!on_command(session))
		return 0;
	if (uh_index_list_append(&session->tasks, session->command.pid))
		return uh_fail_memory(error);
	int status = make_places(session, error);
	if (status)
		return status;
	/* All of the command's threads and children count as one place. */
	session->places[0] = (struct uh_place){.kind = UH_PLACE_TOTAL, .members = 1};
	return open_perf(session, true, error);
}

pid_t uh_session_process(const struct uh_session *session)
{
	return session->command.pid;
}

int uh_session_start(struct uh_session *session, struct uh_error *error)
{
	bool by_exec = session->target.enable_on_exec;
	int status = 0;
	session->started = uh_machine_clock(session->machine);
	if (!session->options.start_disabled && !by_exec)
		status = uh_session_enable(session, error);
	if (by_exec)
		status = uh_perf_source_enable_wide(session->perf, error);
	if (!status && session->command.pid)
		status = uh_command_run(&session->command, session->program, error);
	return status;
}

int uh_session_ended(struct uh_session *session, const struct rusage *usage, struct uh_error *error)
{
	session->ended = uh_machine_clock(session->machine);
	if (usage) {
		session->usage = *usage;
		session->has_usage = true;
	}
	if (session->emulated)
		return uh_emulated_source_ended(session->emulated, error);
	return 0;
}

int uh_session_enable(struct uh_session *session, struct uh_error *error)
{
	int status = session->perf ? session->perf->calls->enable(session->perf, error) : 0;
	if (!status && session->emulated)
		status = session->emulated->calls->enable(session->emulated, error);
	return status;
}

int uh_session_disable(struct uh_session *session, struct uh_error *error)
{
	int status = session->perf ? session->perf->calls->disable(session->perf, error) : 0;
	if (!status && session->emulated)
		status = session->emulated->calls->disable(session->emulated, error);
	return status;
}

int uh_session_frame(const struct uh_session *session, size_t places, struct uh_frame *frame)
{
	int status = uh_frame_init(frame, session->events->count, places);
	if (status)
		return status;
	memcpy(frame->places, session->places,
	       (places < session->place_count ? places : session->place_count) *
		   sizeof(*frame->places));
	for (size_t i = 0; i < frame->event_count * places; i++)
		frame->readings[i].status = UH_ABSENT;
	return 0;
}

/* Times measured by ourselves stand at the first place. */
static void read_tools(const struct uh_session *session, uint64_t now, struct uh_frame *frame)
{
	for (size_t i = 0; i < session->events->count; i++) {
		const struct uh_event *event = &session->events->events[i];
		struct uh_reading *cell = &frame->readings[i * frame->place_count];
		if (event->kind != UH_EVENT_TOOL)
			continue;
		const struct timeval *spent = event->tool == UH_TOOL_USER
						  ? &session->usage.ru_utime
						  : &session->usage.ru_stime;
		uint64_t wall = (session->ended ? session->ended : now) - session->started;
		*cell = (struct uh_reading){.enabled = wall, .running = wall};
		if (event->tool == UH_TOOL_DURATION)
			cell->value = wall;
		else if (session->has_usage)
			cell->value = (uint64_t)spent->tv_sec * 1000000000u +
				      (uint64_t)spent->tv_usec * 1000u;
		else
			cell->status = UH_NOT_COUNTED;
	}
}

/* An event that could not be opened has its status at the first place. */
static void mark_failures(const struct uh_session *session, struct uh_frame *frame)
{
	for (size_t event = 0; event < frame->event_count; event++) {
		if (session->states[event].status == UH_COUNTED)
			continue;
		for (size_t place = 0; place < frame->place_count; place++) {
			struct uh_reading *cell =
			    &frame->readings[event * frame->place_count + place];
			if (cell->status == UH_ABSENT)
				cell->status = session->states[event].status;
		}
	}
}

int uh_session_read(struct uh_session *session, struct uh_frame *frame, struct uh_error *error)
{
	size_t places = session->place_count;
	if (session->emulated && session->options.per_thread)
		places += uh_emulated_source_threads(session->emulated);
	if (uh_session_frame(session, places, frame))
		return uh_fail_memory(error);
	uint64_t first = uh_machine_clock(session->machine);
	int status = session->perf ? session->perf->calls->read(session->perf, frame, error) : 0;
	if (!status && session->emulated)
		status = session->emulated->calls->read(session->emulated, frame, error);
	frame->time = uh_machine_clock(session->machine);
	frame->spread = frame->time - first;
	read_tools(session, frame->time, frame);
	mark_failures(session, frame);
	if (status)
		uh_frame_free(frame);
	return status;
}

const char *uh_session_reason(const struct uh_session *session, size_t event)
{
	return session->states[event].reason;
}

enum uh_status uh_session_status(const struct uh_session *session, size_t event)
{
	return session->states[event].status;
}

bool uh_session_is_emulated(const struct uh_session *session)
{
	return session->emulated != NULL;
}
