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

/* Finds the divisor's reading at the same place: `name`, or any clock when name is NULL. */
static const struct uh_reading *find(const struct uh_figures_input *input, const char *name,
				     const struct uh_event *beside, size_t place)
{
	for (size_t i = 0; i < input->events->count; i++) {
		const struct uh_event *event = &input->events->events[i];
		if (!event->plain || event->cgroup != beside->cgroup)
			continue;
		bool match = name ? !strcmp(event->plain, name) && same_privilege(event, beside)
				  : is_clock(event->plain);
		const struct uh_reading *reading = uh_frame_reading(input->frame, i, place);
		if (match && usable(reading))
			return reading;
	}
	return NULL;
}

static void inherit(struct uh_derived *derived, const struct uh_reading *a,
		    const struct uh_reading *b)
{
	derived->status = a->status > b->status ? a->status : b->status;
	derived->provenance = a->provenance > b->provenance ? a->provenance : b->provenance;
}

static void derive_ratio(const struct uh_figures_input *input, const struct row *row, size_t place,
			 const struct uh_reading *reading, struct uh_figure *figure)
{
	const struct uh_reading *divisor = find(input, row->divisor, figure->event, place);
	if (!divisor || !same_run(divisor->provenance, reading->provenance))
		return;
	uint64_t below = uh_reading_scaled(divisor);
	if (!below)
		return;
	double quotient = (double)uh_reading_scaled(reading) / (double)below;
	figure->derived.known = true;
	figure->derived.value = row->kind == PERCENT ? 100 * quotient : quotient;
	figure->derived.unit = row->unit;
	inherit(&figure->derived, reading, divisor);
}

/* Rates refer to processor time, as perf's do. */
static void derive_rate(const struct uh_figures_input *input, const struct row *row, size_t place,
			const struct uh_reading *reading, struct uh_figure *figure)
{
	const struct uh_reading *clock = find(input, NULL, figure->event, place);
	if (!clock || !same_run(clock->provenance, reading->provenance))
		return;
	uint64_t nanoseconds = uh_reading_scaled(clock);
	if (!nanoseconds)
		return;
	double per_nanosecond = (double)uh_reading_scaled(reading) / (double)nanoseconds;
	struct uh_derived *derived = &figure->derived;
	derived->known = true;
	inherit(derived, reading, clock);
	if (row) {
		derived->value = per_nanosecond;
		derived->unit = row->unit;
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

static void derive_utilisation(const struct uh_figures_input *input, const struct row *row,
			       const struct uh_reading *reading, struct uh_figure *figure)
{
	if (!input->elapsed)
		return;
	figure->derived.known = true;
	figure->derived.value = (double)uh_reading_scaled(reading) / (double)input->elapsed;
	figure->derived.unit = row->unit;
	figure->derived.status = reading->status;
	figure->derived.provenance = reading->provenance;
}

static void derive(const struct uh_figures_input *input, size_t place,
		   const struct uh_reading *reading, struct uh_figure *figure)
{
	const char *name = figure->event->plain;
	figure->derived.unit = "";
	if (!usable(reading) || !name || figure->event->kind == UH_EVENT_TOOL ||
	    figure->event->kind == UH_EVENT_PMU)
		return;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].event, name) != 0)
			continue;
		if (rows[i].kind == UTILISATION)
			derive_utilisation(input, &rows[i], reading, figure);
		else if (rows[i].kind == GIGAHERTZ)
			derive_rate(input, &rows[i], place, reading, figure);
		else
			derive_ratio(input, &rows[i], place, reading, figure);
		if (figure->derived.known)
			return;
	}
	derive_rate(input, NULL, place, reading, figure);
}

static void make(const struct uh_figures_input *input, size_t event, size_t place,
		 const struct uh_reading *reading, struct uh_figure *figure)
{
	*figure = (struct uh_figure){
	    .event = &input->events->events[event],
	    .state = &input->states[event],
	    .place = &input->frame->places[place],
	    .status = reading->status,
	    .provenance = reading->provenance,
	    .value = (double)uh_reading_scaled(reading) * input->events->events[event].scale,
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
	derive(input, place, reading, figure);
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
