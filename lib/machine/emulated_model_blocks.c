/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_batch.h"

/*
 * What the branch that linked two blocks does to the predictor of targets. Its own
 * function and by value, so that the walk stays in registers around it.
 */
static __attribute__((noinline)) uint32_t predict_link(struct uh_predictor *predictor,
						       uint32_t ending, uint64_t pc, uint64_t end,
						       uint64_t target)
{
	switch (ending) {
	case UH_BLOCK_CALL:
		uh_predict_call(predictor, end);
		return 0;
	case UH_BLOCK_CALL_INDIRECT:
		uh_predict_call(predictor, end);
		return uh_predict_indirect(predictor, pc, target);
	case UH_BLOCK_RETURN:
		return uh_predict_return(predictor, target);
	default:
		return uh_predict_indirect(predictor, pc, target);
	}
}

/* Whether a line was the last one fetched in its class of sets: again, it changes nothing. */
static inline bool was_last(const struct uh_filter *filter, uint64_t line)
{
	return filter->last[line & filter->mask] == line;
}

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
static __attribute__((noinline)) void list_pages(struct uh_model *model, struct uh_batch *batch,
						 uint64_t page, uint64_t last)
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

/*
 * Counts each block and replaces its index by a copy of what the loops after this
 * one need: they run over `entered`, without those that name no block and without
 * the repeated entries of a rep instruction, with which nothing new begins.
 */
static void enter_blocks(struct uh_model *model, struct uh_batch *batch)
{
	struct uh_step *steps = model->steps.steps;
	uint64_t repeating = model->walk.repeating;
	uint32_t instructions = 0, count = 0;

	for (uint32_t i = 0; i < batch->block_count; i++) {
		uint32_t index = batch->blocks[i];
		struct uh_step *step = &steps[index];

		if (__builtin_expect(!known(model, batch, index), 0)) {
			batch->position[i + 1] = instructions;
			model->malformed++;
			continue;
		}
		if (__builtin_expect(step->start == repeating, 0)) {
			batch->position[i + 1] = instructions;
			continue;
		}
		repeating = step->repeating;
		step->count++;
		instructions += step->instructions;
		batch->position[i + 1] = instructions;
		batch->entered[count] = step;
		batch->entered_ordinals[count++] = i + 1;
	}
	model->walk.repeating = repeating;
	model->instructions += instructions;
	batch->entered_count = count;
}

/* The outcome of the branch that ended each block, told by where the next one starts. */
static inline __attribute__((always_inline)) void
follow_branches(struct uh_model *model, const struct uh_batch *batch, bool predict)
{
	struct uh_predictor *predictor = &model->predictor;
	uint64_t end = model->walk.end, last = model->walk.last;
	uint32_t ending = model->walk.ending, history = model->walk.history;
	uint32_t taken_count = 0, wrong = 0, wrong_targets = 0;

	for (uint32_t i = 0; i < batch->entered_count; i++) {
		const struct uh_step *step = batch->entered[i];
		uint64_t start = step->start;

		if (ending == UH_BLOCK_CONDITIONAL) {
			uint32_t taken = start != end;

			taken_count += taken;
			if (predict)
				wrong += uh_predict_direction(predictor, last, taken, &history);
		} else if (predict && ending >= UH_BLOCK_JUMP_INDIRECT &&
			   ending <= UH_BLOCK_RETURN) {
			wrong_targets += predict_link(predictor, ending, last, end, start);
		}
		end = start + step->length;
		last = end - step->tail;
		ending = step->ending;
	}
	model->walk.end = end;
	model->walk.last = last;
	model->walk.ending = ending;
	model->walk.history = history;
	model->taken += taken_count;
	model->wrong_directions += wrong;
	model->wrong_targets += wrong_targets;
}

/* The lines and pages that fetching each block touches. */
static inline __attribute__((always_inline)) void
follow_fetches(struct uh_model *model, struct uh_batch *batch, bool caches, bool tlbs)
{
	struct uh_filter *filter = &model->fetch_filter;
	uint64_t before = model->walk.line;
	uint32_t same = 0;
	size_t count = 0;

	for (uint32_t i = 0; i < batch->entered_count; i++) {
		const struct uh_step *step = batch->entered[i];
		uint64_t line = step->start >> 6;
		uint64_t last = line + step->lines - 1;

		same += line == before;
		if (caches &&
		    !(was_last(filter, line) && was_last(filter, last) && last - line <= 1))
			count = list_lines(filter, batch, count, line, last,
					   batch->entered_ordinals[i]);
		/* Within the page of the block before, nothing can change. */
		if (tlbs && ((before ^ line) | (before ^ last)) >> 6)
			list_pages(model, batch, line >> 6, last >> 6);
		before = last;
	}
	model->walk.line = before;
	model->same_lines += same;
	batch->fetch_count = count;
}

void uh_batch_blocks(struct uh_model *model, struct uh_batch *batch)
{
	const struct uh_model_options *options = &model->shared->options;

	batch->page_count = 0;
	batch->position[0] = 0;
	enter_blocks(model, batch);
	if (options->branches)
		follow_branches(model, batch, true);
	else
		follow_branches(model, batch, false);
	if (options->caches && options->tlbs)
		follow_fetches(model, batch, true, true);
	else
		follow_fetches(model, batch, options->caches, options->tlbs);
}
