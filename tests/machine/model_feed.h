/* SPDX-License-Identifier: BSD-3-Clause */
/* Short ways to feed a model, for its tests. */
#ifndef TESTS_MACHINE_MODEL_FEED_H
#define TESTS_MACHINE_MODEL_FEED_H

#include "machine/emulated_model.h"

struct feed {
	struct uh_model_shared *shared;
	struct uh_model *model;
	uint64_t totals[UH_QUANTITY_COUNT];
};

static inline void feed_start(struct feed *feed, const struct uh_model_options *options)
{
	struct uh_error error;

	assert_int_equal(uh_model_shared_new(options, &feed->shared, &error), 0);
	assert_int_equal(uh_model_new(feed->shared, &feed->model, &error), 0);
}

static inline void feed_entries(struct feed *feed, const struct uh_block *blocks,
				uint32_t block_count, const uint64_t *entries, size_t count)
{
	assert_int_equal(uh_model_run(feed->model, blocks, block_count, entries, count), 0);
	uh_model_totals(feed->model, feed->totals);
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
