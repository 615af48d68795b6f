/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_steps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "quantities.h"

/* At least this many at once, so that a growing table is seldom copied. */
#define STEPS_MIN 4096u

/* Bytes of the longest x86 instruction. */
#define INSTRUCTION_MAX 15u

/* A zeroed copy instead of realloc: fresh pages of calloc cost nothing until used. */
static void *grown(const void *old, uint32_t old_count, uint32_t count, size_t size)
{
	void *fresh = calloc(count, size);

	if (fresh && old_count)
		memcpy(fresh, old, old_count * size);
	return fresh;
}

int uh_steps_reserve(struct uh_steps *steps, uint32_t count)
{
	if (count <= steps->capacity)
		return 0;
	uint32_t capacity = steps->capacity < STEPS_MIN ? STEPS_MIN : steps->capacity;
	while (capacity < count)
		capacity = capacity > UINT32_MAX / 2 ? count : capacity * 2;

	void *fresh = grown(steps->steps, steps->capacity, capacity, sizeof(*steps->steps));
	void *blocks = grown(steps->blocks, steps->capacity, capacity, sizeof(*steps->blocks));
	if (!fresh || !blocks) {
		free(fresh);
		free(blocks);
		return -ENOMEM;
	}
	uh_steps_free(steps);
	*steps = (struct uh_steps){fresh, blocks, capacity};
	return 0;
}

void uh_steps_free(struct uh_steps *steps)
{
	free(steps->steps);
	free(steps->blocks);
	*steps = (struct uh_steps){0};
}

/* The block may come from memory that a program has damaged. */
static bool possible(const struct uh_block *block)
{
	uint64_t length = block->end - block->start;

	return block->end > block->start && length <= (UH_STEP_LINES_MAX - 1) * 64 &&
	       block->end - block->last <= INSTRUCTION_MAX && block->end < UH_ENTRY_BLOCK &&
	       block->last >= block->start && block->last < block->end && block->instructions > 0 &&
	       block->instructions <= length && block->ending <= UH_BLOCK_REPEAT;
}

void uh_steps_learn(struct uh_steps *steps, uint32_t index, const struct uh_block *block)
{
	struct uh_step *step = &steps->steps[index];
	struct uh_block *copy = &steps->blocks[index];

	/* Copied before it is checked, for the original may change meanwhile. */
	*copy = *block;
	if (!possible(copy)) {
		*step = (struct uh_step){.state = UH_STEP_IMPOSSIBLE};
		return;
	}
	*step = (struct uh_step){
	    .start = copy->start,
	    .repeating = copy->ending == UH_BLOCK_REPEAT ? copy->last : UH_STEP_NO_REPEAT,
	    .length = (uint16_t)(copy->end - copy->start),
	    .instructions = copy->instructions,
	    .tail = (uint8_t)(copy->end - copy->last),
	    .lines = (uint8_t)(((copy->end - 1) >> 6) - (copy->start >> 6) + 1),
	    .state = UH_STEP_SEEN,
	    .ending = copy->ending,
	};
}

static void add_ending(uint64_t *totals, uint8_t ending, uint64_t count)
{
	switch (ending) {
	case UH_BLOCK_CONDITIONAL:
		totals[UH_QUANTITY_BRANCHES_CONDITIONAL] += count;
		break;
	case UH_BLOCK_JUMP_INDIRECT:
		totals[UH_QUANTITY_BRANCHES_INDIRECT] += count;
		break;
	case UH_BLOCK_CALL_INDIRECT:
		totals[UH_QUANTITY_BRANCHES_INDIRECT] += count;
		totals[UH_QUANTITY_CALLS] += count;
		break;
	case UH_BLOCK_CALL:
		totals[UH_QUANTITY_CALLS] += count;
		break;
	case UH_BLOCK_RETURN:
		totals[UH_QUANTITY_RETURNS] += count;
		break;
	case UH_BLOCK_SYSTEM_CALL:
		totals[UH_QUANTITY_SYSTEM_CALLS] += count;
		break;
	default:
		break;
	}
	if (ending >= UH_BLOCK_CONDITIONAL && ending <= UH_BLOCK_RETURN)
		totals[UH_QUANTITY_BRANCHES] += count;
}

void uh_steps_totals(const struct uh_steps *steps, uint64_t *totals)
{
	for (uint32_t i = 0; i < steps->capacity; i++) {
		const struct uh_block *block = &steps->blocks[i];
		uint64_t count = steps->steps[i].count;

		if (!count)
			continue;
		totals[UH_QUANTITY_INSTRUCTIONS] += count * block->instructions;
		totals[UH_QUANTITY_LOADS] += count * block->loads;
		totals[UH_QUANTITY_STORES] += count * block->stores;
		totals[UH_QUANTITY_BYTES_LOADED] += count * block->bytes_loaded;
		totals[UH_QUANTITY_BYTES_STORED] += count * block->bytes_stored;
		totals[UH_QUANTITY_ATOMICS] += count * block->atomics;
		totals[UH_QUANTITY_FETCH_LINES] += count * steps->steps[i].lines;
		add_ending(totals, block->ending, count);
	}
}
