/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an instruction does, from its bytes alone.
 *
 * Memory is counted as the instruction set describes it, not as QEMU happens
 * to carry it out (QEMU splits 16-byte accesses, for one): an operand read is
 * a load, an operand written a store, an operand read and written one of
 * each. Gathers, scatters, masked moves and state saves count as one access of
 * the operand's full size. Hints (prefetch, nop, lea, cache-line flushes) count none.
 */
#ifndef UH_EMULATOR_DECODE_H
#define UH_EMULATOR_DECODE_H

#include <stdbool.h>

#include "machine/emulated_layout.h"

#define UH_INSTRUCTION_BYTES 15
#define UH_BLOCK_INSTRUCTIONS 512 /* QEMU ends a block there */

/* Registers that an address can be based on: rax to r15 as the processor numbers them, rip. */
#define UH_BASES 17
#define UH_BASE_STACK 4
#define UH_BASE_CODE 16

struct uh_instruction {
	uint8_t loads;
	uint8_t stores;
	bool atomic;
	bool repeat;    /* a rep string instruction: the numbers are those of one iteration */
	bool compares;  /* such a one that its comparison may end early */
	uint8_t ending; /* enum uh_block_ending, if a block ends with it */
	uint32_t bytes_loaded;
	uint32_t bytes_stored;
	/* One access, a load or a store of 1, 2, 4 or 8 bytes, at `base` + `displacement`: */
	bool based;
	uint8_t base;
	int64_t displacement;
	uint32_t written;   /* a bit for each base register that it changes in an unknown way */
	int64_t stack_move; /* and what it adds to the stack pointer, if that is known */
};

/*
 * Decodes the instruction at `address`. Fills `out` with zeros and returns false for bytes that
 * are no instruction.
 */
bool uh_decode(const uint8_t *bytes, size_t size, uint64_t address, struct uh_instruction *out);

/* Adds an instruction at `address`, `size` bytes long, to the end of a block. */
void uh_block_append(struct uh_block *block, uint64_t address, size_t size,
		     const struct uh_instruction *instruction);

#endif
