/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting rep string instructions once, however often QEMU enters them.
 *
 * QEMU to version 9 enters a block anew for each iteration: `rep movs`, `stos`
 * and `lods` once more than they iterate, finding the count register zero and
 * accessing nothing; `cmps` and `scas` only so when their comparison did not end
 * them before. Later versions iterate within the block, but may leave it and come back.
 * So an entry goes on with the instruction under way when that is at the same
 * address, its last entry accessed memory, and no other block ran since.
 */
#ifndef UH_EMULATOR_REPEAT_H
#define UH_EMULATOR_REPEAT_H

#include "emulator/qemu.h"
#include "machine/emulated_layout.h"

/*
 * Where translated code counts by itself, nothing is called when another block
 * runs. There the block after the rep instruction says that it is over: the
 * first call registers its address, the second asks for it.
 */
void uh_repeat_will_end_at(uint64_t address);
bool uh_repeat_ended_at(uint64_t address);

/* A block ending in a rep instruction was entered; true when that begins a new instance. */
static inline bool uh_repeat_enter(struct uh_lane *lane, const struct uh_block *block)
{
	bool goes_on =
	    block->start == block->last && lane->repeat_at == block->last && lane->repeat_accesses;
	lane->repeat_at = block->last;
	lane->repeat_accesses = 0;
	return !goes_on;
}

/*
 * The same where every block calls, and the one before is known: false when the rep
 * instruction that ends `block` only goes on.
 */
static inline bool uh_repeat_follow(struct uh_lane *lane, const struct uh_block *previous,
				    const struct uh_block *block)
{
	bool goes_on = block->start == block->last && previous->ending == UH_BLOCK_REPEAT &&
		       previous->last == block->last && lane->repeat_accesses;
	lane->repeat_accesses = 0;
	return !goes_on;
}

/* Adds one memory access of a rep instruction to the lane's totals. */
static inline void uh_repeat_access(struct uh_lane *lane, bool store, uint64_t bytes)
{
	lane->repeat_accesses++;
	lane->totals[store ? UH_QUANTITY_STORES : UH_QUANTITY_LOADS]++;
	lane->totals[store ? UH_QUANTITY_BYTES_STORED : UH_QUANTITY_BYTES_LOADED] += bytes;
}

/* Has the accesses of a rep instruction counted. */
void uh_repeat_watch(struct qemu_plugin_insn *insn);

#endif
