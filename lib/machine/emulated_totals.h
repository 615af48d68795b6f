/* SPDX-License-Identifier: BSD-3-Clause */
/* From runs of blocks to quantities: the one place that says which block adds what. */
#ifndef UH_MACHINE_EMULATED_TOTALS_H
#define UH_MACHINE_EMULATED_TOTALS_H

#include <stdbool.h>

#include "machine/emulated_layout.h"

/* Accesses of a rep instruction, whose block counted an entry for each iteration, too. */
static inline void uh_repeat_accesses_add(uint64_t *totals, const struct uh_block *block,
					  uint64_t accesses)
{
	uint64_t each = (uint64_t)block->repeat_loads + block->repeat_stores;
	uint64_t iterations = each ? accesses / each : 0;
	uint64_t loads = iterations * block->repeat_loads;
	uint64_t stores = iterations * block->repeat_stores;

	totals[UH_QUANTITY_INSTRUCTIONS] -= iterations;
	totals[UH_QUANTITY_LOADS] += loads;
	totals[UH_QUANTITY_STORES] += stores;
	totals[UH_QUANTITY_BYTES_LOADED] += loads * block->repeat_bytes;
	totals[UH_QUANTITY_BYTES_STORED] += stores * block->repeat_bytes;
}

/*
 * Adds `times` passes through a block to the totals. Conditional jumps are not
 * added to branches_taken: whether they went is not the block's to know.
 */
static inline void uh_block_add(uint64_t *totals, const struct uh_block *block, uint64_t times)
{
	unsigned int ending = block->ending;
	if (ending == UH_BLOCK_REPEAT_ACCESSES) {
		uh_repeat_accesses_add(totals, block, times);
		return;
	}
	bool branch = ending >= UH_BLOCK_CONDITIONAL && ending <= UH_BLOCK_RETURN;
	bool conditional = ending == UH_BLOCK_CONDITIONAL;
	bool call = ending == UH_BLOCK_CALL || ending == UH_BLOCK_CALL_INDIRECT;
	bool indirect = ending == UH_BLOCK_JUMP_INDIRECT || ending == UH_BLOCK_CALL_INDIRECT;

	totals[UH_QUANTITY_INSTRUCTIONS] += times * block->instructions;
	totals[UH_QUANTITY_BRANCHES] += branch ? times : 0;
	totals[UH_QUANTITY_BRANCHES_CONDITIONAL] += conditional ? times : 0;
	totals[UH_QUANTITY_BRANCHES_INDIRECT] += indirect ? times : 0;
	totals[UH_QUANTITY_BRANCHES_TAKEN] += branch && !conditional ? times : 0;
	totals[UH_QUANTITY_CALLS] += call ? times : 0;
	totals[UH_QUANTITY_RETURNS] += ending == UH_BLOCK_RETURN ? times : 0;
	totals[UH_QUANTITY_LOADS] += times * block->loads;
	totals[UH_QUANTITY_STORES] += times * block->stores;
	totals[UH_QUANTITY_BYTES_LOADED] += times * block->bytes_loaded;
	totals[UH_QUANTITY_BYTES_STORED] += times * block->bytes_stored;
	totals[UH_QUANTITY_ATOMICS] += times * block->atomics;
	totals[UH_QUANTITY_SYSTEM_CALLS] += ending == UH_BLOCK_SYSTEM_CALL ? times : 0;
}

#endif
