/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/emulated_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "count/explain.h"
#include "count/session.h"
#include "machine/emulated.h"

struct emulated_source {
	struct uh_source base;
	struct uh_session *session;
	struct uh_emulated *emulated;
	struct uh_emulated_command command;
	bool has_command;
	uint64_t exact;                   /* set of quantities that are counted, not modelled */
	struct uh_emulated_reading final; /* after the end */
	bool ended;
	/* Counting can be switched off: what was counted meanwhile is subtracted. */
	bool enabled;
	struct uh_emulated_reading paused;   /* everything, at the moment of switching off */
	struct uh_emulated_reading excluded; /* counted while switched off */
	uint64_t enabled_since, enabled_time;
	char preamble[512];
};

static const bool quantity_is_exact[] = {
#define EXACT true
#define MODELLED false
#define X(upper, name, class, cost, text) class,
    UH_QUANTITY_ROWS
#undef X
#undef EXACT
#undef MODELLED
};

static uint64_t exact_set(void)
{
	uint64_t set = 0;
	for (size_t i = 0; i < UH_QUANTITY_COUNT; i++)
		set |= (uint64_t)quantity_is_exact[i] << i;
	return set;
}

static bool takes(const struct uh_event *event)
{
	return event->kind == UH_EVENT_CORE || event->kind == UH_EVENT_EMULATED_ONLY;
}

/* Whether the event is one of this source and counted. */
static bool counts(const struct emulated_source *source, size_t index)
{
	const struct uh_event *event = &source->session->events->events[index];
	return takes(event) && event->quantities && !event->attr.exclude_user;
}

static void refuse(struct uh_event_state *state, const char *text)
{
	state->status = UH_NOT_SUPPORTED;
	(void)snprintf(state->reason, sizeof(state->reason), "%s", text);
}

static void choose(struct emulated_source *source, struct uh_emulated_options *options)
{
	struct uh_session *session = source->session;
	for (size_t i = 0; i < session->events->count; i++) {
		const struct uh_event *event = &session->events->events[i];
		if (!takes(event))
			continue;
		session->states[i].taken = true;
		if (event->attr.exclude_user)
			refuse(&session->states[i],
			       "an emulated run has user mode only: there is no kernel to count");
		else if (!event->quantities)
			refuse(
			    &session->states[i],
			    "the emulated machine has no such event; unhalted-stat(1) lists those "
			    "it has");
		for (size_t j = 0; j < UH_QUANTITY_COUNT && counts(source, i); j++)
			if (event->quantities >> j & 1)
				options->quantities[j] = true;
	}
}

static void write_preamble(struct emulated_source *source)
{
	char lacks[160];
	if (!uh_machine_lacks_pmu(source->session->machine, lacks, sizeof(lacks)))
		(void)snprintf(lacks, sizeof(lacks), "as asked");
	(void)snprintf(source->preamble, sizeof(source->preamble),
		       "%s: the program runs on an emulated machine (QEMU), user mode only; "
		       "'emulated' counts are exact, 'modelled' ones estimates, times are the "
		       "emulator's",
		       lacks);
}

static void emulated_free(struct uh_source *base)
{
	struct emulated_source *source = (struct emulated_source *)base;
	if (source->has_command)
		uh_emulated_command_free(&source->command);
	uh_emulated_reading_free(&source->final);
	uh_emulated_reading_free(&source->paused);
	uh_emulated_reading_free(&source->excluded);
	uh_emulated_free(source->emulated);
	free(source);
}

/* ---- switching on and off ---- */

static struct uh_emulated_thread *thread_of(const struct uh_emulated_reading *reading,
					    const struct uh_emulated_thread *wanted)
{
	for (size_t i = 0; i < reading->thread_count; i++)
		if (reading->threads[i].pid == wanted->pid &&
		    reading->threads[i].tid == wanted->tid)
			return &reading->threads[i];
	return NULL;
}

static int add_thread(struct uh_emulated_reading *reading, const struct uh_emulated_thread *thread)
{
	struct uh_emulated_thread *threads =
	    realloc(reading->threads, (reading->thread_count + 1) * sizeof(*threads));
	if (!threads)
		return -ENOMEM;
	reading->threads = threads;
	threads[reading->thread_count] = *thread;
	memset(threads[reading->thread_count].totals, 0, sizeof(thread->totals));
	reading->thread_count++;
	return 0;
}

/* sum += now - before, thread by thread */
static int add_difference(struct uh_emulated_reading *sum, const struct uh_emulated_reading *now,
			  const struct uh_emulated_reading *before)
{
	for (size_t q = 0; q < UH_QUANTITY_COUNT; q++)
		sum->totals[q] += now->totals[q] - before->totals[q];
	for (size_t i = 0; i < now->thread_count; i++) {
		const struct uh_emulated_thread *thread = &now->threads[i];
		const struct uh_emulated_thread *past = thread_of(before, thread);
		if (!thread_of(sum, thread) && add_thread(sum, thread))
			return -ENOMEM;
		struct uh_emulated_thread *total = thread_of(sum, thread);
		for (size_t q = 0; q < UH_QUANTITY_COUNT; q++)
			total->totals[q] += thread->totals[q] - (past ? past->totals[q] : 0);
	}
	return 0;
}

static int emulated_enable(struct uh_source *base, struct uh_error *error)
{
	struct emulated_source *source = (struct emulated_source *)base;
	if (source->enabled || source->ended)
		return 0;
	struct uh_emulated_reading now;
	int status = uh_emulated_read(source->emulated, &now, error);
	if (status)
		return status;
	status = add_difference(&source->excluded, &now, &source->paused);
	uh_emulated_reading_free(&now);
	source->enabled = true;
	source->enabled_since = uh_machine_clock(source->session->machine);
	return status ? uh_fail_memory(error) : 0;
}

static int emulated_disable(struct uh_source *base, struct uh_error *error)
{
	struct emulated_source *source = (struct emulated_source *)base;
	if (!source->enabled || source->ended)
		return 0;
	uh_emulated_reading_free(&source->paused);
	source->enabled = false;
	source->enabled_time += uh_machine_clock(source->session->machine) - source->enabled_since;
	return uh_emulated_read(source->emulated, &source->paused, error);
}

/* ---- reading ---- */

static uint64_t sum_of(const struct uh_event *event, const uint64_t *totals,
		       const uint64_t *excluded)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < UH_QUANTITY_COUNT; i++)
		if (event->quantities >> i & 1)
			sum += totals[i] - (excluded ? excluded[i] : 0);
	return sum;
}

static uint64_t time_enabled(const struct emulated_source *source)
{
	uint64_t now = source->session->ended ? source->session->ended
					      : uh_machine_clock(source->session->machine);
	uint64_t running = source->enabled ? now - source->enabled_since : 0;
	return source->enabled_time + running;
}

static void fill(const struct emulated_source *source, const uint64_t *totals,
		 const uint64_t *excluded, size_t place, struct uh_frame *frame)
{
	uint64_t time = time_enabled(source);
	for (size_t i = 0; i < frame->event_count; i++) {
		const struct uh_event *event = &source->session->events->events[i];
		if (!counts(source, i))
			continue;
		bool exact = !(event->quantities & ~source->exact);
		frame->readings[i * frame->place_count + place] = (struct uh_reading){
		    .value = sum_of(event, totals, excluded),
		    .enabled = time,
		    .running = time,
		    .status = time ? UH_COUNTED : UH_NOT_COUNTED,
		    .provenance = exact ? UH_EMULATED : UH_MODELLED,
		};
	}
}

static void fill_threads(const struct emulated_source *source,
			 const struct uh_emulated_reading *reading, struct uh_frame *frame)
{
	for (size_t i = 0; i < reading->thread_count && i + 1 < frame->place_count; i++) {
		const struct uh_emulated_thread *thread = &reading->threads[i];
		const struct uh_emulated_thread *excluded = thread_of(&source->excluded, thread);
		struct uh_place *place = &frame->places[i + 1];
		place->kind = UH_PLACE_THREAD;
		place->members = 1;
		place->thread = (pid_t)thread->tid;
		(void)snprintf(place->name, sizeof(place->name), "%.*s", (int)sizeof(thread->comm),
			       thread->comm);
		fill(source, thread->totals, excluded ? excluded->totals : NULL, i + 1, frame);
	}
}

static int emulated_read(struct uh_source *base, struct uh_frame *frame, struct uh_error *error)
{
	struct emulated_source *source = (struct emulated_source *)base;
	const struct uh_emulated_reading *reading = &source->final;
	struct uh_emulated_reading now = {0};
	if (!source->ended && source->enabled) {
		int status = uh_emulated_read(source->emulated, &now, error);
		if (status)
			return status;
		reading = &now;
	} else if (!source->ended) {
		reading = &source->paused;
	}
	if (source->session->options.per_thread)
		fill_threads(source, reading, frame);
	else
		fill(source, reading->totals, source->excluded.totals, 0, frame);
	uh_emulated_reading_free(&now);
	return 0;
}

size_t uh_emulated_source_threads(struct uh_source *base)
{
	struct emulated_source *source = (struct emulated_source *)base;
	if (source->ended)
		return source->final.thread_count;
	struct uh_emulated_reading now;
	if (uh_emulated_read(source->emulated, &now, NULL))
		return 0;
	size_t count = now.thread_count;
	uh_emulated_reading_free(&now);
	return count;
}

static const struct uh_source_calls emulated_calls = {
    .enable = emulated_enable,
    .disable = emulated_disable,
    .read = emulated_read,
    .free = emulated_free,
};

/* ---- the run ---- */

static int model_options(const struct uh_session *session, struct uh_model_options *model,
			 struct uh_error *error)
{
	if (!session->options.cache)
		return 0;
	return uh_model_options_parse(model, session->options.cache, error);
}

int uh_emulated_source_new(struct uh_session *session, struct uh_source **out,
			   struct uh_error *error)
{
	struct emulated_source *source = calloc(1, sizeof(*source));
	if (!source)
		return uh_fail_memory(error);
	source->base.calls = &emulated_calls;
	source->session = session;
	source->exact = exact_set();
	source->enabled = !session->options.start_disabled;
	struct uh_emulated_options options;
	uh_emulated_options_default(&options);
	options.qemu_path = session->options.qemu;
	options.inherit = !session->options.no_inherit;
	choose(source, &options);
	int status = model_options(session, &options.model, error);
	if (!status)
		status = uh_emulated_new(&options, &source->emulated, error);
	if (status) {
		emulated_free(&source->base);
		return status;
	}
	write_preamble(source);
	*out = &source->base;
	return 0;
}

static void in_child(void *context)
{
	const struct uh_emulated_command *command = context;
	uh_emulated_in_child();
	environ = command->environment;
}

int uh_emulated_source_fork(struct uh_source *base, char *const argv[], struct uh_command *command,
			    struct uh_error *error)
{
	struct emulated_source *source = (struct emulated_source *)base;
	int status = uh_emulated_command(source->emulated, argv, NULL, &source->command, error);
	if (status)
		return status;
	source->has_command = true;
	source->enabled_since = uh_machine_clock(source->session->machine);
	return uh_command_fork(command, source->command.path, source->command.arguments, in_child,
			       &source->command, error);
}

int uh_emulated_source_ended(struct uh_source *base, struct uh_error *error)
{
	struct emulated_source *source = (struct emulated_source *)base;
	struct uh_emulated_reading final;
	int status = uh_emulated_finish(source->emulated, &final, error);
	if (status)
		return status;
	source->ended = true;
	/* Switched off at the end: what came after that moment is left out. */
	if (source->enabled) {
		source->final = final;
		return 0;
	}
	uh_emulated_reading_free(&final);
	source->final = source->paused;
	source->paused = (struct uh_emulated_reading){0};
	return 0;
}

const char *uh_emulated_source_preamble(struct uh_source *base)
{
	return ((struct emulated_source *)base)->preamble;
}

const char *uh_emulated_source_note(struct uh_source *base, size_t index)
{
	return uh_emulated_note(((struct emulated_source *)base)->emulated, index);
}
