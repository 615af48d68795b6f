/* SPDX-License-Identifier: BSD-3-Clause */
/* From runs of blocks to quantities: the one place that says which block adds what. */
#ifndef UH_MACHINE_EMULATED_TOTALS_H
#define UH_MACHINE_EMULATED_TOTALS_H

#include <stdbool.h>

#include "machine/emulated_layout.h"

/*
 * Adds `times` passes through a block to the totals. Conditional jumps are not
 * added to branches_taken: whether they went is not the block's to know.
 */
static inline void uh_block_add(uint64_t *totals, const struct uh_block *block, uint64_t times)
{
	unsigned int ending = block->ending;
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
