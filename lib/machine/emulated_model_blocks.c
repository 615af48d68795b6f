/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_batch.h"

/* Lists those of a block's lines that change something. Returns the new length. */
static inline size_t list_lines(struct uh_filter *filter, struct uh_batch *batch, size_t count,
				uint64_t line, uint64_t last, uint32_t ordinal)
{
	for (; line <= last; line++) {
		uint64_t *seen = &filter->last[line & filter->mask];

		batch->fetch_lines[count] = line;
		batch->fetch_ordinals[count] = ordinal;
		count += *seen != line;
		*seen = line;
	}
	return count;
}

/* The pages from `page` to `last`: one, seldom two. */
static void list_pages(struct uh_model *model, struct uh_batch *batch, uint64_t page, uint64_t last)
{
	struct uh_filter *filter = &model->fetch_page_filter;

	for (; page <= last; page++) {
		uint64_t *seen = &filter->last[page & filter->mask];

		batch->fetch_pages[batch->page_count] = page;
		batch->page_count += *seen != page;
		*seen = page;
	}
}

/* Whether an index names a block that can be. One seen for the first time is learnt. */
static inline bool known(struct uh_model *model, const struct uh_batch *batch, uint32_t index)
{
	if (index >= batch->table_count)
		return false;
	if (model->steps.steps[index].state == UH_STEP_UNSEEN)
		uh_steps_learn(&model->steps, index, &batch->table[index]);
	return model->steps.steps[index].state == UH_STEP_SEEN;
}

void uh_batch_blocks(struct uh_model *model, struct uh_batch *batch)
{
	const struct uh_model_options *options = &model->shared->options;
	uint64_t before = model->fetched;
	uint32_t instructions = 0;
	size_t count = 0;

	batch->page_count = 0;
	batch->position[0] = 0;
	for (uint32_t i = 0; i < batch->block_count; i++) {
		uint32_t index = batch->blocks[i];

		instructions += batch->instructions[i];
		batch->position[i + 1] = instructions;
		if (!known(model, batch, index)) {
			model->malformed++;
			continue;
		}
		uint64_t line = model->steps.steps[index].line;
		uint64_t last = line + model->steps.steps[index].lines - 1;
		if (options->caches)
			count = list_lines(&model->fetch_filter, batch, count, line, last, i + 1);
		/* Within the page of the block before, nothing can change. */
		if (options->tlbs && ((before ^ line) | (before ^ last)) >> 6)
			list_pages(model, batch, line >> 6, last >> 6);
		before = last;
	}
	model->fetched = before;
	model->instructions += instructions;
	batch->fetch_count = count;
}
