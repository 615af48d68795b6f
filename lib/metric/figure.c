/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/figure.h"

#include <math.h>
#include <string.h>

#include "event/event.h"
#include "metrics-basic.h"

enum kind { UTILISATION, GIGAHERTZ, RATIO, PERCENT };

static const struct row {
	const char *event;
	enum kind kind;
	const char *divisor;
	const char *unit;
} rows[] = {
#define X(event, kind, divisor, unit) {event, kind, divisor, unit},
    UH_METRICS_BASIC_ROWS
#undef X
};

static bool usable(const struct uh_reading *reading)
{
	return reading->status <= UH_PARTLY_COUNTED;
}

static bool is_clock(const char *name)
{
	return name && (!strcmp(name, "task-clock") || !strcmp(name, "cpu-clock"));
}

/* A value is comparable with another of the same run only: an emulated run's counts
 * say nothing about the emulator's own time. */
static bool same_run(enum uh_provenance a, enum uh_provenance b)
{
	return (a >= UH_EMULATED) == (b >= UH_EMULATED);
}

static bool same_privilege(const struct uh_event *a, const struct uh_event *b)
{
	return a->attr.exclude_user == b->attr.exclude_user &&
	       a->attr.exclude_kernel == b->attr.exclude_kernel;
}

/* The count of an event at a place: of repeated runs the mean. */
static double amount(const struct uh_figures_input *input, size_t event, size_t place)
{
	if (input->samples) {
		const struct uh_sample *sample =
		    &input->samples[event * input->frame->place_count + place];
		if (sample->count)
			return sample->mean;
	}
	return (double)uh_reading_scaled(uh_frame_reading(input->frame, event, place));
}

/* What a figure is being derived from. */
struct subject {
	const struct uh_figures_input *input;
	const struct row *row; /* NULL: a rate */
	size_t event, place;
	const struct uh_reading *reading;
};

/*
 * Finds the event to divide by, of the same run and at the same place: `name`, or any clock when
 * name is NULL. Fills in status and provenance, and returns its count; 0 when there is none.
 */
static double divisor(const struct subject *subject, const char *name, struct uh_derived *derived)
{
	const struct uh_figures_input *input = subject->input;
	const struct uh_event *beside = &input->events->events[subject->event];
	for (size_t i = 0; i < input->events->count; i++) {
		const struct uh_event *event = &input->events->events[i];
		if (!event->plain || event->cgroup != beside->cgroup)
			continue;
		bool match = name ? !strcmp(event->plain, name) && same_privilege(event, beside)
				  : is_clock(event->plain);
		const struct uh_reading *reading =
		    uh_frame_reading(input->frame, i, subject->place);
		if (!match || !usable(reading))
			continue;
		if (!same_run(reading->provenance, subject->reading->provenance))
			return 0;
		if (reading->status > derived->status)
			derived->status = reading->status;
		if (reading->provenance > derived->provenance)
			derived->provenance = reading->provenance;
		return amount(input, i, subject->place);
	}
	return 0;
}

static void derive_ratio(const struct subject *subject, struct uh_derived *derived)
{
	double below = divisor(subject, subject->row->divisor, derived);
	if (below <= 0)
		return;
	double quotient = amount(subject->input, subject->event, subject->place) / below;
	derived->known = true;
	derived->percent = subject->row->kind == PERCENT;
	derived->value = derived->percent ? 100 * quotient : quotient;
	derived->unit = subject->row->unit;
}

/* Rates refer to processor time, as perf's do. */
static void derive_rate(const struct subject *subject, struct uh_derived *derived)
{
	double nanoseconds = divisor(subject, NULL, derived);
	if (nanoseconds <= 0)
		return;
	double per_nanosecond =
	    amount(subject->input, subject->event, subject->place) / nanoseconds;
	derived->known = true;
	if (subject->row) {
		derived->value = per_nanosecond;
		derived->unit = subject->row->unit;
		return;
	}
	derived->value = per_nanosecond * 1e9;
	derived->unit = "/sec";
	static const char letters[] = {0, 'K', 'M', 'G'};
	size_t step = 0;
	while (derived->value >= 1000 && step + 1 < sizeof(letters)) {
		derived->value /= 1000;
		step++;
	}
	derived->scale = letters[step];
}

static void derive_utilisation(const struct subject *subject, struct uh_derived *derived)
{
	if (!subject->input->elapsed)
		return;
	derived->known = true;
	derived->value = amount(subject->input, subject->event, subject->place) /
			 (double)subject->input->elapsed;
	derived->unit = subject->row->unit;
}

static void derive_by_row(const struct subject *subject, struct uh_derived *derived)
{
	if (subject->row->kind == UTILISATION)
		derive_utilisation(subject, derived);
	else if (subject->row->kind == GIGAHERTZ)
		derive_rate(subject, derived);
	else
		derive_ratio(subject, derived);
}

static void derive(struct subject *subject, struct uh_figure *figure)
{
	const char *name = figure->event->plain;
	const struct uh_derived none = {.unit = "",
					.status = subject->reading->status,
					.provenance = subject->reading->provenance};
	figure->derived = none;
	if (!usable(subject->reading) || !name || figure->event->kind == UH_EVENT_TOOL ||
	    figure->event->kind == UH_EVENT_PMU)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].event, name) != 0)
			continue;
		subject->row = &rows[i];
		derive_by_row(subject, &figure->derived);
		if (figure->derived.known)
			return;
		figure->derived = none;
	}
	subject->row = NULL;
	derive_rate(subject, &figure->derived);
}

static void make(const struct uh_figures_input *input, size_t event, size_t place,
		 const struct uh_reading *reading, struct uh_figure *figure)
{
	uint64_t count = uh_reading_scaled(reading);
	*figure = (struct uh_figure){
	    .event = &input->events->events[event],
	    .state = &input->states[event],
	    .place = &input->frame->places[place],
	    .status = reading->status,
	    .provenance = reading->provenance,
	    .value = (double)count * input->events->events[event].scale,
	    .count = count,
	    .enabled = reading->enabled,
	    .running = reading->running,
	};
	if (input->samples) {
		const struct uh_sample *sample =
		    &input->samples[event * input->frame->place_count + place];
		figure->repeated = sample->count > 0;
		figure->value =
		    figure->repeated ? sample->mean * figure->event->scale : figure->value;
		figure->relative_error =
		    sample->mean != 0 ? uh_sample_error(sample) / fabs(sample->mean) : 0;
	}
	struct subject subject = {input, NULL, event, place, reading};
	derive(&subject, figure);
}

size_t uh_figures_make(const struct uh_figures_input *input, struct uh_figure *figures)
{
	size_t count = 0;
	for (size_t event = 0; event < input->frame->event_count; event++) {
		for (size_t place = 0; place < input->frame->place_count; place++) {
			const struct uh_reading *reading =
			    uh_frame_reading(input->frame, event, place);
			if (reading->status != UH_ABSENT)
				make(input, event, place, reading, &figures[count++]);
		}
	}
	return count;
}

double uh_figure_percent_running(const struct uh_figure *figure)
{
	if (!figure->running || figure->status > UH_PARTLY_COUNTED)
		return 0;
	return 100.0 * (double)figure->running / (double)figure->enabled;
}

const char *uh_figure_missing(const struct uh_figure *figure)
{
	static const char *const texts[] = {
	    NULL,      NULL, "<not counted>", "<not supported>", "<not permitted>", "<implausible>",
	    "<absent>"};
	return texts[figure->status];
}
