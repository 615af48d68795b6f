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

/* No block starts there. */
#define UH_STEP_NO_REPEAT UINT64_MAX

enum uh_step_state {
	UH_STEP_UNSEEN,
	UH_STEP_SEEN,
	UH_STEP_IMPOSSIBLE,
};

struct uh_step {
	uint64_t start;
	uint64_t count;     /* times that the block was entered */
	uint64_t repeating; /* address of the rep instruction at its end, or UH_STEP_NO_REPEAT */
	uint16_t length;    /* bytes of code; the block's end is start + length */
	uint16_t instructions;
	uint8_t tail;  /* bytes of the last instruction */
	uint8_t lines; /* that its code lies in */
	uint8_t state;
	uint8_t ending;
};
_Static_assert(sizeof(struct uh_step) == 32, "half a cache line");

struct uh_steps {
	struct uh_step *steps;
	struct uh_block *blocks; /* copies; valid where steps[i].state is SEEN */
	uint32_t capacity;
};

/* Makes room for indices below `count`: 0 or -ENOMEM with everything as it was. */
int uh_steps_reserve(struct uh_steps *steps, uint32_t count);
void uh_steps_free(struct uh_steps *steps);

/* Fills in an unseen step from its block. A block that cannot be becomes IMPOSSIBLE. */
void uh_steps_learn(struct uh_steps *steps, uint32_t index, const struct uh_block *block);

/* Adds the exact quantities of all blocks seen to `totals`; fetch lines as if each block
 * began in a line of its own. */
void uh_steps_totals(const struct uh_steps *steps, uint64_t *totals);

#endif
