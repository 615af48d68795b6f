/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Periodic reading of whole processors: one thread pinned to each reads the counters of its
 * own processor. Reading another processor's group costs an interrupt there (15 us
 * against 0.3 us), and absolute deadlines keep the rate where it was asked for.
 */
#ifndef UH_COUNT_PINNED_H
#define UH_COUNT_PINNED_H

#include "unhalted/count.h"

struct uh_pinned;

/* Called with each complete frame, by whichever thread completed it, one at a time and in
 * order. A negative return ends the reading; uh_pinned_stop() gives it back. */
typedef int (*uh_pinned_frame)(void *context, const struct uh_frame *frame);

/* Begins reading every `period` nanoseconds, first one period after `start` (the machine's
 * clock). The session must count processors and outlive the reader. */
int uh_pinned_start(struct uh_session *session, uint64_t start, uint64_t period,
		    uh_pinned_frame callback, void *context, struct uh_pinned **pinned,
		    struct uh_error *error);

/* Becomes readable when the reading ended by itself: by the callback or an error. */
int uh_pinned_descriptor(const struct uh_pinned *pinned);

/* Stops the threads and frees everything. Returns the callback's or a reader's error. */
int uh_pinned_stop(struct uh_pinned *pinned, struct uh_error *error);

#endif
