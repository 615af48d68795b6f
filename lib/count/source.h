/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A source: where frames come from. A session owns one or more; each fills the rows
 * of the events that it took on.
 */
#ifndef UH_COUNT_SOURCE_H
#define UH_COUNT_SOURCE_H

#include "event/event.h"
#include "machine/machine.h"
#include "unhalted/frame.h"

#define UH_REASON_SIZE UH_ERROR_TEXT_SIZE

/* What became of an event when it was opened. */
struct uh_event_state {
	enum uh_status status; /* UH_COUNTED: open; otherwise why not, with a reason */
	char reason[UH_REASON_SIZE];
	bool taken;         /* another source counts it: perf_event is not asked */
	bool user_only;     /* the kernel part was not permitted and is left out: name gets ":u" */
	bool whole_machine; /* belongs to no thread: counts everything that runs meanwhile */
};

struct uh_source;

struct uh_source_calls {
	int (*enable)(struct uh_source *source, struct uh_error *error);
	int (*disable)(struct uh_source *source, struct uh_error *error);
	/* Fills the rows of the source's events in a frame of the session's shape. */
	int (*read)(struct uh_source *source, struct uh_frame *frame, struct uh_error *error);
	void (*free)(struct uh_source *source);
};

struct uh_source {
	const struct uh_source_calls *calls;
};

#endif
