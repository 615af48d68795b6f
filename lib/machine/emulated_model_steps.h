/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a model knows of the blocks it has seen: for each index a short `step`,
 * which the loop over block entries reads and counts in (half a cache line, so
 * that a hot block costs one line of this processor), and a full copy for the totals.
 */
#ifndef UH_MACHINE_EMULATED_MODEL_STEPS_H
#define UH_MACHINE_EMULATED_MODEL_STEPS_H

#include <stdint.h>

#include "machine/emulated_layout.h"

/* No translated block is longer: QEMU ends one at the next page, after at most one
 * instruction that reaches into it. */
#define UH_STEP_LINES_MAX 128u

/* A step's kind: at most one bit is set. */
enum uh_step_kind {
	UH_STEP_UNSEEN = 0,
	UH_STEP_PLAIN = 1, /* falls through, direct jump, system call */
	UH_STEP_CONDITIONAL = 2,
	UH_STEP_LINKED =
	    4, /* indirect jumps, calls and returns: what the predictor of targets sees */
	UH_STEP_REPEAT = 8,
	UH_STEP_IMPOSSIBLE = 16,
};

struct uh_step {
	uint64_t start;
	uint64_t count;  /* times that the block was entered */
	uint32_t length; /* bytes of code; the block's end is start + length */
	uint32_t tail;   /* of them, the last instruction's */
	uint16_t instructions;
	uint8_t lines; /* that its code lies in */
	uint8_t kind;
	uint32_t ending;
};
_Static_assert(sizeof(struct uh_step) <= 32, "half a cache line");

struct uh_steps {
	struct uh_step *steps;
	struct uh_block *blocks; /* copies; valid where steps[i].kind is not UNSEEN */
	uint32_t capacity;
};

/* Makes room for indices below `count`: 0 or -ENOMEM with everything as it was. */
int uh_steps_reserve(struct uh_steps *steps, uint32_t count);
void uh_steps_free(struct uh_steps *steps);

/* Fills in an unseen step from its block. A block that cannot be becomes IMPOSSIBLE. */
void uh_steps_learn(struct uh_steps *steps, uint32_t index, const struct uh_block *block);

/* Adds the exact quantities of all blocks seen to `totals`. */
void uh_steps_totals(const struct uh_steps *steps, uint64_t *totals);

#endif
