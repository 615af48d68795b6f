/* SPDX-License-Identifier: BSD-3-Clause */
/* From frames to the page. */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "cli/stat.h"
#include "count/emulated_source.h"
#include "count/frame.h"
#include "count/session.h"
#include "render/json.h"

static int reserve_figures(struct stat_run *run, size_t wanted, struct uh_error *error)
{
	if (wanted <= run->figure_capacity)
		return 0;
	struct uh_figure *figures = realloc(run->figures, wanted * sizeof(*figures));
	if (!figures)
		return uh_fail_memory(error);
	run->figures = figures;
	run->figure_capacity = wanted;
	return 0;
}

static int make_figures(struct stat_run *run, const struct uh_frame *frame, uint64_t elapsed,
			const struct uh_sample *samples, size_t *count, struct uh_error *error)
{
	int status = reserve_figures(run, frame->event_count * frame->place_count + 1, error);
	if (status)
		return status;
	const struct uh_figures_input input = {
	    .events = run->events,
	    .states = run->session->states,
	    .frame = frame,
	    .samples = samples,
	    .elapsed = elapsed,
	};
	*count = uh_figures_make(&input, run->figures);
	return 0;
}

static void append_schema(const struct stat_run *run, struct uh_text *page)
{
	struct utsname name = {0};
	(void)uname(&name);
	uh_text_string(page, "{\"schema\" : 1, \"unhalted\" : ");
	uh_json_string(page, uh_version());
	uh_text_string(page, ", \"kernel\" : ");
	uh_json_string(page, name.release);
	uh_text_format(page, ", \"emulated\" : %s, \"command\" : [",
		       uh_session_is_emulated(run->session) ? "true" : "false");
	for (char **word = run->config->command; word && *word; word++) {
		uh_text_string(page, word == run->config->command ? "" : ", ");
		uh_json_string(page, *word);
	}
	uh_text_string(page, "]}\n");
}

static void append_header(struct stat_run *run, size_t count)
{
	const struct stat_config *config = run->config;
	if (run->header_printed)
		return;
	run->header_printed = true;
	if (config->json)
		append_schema(run, &run->page);
	if (config->wide)
		uh_stat_wide_header(&run->style, run->figures, count, config->json, &run->page);
	else if (config->csv)
		uh_stat_csv_header(&run->style, &run->page);
	else if (!config->json && config->interval)
		uh_text_string(&run->page, "#           time             counts unit events\n");
}

static void append_figures(struct stat_run *run, size_t count)
{
	const struct stat_config *config = run->config;
	if (config->wide)
		uh_stat_wide(&run->style, run->figures, count, config->json, &run->page);
	else if (config->csv)
		uh_stat_csv(&run->style, run->figures, count, &run->page);
	else if (config->json)
		uh_stat_json(&run->style, run->figures, count, &run->page);
	else
		uh_stat_text(&run->style, run->figures, count, &run->page);
}

static int fold(struct stat_run *run, const struct uh_frame *frame, struct uh_frame *folded,
		struct uh_error *error)
{
	if (uh_frame_fold(frame, run->config->places, &run->topology, folded))
		return uh_fail_memory(error);
	return 0;
}

int stat_print_interval(struct stat_run *run, const struct uh_frame *frame, struct uh_error *error)
{
	struct uh_frame delta = {0};
	struct uh_frame folded = {0};
	size_t count = 0;
	uint64_t before = run->last.event_count ? run->last.time : run->start;
	int status = run->last.event_count ? uh_frame_between(&run->last, frame, &delta)
					   : uh_frame_copy(frame, &delta);
	if (status)
		status = uh_fail_memory(error);
	if (!status)
		status = fold(run, &delta, &folded, error);
	if (!status)
		status = make_figures(run, &folded, frame->time - before, NULL, &count, error);
	if (!status) {
		run->style.time = (double)(frame->time - run->start) * 1e-9;
		append_header(run, count);
		append_figures(run, count);
		status = output_write(&run->output, &run->page, error);
	}
	uh_frame_free(&delta);
	uh_frame_free(&folded);
	uh_frame_free(&run->last);
	run->last = *frame;
	run->intervals++;
	return status;
}

int stat_collect(struct stat_run *run, const struct uh_frame *frame, struct uh_error *error)
{
	struct uh_frame folded;
	int status = fold(run, frame, &folded, error);
	if (status)
		return status;
	size_t cells = folded.event_count * folded.place_count;
	size_t before = run->shape.event_count * run->shape.place_count;
	if (!run->samples)
		run->samples = calloc(cells + 1, sizeof(*run->samples));
	else if (cells != before) /* threads differ from run to run: only the last is shown */
		memset(run->samples, 0, before * sizeof(*run->samples));
	if (!run->samples) {
		uh_frame_free(&folded);
		return uh_fail_memory(error);
	}
	for (size_t i = 0; i < cells && (cells == before || !before); i++)
		if (folded.readings[i].status <= UH_PARTLY_COUNTED)
			uh_sample_add(&run->samples[i],
				      (double)uh_reading_scaled(&folded.readings[i]));
	uh_frame_free(&run->shape);
	run->shape = folded;
	run->runs++;
	return 0;
}

/* ---- the text around the figures ---- */

static void append_target(const struct stat_run *run, struct uh_text *page)
{
	const struct uh_session_options *session = &run->config->session;
	if (session->processes || session->threads) {
		uh_text_format(page, "%s '", session->processes ? "process id" : "thread id");
		uh_text_safe(page, session->processes ? session->processes : session->threads);
	} else if (session->cpus) {
		uh_text_string(page, "'CPU(s) ");
		uh_text_safe(page, session->cpus);
	} else if (session->all_cpus) {
		uh_text_string(page, "'system wide");
	} else {
		uh_text_char(page, '\'');
		for (char **word = run->config->command; *word; word++) {
			uh_text_string(page, word == run->config->command ? "" : " ");
			uh_text_safe(page, *word);
		}
	}
	uh_text_char(page, '\'');
}

static bool same_failure(const struct uh_event_state *a, const struct uh_event_state *b)
{
	return a->status == b->status && !strcmp(a->reason, b->reason);
}

/* "cycles, instructions: not supported: the reason", one line for each different reason. */
static void append_reasons(const struct stat_run *run, struct uh_text *page)
{
	const struct uh_event_state *states = run->session->states;
	for (size_t i = 0; i < run->events->count; i++) {
		bool told = states[i].status == UH_COUNTED;
		for (size_t j = 0; j < i && !told; j++)
			told = same_failure(&states[i], &states[j]);
		if (told)
			continue;
		uh_text_string(page, " ");
		for (size_t j = i; j < run->events->count; j++) {
			if (!same_failure(&states[i], &states[j]))
				continue;
			uh_text_string(page, j == i ? " " : ", ");
			uh_text_safe(page, run->events->events[j].name);
		}
		uh_text_format(page, ": %s: ", uh_status_name(states[i].status));
		uh_text_safe(page, states[i].reason);
		uh_text_char(page, '\n');
	}
}

const char *stat_never_ran(const struct stat_run *run, size_t event)
{
	if (run->session->states[event].status != UH_COUNTED || !run->shape.place_count)
		return NULL;
	for (size_t place = 0; place < run->shape.place_count; place++)
		if (uh_frame_reading(&run->shape, event, place)->status != UH_NOT_COUNTED)
			return NULL;
	return "its counter never ran: it was not switched on in time, nothing of what it counts "
	       "ran meanwhile, or other events kept the counters";
}

static void append_never_ran(const struct stat_run *run, struct uh_text *page)
{
	const char *reason = NULL;
	for (size_t i = 0; i < run->events->count && !reason; i++)
		reason = stat_never_ran(run, i);
	if (reason)
		uh_text_format(page, "  <not counted>: %s\n", reason);
}

static void append_notes(const struct stat_run *run, struct uh_text *page)
{
	bool user_only = false;
	bool whole = false;
	bool scaled = false;
	for (size_t i = 0; i < run->events->count; i++) {
		user_only = user_only || run->session->states[i].user_only;
		whole = whole || run->session->states[i].whole_machine;
	}
	for (size_t i = 0; i < run->shape.event_count * run->shape.place_count; i++)
		scaled = scaled || run->shape.readings[i].status == UH_PARTLY_COUNTED;
	if (user_only)
		uh_text_string(page,
			       "  :u: user mode only, all that perf_event_paranoid allows here\n");
	if (whole)
		uh_text_string(page,
			       "  events of a socket count everything that ran meanwhile, not "
			       "this program alone\n");
	if (scaled)
		uh_text_string(page, "  (n%): counted for that part of the time and scaled up; no "
				     "interval: totals only\n");
	if (run->session->emulated)
		for (size_t i = 0; uh_emulated_source_note(run->session->emulated, i); i++) {
			uh_text_string(page, "  ");
			uh_text_safe(page, uh_emulated_source_note(run->session->emulated, i));
			uh_text_char(page, '\n');
		}
}

static void append_times(const struct stat_run *run, struct uh_text *page)
{
	if (run->runs > 1) {
		double error = uh_sample_error(&run->elapsed);
		uh_text_format(page, "\n %16.5f +- %.5f seconds time elapsed  ( +- %5.2f%% )\n",
			       run->elapsed.mean, error,
			       run->elapsed.mean > 0 ? 100 * error / run->elapsed.mean : 0);
		return;
	}
	uh_text_format(page, "\n %17.9f seconds time elapsed\n", run->elapsed.mean);
	if (run->user.count)
		uh_text_format(page, "\n %17.9f seconds user\n %17.9f seconds sys\n",
			       run->user.mean, run->system.mean);
}

static void append_verbose(const struct stat_run *run, struct uh_text *page)
{
	for (size_t i = 0; i < run->events->count; i++) {
		const struct uh_event *event = &run->events->events[i];
		uh_text_string(page, "  ");
		uh_text_safe(page, event->name);
		uh_text_format(page, ": type %u config %#llx", event->attr.type,
			       (unsigned long long)event->attr.config);
		for (size_t j = 0; j < run->shape.place_count; j++) {
			const struct uh_reading *reading = uh_frame_reading(&run->shape, i, j);
			uh_text_format(page, ": %llu %llu %llu", (unsigned long long)reading->value,
				       (unsigned long long)reading->enabled,
				       (unsigned long long)reading->running);
		}
		uh_text_char(page, '\n');
	}
	uh_text_format(page, "  spread of the last reading: %.3f us\n",
		       (double)run->shape.spread * 1e-3);
}

int stat_print_preamble(struct stat_run *run, struct uh_error *error)
{
	if (!run->session->emulated || run->runs || run->no_preamble || run->config->csv ||
	    run->config->json)
		return 0;
	const char *text = uh_emulated_source_preamble(run->session->emulated);
	if (run->output.path || run->config->output.descriptor >= 0) {
		fprintf(stderr, "unhalted: %s\n", text);
		return 0;
	}
	uh_text_format(&run->page, "unhalted: %s\n", text);
	return output_write(&run->output, &run->page, error);
}

int stat_print_final(struct stat_run *run, struct uh_error *error)
{
	const struct stat_config *config = run->config;
	size_t count = 0;
	bool text = !config->csv && !config->json;
	int status = make_figures(run, &run->shape, (uint64_t)(run->elapsed.mean * 1e9),
				  run->runs > 1 ? run->samples : NULL, &count, error);
	if (status)
		return status;
	if (text) {
		uh_text_string(&run->page, "\n Performance counter stats for ");
		append_target(run, &run->page);
		if (run->runs > 1)
			uh_text_format(&run->page, " (%u runs)", run->runs);
		uh_text_string(&run->page, ":\n\n");
	}
	append_header(run, count);
	append_figures(run, count);
	if (text) {
		struct uh_text notes = {0};
		append_reasons(run, &notes);
		append_never_ran(run, &notes);
		append_notes(run, &notes);
		if (notes.length)
			uh_text_format(&run->page, "\n%s", notes.data);
		uh_text_free(&notes);
		if (config->verbose)
			append_verbose(run, &run->page);
		append_times(run, &run->page);
		uh_text_char(&run->page, '\n');
	}
	return output_write(&run->output, &run->page, error);
}
