/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting entry by entry: the whole of it in plain C, what is left over with vectors. */
#ifndef UH_MACHINE_EMULATED_MODEL_SORT_H
#define UH_MACHINE_EMULATED_MODEL_SORT_H

#include "machine/emulated_model_batch.h"

/*
 * Both lists are written for each entry and one is kept: which kind comes next is
 * beyond a host's prediction. `seen` and `accesses` are how long the lists are already.
 */
static inline void sort_rest(struct uh_batch *batch, const uint64_t *entries, size_t count,
			     uint32_t seen, uint32_t accesses)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t entry = entries[i];
		uint32_t is_block = (uint32_t)(entry >> 63);

		batch->lines[accesses + 1] = (entry & UH_ENTRY_LINE_MASK) >> 6;
		batch->who[accesses + 1] =
		    (uint32_t)(entry >> UH_ENTRY_STAMP_SHIFT & UH_ENTRY_STAMP_MASK)
			<< UH_WHO_STAMP_SHIFT |
		    seen << UH_WHO_BITS | ((uint32_t)entry & UH_WHO_MASK);
		batch->blocks[seen] = (uint32_t)entry;
		batch->instructions[seen] =
		    (uint32_t)(entry >> UH_ENTRY_INSTRUCTIONS_SHIFT) & UH_ENTRY_INSTRUCTIONS_MASK;
		accesses += !is_block;
		seen += is_block;
	}
	batch->block_count = seen;
	batch->access_count = accesses;
}

#endif
