/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interval model of cycles (after Eyerman, Eeckhout, Karkhanis, Smith, "A
 * Mechanistic Performance Model for Superscalar Out-of-Order Processors", 2009):
 * a core dispatches steadily, until an event stops it for a while.
 *
 *   cycles = instructions * 100 / instructions_per_100_cycles
 *          + mispredicted branches * branch_miss_penalty
 *          + load stalls + fetch stalls + store stalls
 *
 * Load stall: a load that misses the L1D costs the latency of the level that has
 * the line, less hidden_load cycles. Misses within overlap_window instructions of
 * the first one overlap: the group costs its longest.
 * Fetch stall: an L1I miss costs the latency; nothing when it
 * continues the line missed before, since fetch runs ahead in sequence.
 * Store stall: none for its latency (the store buffer takes it).
 * Streams: a miss next to the last line missed in its page (or, across the
 * border, in the neighbouring page) was foreseen by the prefetchers: it costs no
 * latency, but from memory, for loads and stores, stream_line cycles of bandwidth.
 * UH_STREAMS pages are kept in mind, by the low bits of their numbers.
 *
 * What it does not know, and errs by: dependences (a chain of pointers overlaps
 * here and does not there), execution units, division, TLB walks, sharing of
 * caches and bandwidth between threads. doc/emulation-cycles.md has the measured error.
 */
#ifndef UH_MACHINE_EMULATED_MODEL_CYCLES_H
#define UH_MACHINE_EMULATED_MODEL_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/emulated_model.h"

#define UH_STREAMS 64u

/* Who asked for a line. The first two are the store bit of an entry. */
enum uh_request {
	UH_REQUEST_LOAD,
	UH_REQUEST_STORE,
	UH_REQUEST_FETCH,
	UH_REQUESTS,
};

/* Where it was found. */
enum uh_found {
	UH_FOUND_L2,
	UH_FOUND_L3,
	UH_FOUND_MEMORY,
	UH_FOUND_PLACES,
};

struct uh_cycles {
	uint32_t load_stall[UH_FOUND_PLACES];
	uint32_t fetch_stall[UH_FOUND_PLACES];
	uint32_t stream_line;
	uint32_t overlap_window;
	uint32_t branch_miss_penalty;
	uint32_t instructions_per_100_cycles;
	uint64_t stalls;              /* cycles of all that is settled */
	uint64_t group_start;         /* instruction of the first miss of the open group of loads */
	uint32_t group_longest;       /* its cost so far; 0: no group is open */
	uint32_t next_stream;         /* the one to replace */
	uint64_t last_fetch;          /* line of the last fetch miss */
	uint64_t streams[UH_STREAMS]; /* by page: the last line missed there */
};

void uh_cycles_start(struct uh_cycles *cycles, const struct uh_model_options *options);

/*
 * One line requested from below the first level. `position` counts the
 * instructions executed until then; it never goes back.
 */
void uh_cycles_miss(struct uh_cycles *cycles, uint64_t position, uint64_t line,
		    enum uh_request request, enum uh_found found);

/* The cycles of a run so far. */
uint64_t uh_cycles_total(const struct uh_cycles *cycles, uint64_t instructions,
			 uint64_t branch_misses);

#endif
