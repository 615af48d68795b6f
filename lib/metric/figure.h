/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures: what readings mean to a reader of the page. A figure is an event's value at
 * a place, with the one derived value that perf stat prints beside it.
 */
#ifndef UH_METRIC_FIGURE_H
#define UH_METRIC_FIGURE_H

#include <stdbool.h>

#include "base/statistics.h"
#include "count/source.h"
#include "unhalted/frame.h"

/* A value computed from several readings. `unit` is "" when there is none. */
struct uh_derived {
	bool known;
	bool percent; /* `value` is a percentage; the unit says of what */
	double value;
	char scale; /* 'K', 'M', 'G' of a rate per second, or 0 */
	const char *unit;
	enum uh_status status; /* the worst of its inputs */
	enum uh_provenance provenance;
};

struct uh_figure {
	const struct uh_event *event;
	const struct uh_event_state *state;
	const struct uh_place *place;
	enum uh_status status;
	enum uh_provenance provenance;
	double value;   /* in `event->unit`, scaled for multiplexing */
	uint64_t count; /* the same of one run, before it is turned into the unit */
	uint64_t enabled, running;
	bool repeated;         /* mean of several runs: */
	double relative_error; /* standard error of the mean / mean */
	struct uh_derived derived;
};

/* What figures are made from. `samples`, or NULL, has an element a reading. */
struct uh_figures_input {
	const struct uh_event_list *events;
	const struct uh_event_state *states;
	const struct uh_frame *frame;
	const struct uh_sample *samples;
	uint64_t elapsed; /* nanoseconds that the frame covers */
};

/*
 * Makes the figures of a frame, event by event and place by place within an event; absent
 * readings are left out. Pointers in them are the input's. Returns their number; `figures` has
 * room for event_count * place_count.
 */
size_t uh_figures_make(const struct uh_figures_input *input, struct uh_figure *figures);

/* 0 to 100: the part of the wanted time that was counted; 0 for what never ran. */
double uh_figure_percent_running(const struct uh_figure *figure);

/* "<not counted>", "<not supported>", "<not permitted>", "<implausible>"; NULL for a value. */
const char *uh_figure_missing(const struct uh_figure *figure);

#endif
