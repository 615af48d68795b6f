/* SPDX-License-Identifier: BSD-3-Clause */
/* Short ways to feed a model, for its tests. */
#ifndef TESTS_MACHINE_MODEL_FEED_H
#define TESTS_MACHINE_MODEL_FEED_H

#include <string.h>

#include "machine/emulated_model.h"

struct feed {
	struct uh_model_shared *shared;
	struct uh_model *model;
	uint64_t totals[UH_QUANTITY_COUNT]; /* instructions: of all blocks fed */
};

static inline void feed_start(struct feed *feed, const struct uh_model_options *options)
{
	struct uh_error error;

	memset(feed->totals, 0, sizeof(feed->totals));
	assert_int_equal(uh_model_shared_new(options, &feed->shared, &error), 0);
	assert_int_equal(uh_model_new(feed->shared, &feed->model, &error), 0);
}

/* A block entry that no earlier one was left out before, with its own instructions. */
static inline uint64_t with_instructions(uint64_t entry, const struct uh_block *blocks,
					 uint32_t block_count)
{
	uint32_t index = (uint32_t)entry;

	if (!(entry & UH_ENTRY_BLOCK) || index >= block_count)
		return entry;
	return entry | (uint64_t)blocks[index].instructions << UH_ENTRY_INSTRUCTIONS_SHIFT;
}

/* Feeds the entries as a producer would that leaves out none: blocks with their instructions,
 * which are added to the totals, accesses with their stamps. */
static inline void feed_entries(struct feed *feed, const struct uh_block *blocks,
				uint32_t block_count, const uint64_t *entries, size_t count)
{
	uint64_t *whole = test_calloc(count + 1, sizeof(*whole));

	for (size_t i = 0; i < count; i++) {
		whole[i] = with_instructions(entries[i], blocks, block_count);
		if (whole[i] & UH_ENTRY_BLOCK)
			feed->totals[UH_QUANTITY_INSTRUCTIONS] +=
			    whole[i] >> UH_ENTRY_INSTRUCTIONS_SHIFT & UH_ENTRY_INSTRUCTIONS_MASK;
		else
			whole[i] |= (feed->totals[UH_QUANTITY_INSTRUCTIONS] & UH_ENTRY_STAMP_MASK)
				    << UH_ENTRY_STAMP_SHIFT;
	}
	assert_int_equal(uh_model_run(feed->model, blocks, block_count, whole, count), 0);
	uh_model_totals(feed->model, feed->totals);
	test_free(whole);
}

static inline void feed_end(struct feed *feed)
{
	uh_model_free(feed->model);
	uh_model_shared_free(feed->shared);
}

static inline uint64_t enter(uint32_t index)
{
	return UH_ENTRY_BLOCK | index;
}

static inline uint64_t load(uint64_t address)
{
	return address & UH_ENTRY_LINE_MASK;
}

static inline uint64_t store(uint64_t address)
{
	return load(address) | UH_ENTRY_STORE;
}

/* A block of `instructions` of 4 bytes each. */
static inline struct uh_block block_at(uint64_t start, uint16_t instructions,
				       enum uh_block_ending ending)
{
	return (struct uh_block){
	    .start = start,
	    .end = start + 4ull * instructions,
	    .last = start + 4ull * instructions - 4,
	    .instructions = instructions,
	    .ending = (uint8_t)ending,
	};
}

#endif
