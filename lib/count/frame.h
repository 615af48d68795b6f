/* SPDX-License-Identifier: BSD-3-Clause */
/* The arithmetic of readings, in one place. */
#ifndef UH_COUNT_FRAME_H
#define UH_COUNT_FRAME_H

#include <stdbool.h>

#include "machine/topology.h"
#include "unhalted/frame.h"

/* Allocates zeroed readings and places. -ENOMEM, or 0. */
int uh_frame_init(struct uh_frame *frame, size_t events, size_t places);
int uh_frame_copy(const struct uh_frame *from, struct uh_frame *to);

/*
 * `sum` += `reading`: values and times add, the better status wins when one of them
 * counted (a processor that went away does not spoil the sum of the others).
 */
void uh_reading_add(struct uh_reading *sum, const struct uh_reading *reading);

/* What happened between two readings of one counter, 64 bits wide (the kernel extends
 * narrower counters). A value that went back is UH_IMPLAUSIBLE. */
struct uh_reading uh_reading_between(const struct uh_reading *before, const struct uh_reading *now);

/* Sets status and provenance of a counter that was opened, by its times. */
void uh_reading_judge(struct uh_reading *reading);

/* now - before, place by place (same shape); `delta` is initialised here. */
int uh_frame_between(const struct uh_frame *before, const struct uh_frame *now,
		     struct uh_frame *delta);

/*
 * Adds places up by `kind`. Places of processors fold into cores, dies, sockets, nodes; all kinds
 * fold into the total. `topology` may be NULL when kind is UH_PLACE_TOTAL, UH_PLACE_CPU or
 * UH_PLACE_THREAD (which copy the frame).
 */
int uh_frame_fold(const struct uh_frame *frame, enum uh_place_kind kind,
		  const struct uh_topology *topology, struct uh_frame *folded);

#endif
