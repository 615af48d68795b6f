/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "machine/emulated_model_batch.h"
#include "machine/emulated_model_options.h"

static int new_cache(struct uh_cache *cache, const struct uh_cache_geometry *geometry)
{
	if (!geometry->size)
		return 0;
	return uh_cache_new(cache, geometry->size / (64ull * geometry->ways), geometry->ways);
}

static int new_tlb(struct uh_cache *cache, const struct uh_tlb_geometry *geometry)
{
	return uh_cache_new(cache, geometry->entries / geometry->ways, geometry->ways);
}

int uh_model_shared_new(const struct uh_model_options *options, struct uh_model_shared **shared,
			struct uh_error *error)
{
	int status = uh_model_options_check(options, error);
	if (status)
		return status;

	struct uh_model_shared *fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return uh_fail_memory(error);
	fresh->options = *options;
	fresh->touch = uh_cache_touch_best();
	fresh->sort = uh_batch_sort_best();
	fresh->batch = calloc(1, sizeof(*fresh->batch));
	if (!fresh->batch || (options->caches && new_cache(&fresh->l3, &options->l3))) {
		uh_model_shared_free(fresh);
		return uh_fail_memory(error);
	}
	*shared = fresh;
	return 0;
}

void uh_model_shared_free(struct uh_model_shared *shared)
{
	if (!shared)
		return;
	uh_cache_free(&shared->l3);
	free(shared->batch);
	free(shared);
}

/* Filters begin with what no line or page can be. */
static void start_filter(struct uh_filter *filter, uint32_t sets)
{
	memset(filter->last, 0xff, sizeof(filter->last));
	filter->mask = sets - 1;
}

static uint32_t power_up_to(uint64_t sets, uint32_t limit)
{
	return sets < limit ? (uint32_t)sets : limit;
}

uint32_t uh_model_filter_lines(const struct uh_model_options *options, uint32_t limit)
{
	return power_up_to(options->l1d.size / (64ull * options->l1d.ways), limit);
}

uint32_t uh_model_filter_fetches(const struct uh_model_options *options, uint32_t limit)
{
	return power_up_to(options->l1i.size / (64ull * options->l1i.ways), limit);
}

uint32_t uh_model_filter_pages(const struct uh_model_options *options, uint32_t limit)
{
	return power_up_to(options->dtlb.entries / options->dtlb.ways, limit);
}

/* The private structures: 0 or -ENOMEM. */
static int new_structures(struct uh_model *model, const struct uh_model_options *options)
{
	int status = 0;

	if (options->caches) {
		status = new_cache(&model->l1i, &options->l1i);
		status = status ? status : new_cache(&model->l1d, &options->l1d);
		status = status ? status : new_cache(&model->l2, &options->l2);
		start_filter(&model->fetch_filter, power_up_to(model->l1i.sets, UH_FILTER_SETS));
	}
	if (options->tlbs && !status) {
		status = new_tlb(&model->itlb, &options->itlb);
		status = status ? status : new_tlb(&model->dtlb, &options->dtlb);
		start_filter(&model->page_filter, uh_model_filter_pages(options, UH_FILTER_SETS));
		start_filter(&model->fetch_page_filter,
			     power_up_to(model->itlb.sets, UH_FILTER_SETS));
	}
	return status;
}

int uh_model_new(struct uh_model_shared *shared, struct uh_model **model, struct uh_error *error)
{
	struct uh_model *fresh = calloc(1, sizeof(*fresh));
	if (!fresh)
		return uh_fail_memory(error);
	fresh->shared = shared;
	if (new_structures(fresh, &shared->options)) {
		uh_model_free(fresh);
		return uh_fail_memory(error);
	}
	uh_cycles_start(&fresh->cycles, &shared->options);
	fresh->fetched = UINT64_MAX;
	*model = fresh;
	return 0;
}

void uh_model_free(struct uh_model *model)
{
	if (!model)
		return;
	uh_cache_free(&model->l1i);
	uh_cache_free(&model->l1d);
	uh_cache_free(&model->l2);
	uh_cache_free(&model->itlb);
	uh_cache_free(&model->dtlb);
	uh_steps_free(&model->steps);
	free(model);
}

/* Everything that entering blocks and touching memory brings about, in this order. */
static void run_batch(struct uh_model *model, struct uh_batch *batch, const uint64_t *entries,
		      size_t count)
{
	const struct uh_model_options *options = &model->shared->options;

	batch->lines[0] = model->last_line;
	batch->who[0] = model->last_who;
	model->shared->sort(batch, entries, count);
	uh_batch_blocks(model, batch);
	if (options->tlbs)
		uh_batch_pages(model, batch);
	if (options->caches)
		uh_batch_misses(model, batch);
	model->last_line = batch->lines[batch->access_count];
	model->last_who = batch->who[batch->access_count] & UH_WHO_MASK;
}

int uh_model_run(struct uh_model *model, const struct uh_block *blocks, uint32_t block_count,
		 const uint64_t *entries, size_t count)
{
	struct uh_batch *batch = model->shared->batch;
	int status = uh_steps_reserve(&model->steps, block_count);

	if (status)
		return status;
	batch->table = blocks;
	batch->table_count = block_count;
	while (count > 0) {
		size_t part = count < UH_BATCH ? count : UH_BATCH;

		run_batch(model, batch, entries, part);
		entries += part;
		count -= part;
	}
	return 0;
}

static void cache_totals(const struct uh_model *model, uint64_t *totals)
{
	totals[UH_QUANTITY_L1I_MISSES] = model->l1_misses[UH_REQUEST_FETCH];
	totals[UH_QUANTITY_L1D_LOAD_MISSES] = model->l1_misses[UH_REQUEST_LOAD];
	totals[UH_QUANTITY_L1D_STORE_MISSES] = model->l1_misses[UH_REQUEST_STORE];
	totals[UH_QUANTITY_L2_ACCESSES] = model->l2_accesses;
	totals[UH_QUANTITY_L2_MISSES] = model->l2_misses;
	totals[UH_QUANTITY_L3_LOADS] = model->l3_accesses[UH_REQUEST_LOAD];
	totals[UH_QUANTITY_L3_LOAD_MISSES] = model->l3_misses[UH_REQUEST_LOAD];
	totals[UH_QUANTITY_L3_STORES] = model->l3_accesses[UH_REQUEST_STORE];
	totals[UH_QUANTITY_L3_STORE_MISSES] = model->l3_misses[UH_REQUEST_STORE];
	totals[UH_QUANTITY_L3_FETCHES] = model->l3_accesses[UH_REQUEST_FETCH];
	totals[UH_QUANTITY_L3_FETCH_MISSES] = model->l3_misses[UH_REQUEST_FETCH];
}

void uh_model_totals(const struct uh_model *model, uint64_t totals[UH_QUANTITY_COUNT])
{
	totals[UH_QUANTITY_DTLB_LOAD_MISSES] = model->dtlb_misses[0];
	totals[UH_QUANTITY_DTLB_STORE_MISSES] = model->dtlb_misses[1];
	totals[UH_QUANTITY_ITLB_MISSES] = model->itlb_misses;
	cache_totals(model, totals);
	totals[UH_QUANTITY_CYCLES] = uh_cycles_total(
	    &model->cycles, totals[UH_QUANTITY_INSTRUCTIONS], totals[UH_QUANTITY_BRANCH_MISSES]);
}

uint64_t uh_model_malformed(const struct uh_model *model)
{
	return model->malformed;
}
