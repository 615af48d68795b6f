/* SPDX-License-Identifier: BSD-3-Clause */
/* The branch predictors: sequences whose mispredictions can be told beforehand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/emulated_model_branch.h"
#include "model_feed.h"

#define PC 0x401234ull

static struct uh_predictor predictor;

static int start(void **state)
{
	(void)state;
	uh_predictor_reset(&predictor);
	return 0;
}

static void never_taken_is_never_wrong(void **state)
{
	uint32_t history = 0, wrong = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		wrong += uh_predict_direction(&predictor, PC, 0, &history);
	assert_int_equal(wrong, 0);
}

/* Each of the 15 histories 0, 1, 11, ... 11111111111111 is wrong the first time. */
static void always_taken_is_wrong_until_history_is_full(void **state)
{
	uint32_t history = 0, wrong = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		wrong += uh_predict_direction(&predictor, PC, 1, &history);
	assert_int_equal(wrong, UH_DIRECTION_BITS + 1);
}

/* One not taken costs one miss and does not unlearn: two-bit counters. */
static void an_exception_is_one_miss(void **state)
{
	uint32_t history = 0, wrong = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		(void)uh_predict_direction(&predictor, PC, 1, &history);
	uint32_t kept = history;
	wrong += uh_predict_direction(&predictor, PC, 0, &history);
	assert_int_equal(wrong, 1);
	history = kept;
	assert_int_equal(uh_predict_direction(&predictor, PC, 1, &history), 0);
}

/* Wrong outcomes in the last half of 4000 of a loop that is left every `period` times. */
static uint32_t wrong_of_period(uint32_t period)
{
	uint32_t history = 0, wrong = 0;

	uh_predictor_reset(&predictor);
	for (uint32_t i = 0; i < 4000; i++) {
		uint32_t miss = uh_predict_direction(&predictor, PC, i % period != 0, &history);
		if (i >= 2000)
			wrong += miss;
	}
	return wrong;
}

static void periods_within_history_are_learnt(void **state)
{
	(void)state;
	assert_int_equal(wrong_of_period(2), 0);
	assert_int_equal(wrong_of_period(5), 0);
	assert_int_equal(wrong_of_period(UH_DIRECTION_BITS), 0);
	/* Longer than the history: the exit looks like any other pass. */
	assert_int_equal(wrong_of_period(40), 2000 / 40);
}

static void chance_is_wrong_half_the_time(void **state)
{
	uint64_t random = 12345;
	uint32_t history = 0, wrong = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		random = random * 6364136223846793005ull + 1442695040888963407ull;
		wrong += uh_predict_direction(&predictor, PC, (uint32_t)(random >> 63), &history);
	}
	assert_in_range(wrong, 49000, 51000);
}

static void returns_go_where_calls_came_from(void **state)
{
	uint32_t wrong = 0;

	(void)state;
	for (uint64_t depth = 0; depth < UH_RETURNS; depth++)
		uh_predict_call(&predictor, 0x1000 + depth);
	for (uint64_t depth = UH_RETURNS; depth-- > 0;)
		wrong += uh_predict_return(&predictor, 0x1000 + depth);
	assert_int_equal(wrong, 0);
}

static void calls_too_deep_are_forgotten(void **state)
{
	uint32_t wrong = 0;

	(void)state;
	for (uint64_t depth = 0; depth < UH_RETURNS + 4; depth++)
		uh_predict_call(&predictor, 0x1000 + depth);
	for (uint64_t depth = UH_RETURNS + 4; depth-- > 0;)
		wrong += uh_predict_return(&predictor, 0x1000 + depth);
	assert_int_equal(wrong, 4);
}

static void one_indirect_target_is_learnt_at_once(void **state)
{
	uint32_t wrong = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		wrong += uh_predict_indirect(&predictor, PC, 0x500000);
	/* The path settles after a few, and is new until then. */
	assert_in_range(wrong, 1, 4);
}

static void targets_in_turn_are_told_by_the_path(void **state)
{
	uint32_t wrong = 0;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		uint32_t miss = uh_predict_indirect(&predictor, PC, 0x500000 + 0x40 * (i % 5));
		if (i >= 100)
			wrong += miss;
	}
	assert_int_equal(wrong, 0);
}

/* call, work, return, conditional, back: through the whole model. */
static void the_model_asks_the_right_predictor(void **state)
{
	struct uh_model_options options;
	struct feed feed;
	struct uh_block blocks[] = {
	    block_at(0x1000, 2, UH_BLOCK_CALL),        /* to 0x2000; returns to 0x1008 */
	    block_at(0x2000, 3, UH_BLOCK_RETURN),      /* */
	    block_at(0x1008, 1, UH_BLOCK_CONDITIONAL), /* falls to 0x100c */
	    block_at(0x100c, 1, UH_BLOCK_JUMP_INDIRECT), block_at(0x3000, 1, UH_BLOCK_JUMP),
	};
	uint64_t entries[] = {enter(0), enter(1), enter(2), enter(3), enter(0)};
	uint64_t astray[] = {enter(1), enter(4), enter(2), enter(4)};

	(void)state;
	uh_model_options_default(&options);
	feed_start(&feed, &options);
	feed_entries(&feed, blocks, 5, entries, 5);
	assert_int_equal(feed.totals[UH_QUANTITY_BRANCH_MISSES_CONDITIONAL], 0);
	assert_int_equal(feed.totals[UH_QUANTITY_BRANCH_MISSES_INDIRECT], 1);
	/* A return that goes elsewhere, and a conditional jump taken for the first time. */
	feed_entries(&feed, blocks, 5, astray, 4);
	assert_int_equal(feed.totals[UH_QUANTITY_BRANCH_MISSES_CONDITIONAL], 1);
	assert_int_equal(feed.totals[UH_QUANTITY_BRANCH_MISSES_INDIRECT], 2);
	assert_int_equal(feed.totals[UH_QUANTITY_BRANCH_MISSES], 3);
	feed_end(&feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(never_taken_is_never_wrong, start),
	    cmocka_unit_test_setup(always_taken_is_wrong_until_history_is_full, start),
	    cmocka_unit_test_setup(an_exception_is_one_miss, start),
	    cmocka_unit_test_setup(periods_within_history_are_learnt, start),
	    cmocka_unit_test_setup(chance_is_wrong_half_the_time, start),
	    cmocka_unit_test_setup(returns_go_where_calls_came_from, start),
	    cmocka_unit_test_setup(calls_too_deep_are_forgotten, start),
	    cmocka_unit_test_setup(one_indirect_target_is_learnt_at_once, start),
	    cmocka_unit_test_setup(targets_in_turn_are_told_by_the_path, start),
	    cmocka_unit_test(the_model_asks_the_right_predictor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
