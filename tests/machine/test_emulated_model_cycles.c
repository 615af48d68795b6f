/* SPDX-License-Identifier: BSD-3-Clause */
/* The interval model against sums done by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/emulated_model_cycles.h"
#include "model_feed.h"

/* Load stalls 10, 40, 200; fetch stalls 15, 45, 205; 2 instructions a cycle. */
static struct uh_model_options by_hand(void)
{
	struct uh_model_options options;

	uh_model_options_default(&options);
	options.l2.latency = 15;
	options.l3.latency = 45;
	options.memory_latency = 205;
	options.timing = (struct uh_core_timing){
	    .instructions_per_100_cycles = 200,
	    .overlap_window = 100,
	    .branch_miss_penalty = 10,
	    .hidden_load = 5,

	    .stream_line = 7,
	};
	return options;
}

static struct uh_cycles fresh(void)
{
	struct uh_model_options options = by_hand();
	struct uh_cycles cycles;

	uh_cycles_start(&cycles, &options);
	return cycles;
}

static void load_at(struct uh_cycles *cycles, uint64_t position, uint64_t line, enum uh_found found)
{
	uh_cycles_miss(cycles, position, line, UH_REQUEST_LOAD, found);
}

static uint64_t stalls(const struct uh_cycles *cycles)
{
	return uh_cycles_total(cycles, 0, 0);
}

static void instructions_and_mispredictions_add_up(void **state)
{
	struct uh_cycles cycles = fresh();

	(void)state;
	assert_int_equal(uh_cycles_total(&cycles, 0, 0), 0);
	assert_int_equal(uh_cycles_total(&cycles, 1000, 0), 500);
	assert_int_equal(uh_cycles_total(&cycles, 1001, 0), 500);
	assert_int_equal(uh_cycles_total(&cycles, 1000, 3), 530);
	/* A year at full speed does not overflow. */
	assert_int_equal(uh_cycles_total(&cycles, 1ull << 60, 0), 1ull << 59);
}

static void a_lone_load_costs_what_is_not_hidden(void **state)
{
	static const uint64_t cost[] = {10, 40, 200};

	(void)state;
	for (int found = 0; found < UH_FOUND_PLACES; found++) {
		struct uh_cycles cycles = fresh();
		load_at(&cycles, 0, 1000, (enum uh_found)found);
		assert_int_equal(stalls(&cycles), cost[found]);
	}
}

static void loads_within_the_window_overlap(void **state)
{
	struct uh_cycles cycles = fresh();

	(void)state;
	load_at(&cycles, 50, 1000, UH_FOUND_L2);
	load_at(&cycles, 60, 2000, UH_FOUND_MEMORY);
	load_at(&cycles, 149, 3000, UH_FOUND_L3);
	assert_int_equal(stalls(&cycles), 200);
	load_at(&cycles, 150, 4000, UH_FOUND_L3);
	assert_int_equal(stalls(&cycles), 240);
}

static void streams_are_foreseen(void **state)
{
	struct uh_cycles cycles = fresh();

	(void)state;
	/* Up and across a page, each line beyond the window of the one before. */
	for (uint64_t i = 0; i < 10; i++)
		load_at(&cycles, 1000 * i, 60 + i, UH_FOUND_MEMORY);
	assert_int_equal(stalls(&cycles), 200 + 9 * 7);
	/* Down, in a page of its own; from the second level it costs nothing. */
	for (uint64_t i = 0; i < 10; i++)
		load_at(&cycles, 10000 + 1000 * i, 6500 - i, UH_FOUND_L2);
	assert_int_equal(stalls(&cycles), 263 + 10);
}

static void the_same_line_or_the_next_but_one_is_no_stream(void **state)
{
	struct uh_cycles cycles = fresh();

	(void)state;
	load_at(&cycles, 0, 1000, UH_FOUND_MEMORY);
	load_at(&cycles, 1000, 1000, UH_FOUND_MEMORY);
	load_at(&cycles, 2000, 1002, UH_FOUND_MEMORY);
	assert_int_equal(stalls(&cycles), 600);
}

static void stores_cost_bandwidth_alone(void **state)
{
	struct uh_cycles cycles = fresh();

	(void)state;
	uh_cycles_miss(&cycles, 0, 1000, UH_REQUEST_STORE, UH_FOUND_MEMORY);
	assert_int_equal(stalls(&cycles), 0);
	uh_cycles_miss(&cycles, 0, 1001, UH_REQUEST_STORE, UH_FOUND_MEMORY);
	assert_int_equal(stalls(&cycles), 7);
	uh_cycles_miss(&cycles, 0, 1002, UH_REQUEST_STORE, UH_FOUND_L3);
	assert_int_equal(stalls(&cycles), 7);
}

static void fetches_run_ahead_in_sequence(void **state)
{
	struct uh_cycles cycles = fresh();

	(void)state;
	uh_cycles_miss(&cycles, 0, 1000, UH_REQUEST_FETCH, UH_FOUND_L2);
	uh_cycles_miss(&cycles, 0, 1001, UH_REQUEST_FETCH, UH_FOUND_MEMORY);
	assert_int_equal(stalls(&cycles), 15);
	uh_cycles_miss(&cycles, 0, 900, UH_REQUEST_FETCH, UH_FOUND_L3);
	assert_int_equal(stalls(&cycles), 60);
}

static void what_is_hidden_costs_nothing(void **state)
{
	struct uh_model_options options = by_hand();
	struct uh_cycles cycles;

	(void)state;
	options.timing.hidden_load = 100;
	uh_cycles_start(&cycles, &options);
	load_at(&cycles, 0, 1000, UH_FOUND_L3);
	assert_int_equal(stalls(&cycles), 0);
	/* Nor does it open a window that would hide another. */
	load_at(&cycles, 60, 2000, UH_FOUND_MEMORY);
	load_at(&cycles, 120, 3000, UH_FOUND_MEMORY);
	assert_int_equal(stalls(&cycles), 105);
}

static uint64_t random_misses(const struct uh_model_options *options)
{
	struct uh_cycles cycles;
	uint64_t random = 7, position = 0, before = 0;

	uh_cycles_start(&cycles, options);
	for (int i = 0; i < 5000; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		position += (random >> 33) % 90;
		uh_cycles_miss(&cycles, position, (random >> 40) % 500,
			       (enum uh_request)((random >> 50) % UH_REQUESTS),
			       (enum uh_found)((random >> 55) % UH_FOUND_PLACES));
		uint64_t total = uh_cycles_total(&cycles, position, 0);
		/* Time does not run backwards. */
		assert_true(total >= before);
		before = total;
	}
	return before;
}

static void slower_parts_never_make_it_faster(void **state)
{
	struct uh_model_options options = by_hand();
	uint64_t plain = random_misses(&options);

	(void)state;
	options.l2.latency += 5;
	uint64_t slower_l2 = random_misses(&options);
	assert_true(slower_l2 > plain);
	options.l3.latency += 50;
	uint64_t slower_l3 = random_misses(&options);
	assert_true(slower_l3 > slower_l2);
	options.memory_latency += 100;
	uint64_t slower_memory = random_misses(&options);
	assert_true(slower_memory > slower_l3);
	options.timing.overlap_window = 10;
	assert_true(random_misses(&options) > slower_memory);
}

/* 4 instructions a pass, each loading a line of its own page: all in the model's hands. */
static void the_model_places_misses_among_instructions(void **state)
{
	struct uh_model_options options = by_hand();
	struct uh_block block = block_at(0x10000, 50, UH_BLOCK_JUMP);
	struct feed feed;
	uint64_t entries[8];

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		entries[2 * i] = enter(0);
		entries[2 * i + 1] = load(0x100000 + 0x2040 * i);
	}
	feed_start(&feed, &options);
	feed_entries(&feed, &block, 1, entries, 8);
	/*
	 * 200 instructions: 100. 4 lines of code from memory, of which three in sequence: 205.
	 * Loads at instructions 50, 100, 150 and 200 from memory; the window of 100 ends
	 * before 150: two groups of 200.
	 */
	assert_int_equal(feed.totals[UH_QUANTITY_CYCLES], 100 + 205 + 400);
	feed_end(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(instructions_and_mispredictions_add_up),
	    cmocka_unit_test(a_lone_load_costs_what_is_not_hidden),
	    cmocka_unit_test(loads_within_the_window_overlap),
	    cmocka_unit_test(streams_are_foreseen),
	    cmocka_unit_test(the_same_line_or_the_next_but_one_is_no_stream),
	    cmocka_unit_test(stores_cost_bandwidth_alone),
	    cmocka_unit_test(fetches_run_ahead_in_sequence),
	    cmocka_unit_test(what_is_hidden_costs_nothing),
	    cmocka_unit_test(slower_parts_never_make_it_faster),
	    cmocka_unit_test(the_model_places_misses_among_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
