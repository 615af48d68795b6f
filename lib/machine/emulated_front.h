/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the order of a thread's blocks tells: where branches went, whether the predictors
 * would have known, and which lines were fetched. It runs inside the program's own
 * process, block by block as they are entered (emulator/): handing every block to the watcher
 * would cost more than this does, and most blocks tell its caches nothing new.
 */
#ifndef UH_MACHINE_EMULATED_FRONT_H
#define UH_MACHINE_EMULATED_FRONT_H

#include <stdbool.h>
#include <string.h>

#include "machine/emulated_layout.h"
#include "machine/emulated_predictor.h"
#include "quantities.h"

#define UH_FRONT_LINES 64u

struct uh_front {
	const struct uh_block *previous;
	uint64_t fetched; /* the line in which the previous block ended */
	uint32_t history; /* of conditional branches */
	uint64_t told;    /* the lane's stamp when the watcher last heard of a block */
	uint64_t line_mask;
	/* The line last fetched in each class of sets: fetched again, it changes nothing. */
	uint64_t last_line[UH_FRONT_LINES];
	struct uh_predictor predictor;
};

/* `sets`: how many the filter of lines may tell apart, a power of two up to UH_FRONT_LINES. */
static inline void uh_front_reset(struct uh_front *front, uint32_t sets)
{
	static const struct uh_block nothing = {.ending = UH_BLOCK_FALLS_THROUGH};

	front->previous = &nothing;
	front->fetched = UINT64_MAX;
	front->history = 0;
	front->told = 0;
	front->line_mask = sets - 1;
	memset(front->last_line, 0xff, sizeof(front->last_line));
	uh_predictor_reset(&front->predictor);
}

/* What a branch other than a direct jump or a conditional one does to the predictors. */
static inline uint32_t uh_front_target(struct uh_predictor *predictor,
				       const struct uh_block *previous, uint64_t target)
{
	switch (previous->ending) {
	case UH_BLOCK_CALL:
		uh_predict_call(predictor, previous->end);
		return 0;
	case UH_BLOCK_CALL_INDIRECT:
		uh_predict_call(predictor, previous->end);
		return uh_predict_indirect(predictor, previous->last, target);
	case UH_BLOCK_RETURN:
		return uh_predict_return(predictor, target);
	default:
		return uh_predict_indirect(predictor, previous->last, target);
	}
}

/*
 * The outcome of the branch that ended the previous block, now that `block` follows: adds
 * to branches_conditional_taken and, with `predict`, to the branch misses.
 */
static inline __attribute__((always_inline)) void uh_front_branch(struct uh_front *front,
								  const struct uh_block *block,
								  uint64_t *totals, bool predict)
{
	const struct uh_block *previous = front->previous;
	uint32_t ending = previous->ending;

	front->previous = block;
	if (ending == UH_BLOCK_CONDITIONAL) {
		uint32_t taken = previous->end != block->start;

		totals[UH_QUANTITY_BRANCHES_CONDITIONAL_TAKEN] += taken;
		if (predict)
			totals[UH_QUANTITY_BRANCH_MISSES_CONDITIONAL] += uh_predict_direction(
			    &front->predictor, previous->branch_hash, taken, &front->history);
	} else if (predict && ending >= UH_BLOCK_JUMP_INDIRECT && ending <= UH_BLOCK_RETURN) {
		totals[UH_QUANTITY_BRANCH_MISSES_INDIRECT] +=
		    uh_front_target(&front->predictor, previous, block->start);
	}
}

/*
 * Fetches a block's lines: with `count` adds to fetch_lines. True when that may change a
 * first-level instruction cache or, with `pages`, TLB.
 */
static inline __attribute__((always_inline)) bool uh_front_fetch(struct uh_front *front,
								 const struct uh_block *block,
								 uint64_t *totals, bool count,
								 bool pages)
{
	uint64_t before = front->fetched;
	uint64_t line = block->start / 64;
	uint64_t last = (block->end - 1) / 64;

	if (count)
		totals[UH_QUANTITY_FETCH_LINES] += last - line + (line != before);
	if (count || pages)
		front->fetched = last;
	bool same = front->last_line[line & front->line_mask] == line &&
		    front->last_line[last & front->line_mask] == last && last - line <= 1;
	if (pages)
		same = same && !(((before ^ line) | (before ^ last)) / 64);
	if (__builtin_expect(same, 1))
		return false;
	for (uint64_t i = line; i <= last; i++)
		front->last_line[i & front->line_mask] = i;
	return true;
}

#endif
