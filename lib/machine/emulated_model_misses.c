/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_batch.h"

/*
 * Whether access `a` is the second line of the access before it. Asked only of
 * misses, so it may take its time.
 */
static bool is_second_half(const struct uh_batch *batch, uint32_t a)
{
	return (batch->who[a] & UH_ENTRY_SECOND) && !(batch->who[a - 1] & UH_ENTRY_SECOND) &&
	       batch->lines[a] == batch->lines[a - 1] + 1;
}

/* Counts the misses of first-level accesses; an access that straddles two lines misses once. */
static void count_accesses(struct uh_model *model, const struct uh_batch *batch)
{
	uint32_t before = model->last_missed ? 0 : UINT32_MAX;

	for (size_t i = 0; i < batch->missed_access_count; i++) {
		uint32_t a = batch->missed_accesses[i] + 1;

		if (!(before == a - 1 && is_second_half(batch, a)))
			model->l1_misses[batch->who[a] & UH_ENTRY_STORE]++;
		before = a;
	}
	if (batch->access_count)
		model->last_missed = before == batch->access_count;
}

/*
 * Instructions until an access, counted from the batch's begin: its stamp says how many
 * came after the last block that was told, whose own number is known in full.
 */
static uint32_t position_of(const struct uh_model *model, const struct uh_batch *batch,
			    uint32_t who)
{
	uint32_t told = batch->position[UH_WHO_ORDINAL(who)];
	uint64_t start = model->instructions - batch->position[batch->block_count];
	uint32_t since = (who >> UH_WHO_STAMP_SHIFT) - (uint32_t)(start + told);

	return told + (since & UH_ENTRY_STAMP_MASK);
}

/* Appends one request to go below the first level. */
static inline void request(struct uh_batch *batch, uint64_t line, uint32_t position,
			   enum uh_request kind)
{
	batch->request_lines[batch->request_count] = line;
	batch->request_position[batch->request_count] = position;
	batch->request_kind[batch->request_count] = (uint8_t)kind;
	batch->found[batch->request_count] = UH_FOUND_L2;
	batch->request_count++;
}

/* Merges missed fetches and accesses by ordinal; a block's fetches come first. */
static void merge(const struct uh_model *model, struct uh_batch *batch)
{
	size_t fetch = 0, access = 0;

	batch->request_count = 0;
	while (fetch < batch->missed_fetch_count || access < batch->missed_access_count) {
		uint32_t ordinal = UINT32_MAX, a = 0;

		if (access < batch->missed_access_count) {
			a = batch->missed_accesses[access] + 1;
			ordinal = UH_WHO_ORDINAL(batch->who[a]);
		}
		uint32_t f = batch->missed_fetches[fetch];
		if (fetch < batch->missed_fetch_count && batch->fetch_ordinals[f] <= ordinal) {
			request(batch, batch->fetch_lines[f],
				batch->position[batch->fetch_ordinals[f]], UH_REQUEST_FETCH);
			fetch++;
			continue;
		}
		request(batch, batch->lines[a], position_of(model, batch, batch->who[a]),
			batch->who[a] & UH_ENTRY_STORE);
		access++;
	}
}

/*
 * Touches one lower level with those requests that no level above it had, and
 * moves those it has not either one place down. Returns how many it was asked for.
 */
static size_t go_below(struct uh_model *model, struct uh_batch *batch, struct uh_cache *cache,
		       enum uh_found place, size_t *missed)
{
	size_t asked = 0;

	for (size_t i = 0; i < batch->request_count; i++) {
		batch->below_lines[asked] = batch->request_lines[i];
		batch->below_request[asked] = (uint32_t)i;
		asked += batch->found[i] == place;
	}
	*missed = asked;
	if (cache->tags)
		*missed = model->shared->touch(cache, batch->below_lines, asked, batch->missed);
	for (size_t i = 0; i < *missed; i++) {
		size_t which = cache->tags ? batch->missed[i] : i;
		batch->found[batch->below_request[which]] = (uint8_t)(place + 1);
	}
	return cache->tags ? asked : 0;
}

/* Settles each request: who asked in the third level, and what it cost. */
static void settle(struct uh_model *model, const struct uh_batch *batch)
{
	bool third = model->shared->l3.tags != NULL;
	uint64_t start = model->instructions - batch->position[batch->block_count];

	for (size_t i = 0; i < batch->request_count; i++) {
		enum uh_request kind = batch->request_kind[i];
		enum uh_found found = batch->found[i];

		if (third && found > UH_FOUND_L2) {
			model->l3_accesses[kind]++;
			model->l3_misses[kind] += found == UH_FOUND_MEMORY;
		}
		uh_cycles_miss(&model->cycles, start + batch->request_position[i],
			       batch->request_lines[i], kind, found);
	}
}

void uh_batch_misses(struct uh_model *model, struct uh_batch *batch)
{
	uh_cache_touch *touch = model->shared->touch;
	size_t missed;

	batch->missed_access_count =
	    touch(&model->l1d, batch->lines + 1, batch->access_count, batch->missed_accesses);
	batch->missed_fetch_count =
	    touch(&model->l1i, batch->fetch_lines, batch->fetch_count, batch->missed_fetches);
	model->l1_misses[UH_REQUEST_FETCH] += batch->missed_fetch_count;
	count_accesses(model, batch);
	if (batch->missed_access_count + batch->missed_fetch_count == 0)
		return;
	merge(model, batch);
	model->l2_accesses += go_below(model, batch, &model->l2, UH_FOUND_L2, &missed);
	model->l2_misses += model->l2.tags ? missed : 0;
	(void)go_below(model, batch, &model->shared->l3, UH_FOUND_L3, &missed);
	settle(model, batch);
}

/* Lists the pages of accesses, unless the last one seen in a class of sets is the same. */
static size_t list_pages(struct uh_filter *filter, struct uh_batch *batch)
{
	size_t count = 0;

	for (uint32_t a = 1; a <= batch->access_count; a++) {
		uint64_t page = batch->lines[a] >> 6;
		uint64_t *last = &filter->last[page & filter->mask];

		batch->pages[count] = page;
		batch->page_access[count] = a;
		count += *last != page;
		*last = page;
	}
	return count;
}

void uh_batch_pages(struct uh_model *model, struct uh_batch *batch)
{
	uh_cache_touch *touch = model->shared->touch;
	size_t count = list_pages(&model->page_filter, batch);
	size_t misses = touch(&model->dtlb, batch->pages, count, batch->missed);
	uint32_t before = model->last_missed_page ? 0 : UINT32_MAX;

	for (size_t i = 0; i < misses; i++) {
		uint32_t a = batch->page_access[batch->missed[i]];

		if (!(before == a - 1 && is_second_half(batch, a)))
			model->dtlb_misses[batch->who[a] & UH_ENTRY_STORE]++;
		before = a;
	}
	if (batch->access_count)
		model->last_missed_page = before == batch->access_count;
	model->itlb_misses +=
	    touch(&model->itlb, batch->fetch_pages, batch->page_count, batch->missed);
}
