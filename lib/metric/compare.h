/* SPDX-License-Identifier: BSD-3-Clause */
/* Two programs side by side: what changed from A to B, and whether that is more than noise. */
#ifndef UH_METRIC_COMPARE_H
#define UH_METRIC_COMPARE_H

#include <stdbool.h>

#include "base/statistics.h"
#include "event/event.h"
#include "unhalted/frame.h"

/* One event of both programs. */
struct uh_comparison {
	const struct uh_event *event;
	enum uh_status status; /* the worse of both; no figures above UH_PARTLY_COUNTED */
	enum uh_provenance provenance;
	struct uh_sample a, b; /* in the event's unit */
	bool exact;            /* exact counts of deterministic runs: any difference is one */
	double ratio;          /* B / A; infinite when only A is 0, 1 when both are 0 */
	double low, high;      /* 95 % interval of the ratio; infinite when unknown */
	bool known_interval;
	bool significant; /* the interval leaves out 1, or exact counts differ */
};

/*
 * Computes ratio and interval from the samples: Welch's interval of the difference of the
 * relative means (first-order propagation), which is the usual one for small errors.
 */
void uh_comparison_finish(struct uh_comparison *comparison);

/* Sorts by what changed most: significant ones first, by the size of |log(B/A)|. */
void uh_comparison_sort(struct uh_comparison *comparisons, size_t count);

/* A condition such as "instructions>+1%" or "page-faults<-100". */
struct uh_condition {
	char event[128];
	bool above;    /* '>', otherwise '<' */
	bool relative; /* limit is a fraction of A, otherwise in the event's unit */
	double limit;
};

/* -EINVAL with the reason when the text is not a condition. */
int uh_condition_parse(const char *text, struct uh_condition *condition, struct uh_error *error);

/* True when the change of this event is significant and beyond the limit. */
bool uh_condition_holds(const struct uh_condition *condition,
			const struct uh_comparison *comparison);

#endif
