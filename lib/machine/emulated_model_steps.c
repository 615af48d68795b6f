/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_steps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* At least this many at once, so that a growing table is seldom copied. */
#define STEPS_MIN 4096u

int uh_steps_reserve(struct uh_steps *steps, uint32_t count)
{
	if (count <= steps->capacity)
		return 0;
	uint32_t capacity = steps->capacity < STEPS_MIN ? STEPS_MIN : steps->capacity;
	while (capacity < count)
		capacity = capacity > UINT32_MAX / 2 ? count : capacity * 2;

	/* A zeroed copy instead of realloc: fresh pages of calloc cost nothing until used. */
	struct uh_step *fresh = calloc(capacity, sizeof(*fresh));
	if (!fresh)
		return -ENOMEM;
	if (steps->capacity)
		memcpy(fresh, steps->steps, steps->capacity * sizeof(*fresh));
	uh_steps_free(steps);
	*steps = (struct uh_steps){fresh, capacity};
	return 0;
}

void uh_steps_free(struct uh_steps *steps)
{
	free(steps->steps);
	*steps = (struct uh_steps){0};
}

void uh_steps_learn(struct uh_steps *steps, uint32_t index, const struct uh_block *block)
{
	/* Copied before it is checked, for the original may change meanwhile. */
	const volatile struct uh_block *source = block;
	uint64_t start = source->start;
	uint64_t end = source->end;
	bool possible =
	    end > start && end - start <= (UH_STEP_LINES_MAX - 1) * 64 && end < UH_ENTRY_BLOCK;

	steps->steps[index] = (struct uh_step){
	    .line = start >> 6,
	    .lines = possible ? (uint32_t)(((end - 1) >> 6) - (start >> 6) + 1) : 0,
	    .state = possible ? UH_STEP_SEEN : UH_STEP_IMPOSSIBLE,
	};
}
