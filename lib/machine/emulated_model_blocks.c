/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_batch.h"

/* The rep instruction that ended the block before is entered once more: nothing new begins. */
static inline bool continues_repeat(const struct uh_walk *walk, const struct uh_step *step)
{
	return walk->kind == UH_STEP_REPEAT && step->start == walk->last;
}

/* What the branch that linked the block before to this one does to the predictor of targets. */
static uint32_t predict_link(struct uh_predictor *predictor, const struct uh_walk *walk,
			     uint64_t target)
{
	switch (walk->ending) {
	case UH_BLOCK_CALL:
		uh_predict_call(predictor, walk->end);
		return 0;
	case UH_BLOCK_CALL_INDIRECT:
		uh_predict_call(predictor, walk->end);
		return uh_predict_indirect(predictor, walk->last, target);
	case UH_BLOCK_RETURN:
		return uh_predict_return(predictor, target);
	default:
		return uh_predict_indirect(predictor, walk->last, target);
	}
}

/* Lists a line unless it is the last one fetched in its class of sets. Returns the new length. */
static inline size_t list_fetch(struct uh_filter *filter, struct uh_batch *batch, size_t count,
				uint64_t line, uint32_t ordinal)
{
	uint64_t *last = &filter->last[line & filter->mask];

	batch->fetch_lines[count] = line;
	batch->fetch_ordinals[count] = ordinal;
	count += *last != line;
	*last = line;
	return count;
}

static inline size_t list_fetches(struct uh_filter *filter, struct uh_batch *batch, size_t count,
				  const struct uh_step *step, uint32_t ordinal)
{
	uint64_t line = step->start >> 6;
	uint64_t last = line + step->lines - 1;

	count = list_fetch(filter, batch, count, line, ordinal);
	/* One line or two is what nearly all blocks have, in no order that a host could
	 * predict: so the second is always asked for, and is the first again if there is none. */
	count = list_fetch(filter, batch, count, line + (step->lines > 1), ordinal);
	for (line += 2; line <= last; line++)
		count = list_fetch(filter, batch, count, line, ordinal);
	return count;
}

static inline size_t list_page(struct uh_model *model, struct uh_batch *batch, size_t count,
			       uint64_t page)
{
	struct uh_filter *filter = &model->fetch_page_filter;
	uint64_t *last = &filter->last[page & filter->mask];

	batch->fetch_pages[count] = page;
	count += *last != page;
	*last = page;
	return count;
}

/* The pages of a block: one, seldom two. */
static void list_pages(struct uh_model *model, struct uh_batch *batch, const struct uh_step *step)
{
	uint64_t first = step->start >> 12;
	uint64_t last = (step->start + step->length - 1) >> 12;

	batch->page_count = list_page(model, batch, batch->page_count, first);
	for (uint64_t page = first + 1; page <= last; page++)
		batch->page_count = list_page(model, batch, batch->page_count, page);
}

static inline void follow(struct uh_walk *walk, const struct uh_step *step)
{
	walk->end = step->start + step->length;
	walk->last = walk->end - step->tail;
	walk->line = (walk->end - 1) >> 6;
	walk->kind = step->kind;
	walk->ending = step->ending;
}

/* Whether an index names a block that can be. One seen for the first time is learnt. */
static inline bool known(struct uh_model *model, const struct uh_batch *batch, uint32_t index)
{
	if (index >= batch->table_count)
		return false;
	if (model->steps.steps[index].kind == UH_STEP_UNSEEN)
		uh_steps_learn(&model->steps, index, &batch->table[index]);
	return model->steps.steps[index].kind != UH_STEP_IMPOSSIBLE;
}

void uh_batch_blocks(struct uh_model *model, struct uh_batch *batch)
{
	const struct uh_model_options *options = &model->shared->options;
	struct uh_step *steps = model->steps.steps;
	struct uh_walk walk = model->walk;
	struct uh_filter *filter = &model->fetch_filter;
	uint32_t instructions = 0, taken_count = 0, fetches = 0, wrong = 0;
	size_t fetch_count = 0;
	uint32_t history = walk.history;

	batch->page_count = 0;
	batch->position[0] = 0;
	for (uint32_t i = 0; i < batch->block_count; i++) {
		uint32_t index = batch->blocks[i];
		struct uh_step *step = &steps[index];

		batch->position[i + 1] = instructions;
		if (!known(model, batch, index)) {
			model->malformed++;
			continue;
		}
		if (continues_repeat(&walk, step)) {
			follow(&walk, step);
			continue;
		}
		step->count++;
		instructions += step->instructions;
		batch->position[i + 1] = instructions;

		uint32_t conditional = walk.kind == UH_STEP_CONDITIONAL;
		uint32_t taken = step->start != walk.end;
		taken_count += conditional & taken;
		if (options->branches) {
			wrong += uh_predict_direction(&model->predictor, walk.last, taken,
						      conditional, &history);
			if (walk.kind == UH_STEP_LINKED)
				model->wrong_targets +=
				    predict_link(&model->predictor, &walk, step->start);
		}
		fetches += (uint32_t)step->lines - (step->start >> 6 == walk.line);
		if (options->caches)
			fetch_count = list_fetches(filter, batch, fetch_count, step, i + 1);
		if (options->tlbs)
			list_pages(model, batch, step);
		follow(&walk, step);
	}
	walk.history = history;
	model->walk = walk;
	model->instructions += instructions;
	model->taken += taken_count;
	model->fetch_lines += fetches;
	model->wrong_directions += wrong;
	batch->fetch_count = fetch_count;
}
