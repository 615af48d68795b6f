/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a model knows of the blocks it has heard of: for each index the lines its
 * code lies in, checked once, so that damaged memory cannot lead it astray.
 */
#ifndef UH_MACHINE_EMULATED_MODEL_STEPS_H
#define UH_MACHINE_EMULATED_MODEL_STEPS_H

#include <stdint.h>

#include "machine/emulated_layout.h"

/* No translated block is longer: QEMU ends one at the next page, after at most one
 * instruction that reaches into it. */
#define UH_STEP_LINES_MAX 128u

enum uh_step_state {
	UH_STEP_UNSEEN,
	UH_STEP_SEEN,
	UH_STEP_IMPOSSIBLE,
};

struct uh_step {
	uint64_t line; /* the first one */
	uint32_t lines;
	uint32_t state; /* enum uh_step_state */
};

struct uh_steps {
	struct uh_step *steps;
	uint32_t capacity;
};

/* Makes room for indices below `count`: 0 or -ENOMEM with everything as it was. */
int uh_steps_reserve(struct uh_steps *steps, uint32_t count);
void uh_steps_free(struct uh_steps *steps);

/* Fills in an unseen step from its block. A block that cannot be becomes IMPOSSIBLE. */
void uh_steps_learn(struct uh_steps *steps, uint32_t index, const struct uh_block *block);

#endif
