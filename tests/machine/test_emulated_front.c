/* SPDX-License-Identifier: BSD-3-Clause */
/* The front: predictors whose mispredictions can be told beforehand, outcomes, fetched lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/emulated_front.h"
#include "machine/emulated_totals.h"
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
		wrong += uh_predict_direction(&predictor, uh_direction_hash(PC), 0, &history);
	assert_int_equal(wrong, 0);
}

/* Each of the 15 histories 0, 1, 11, ... 11111111111111 is wrong the first time. */
static void always_taken_is_wrong_until_history_is_full(void **state)
{
	uint32_t history = 0, wrong = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		wrong += uh_predict_direction(&predictor, uh_direction_hash(PC), 1, &history);
	assert_int_equal(wrong, UH_DIRECTION_BITS + 1);
}

/* One not taken costs one miss and does not unlearn: two-bit counters. */
static void an_exception_is_one_miss(void **state)
{
	uint32_t history = 0, wrong = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		(void)uh_predict_direction(&predictor, uh_direction_hash(PC), 1, &history);
	uint32_t kept = history;
	wrong += uh_predict_direction(&predictor, uh_direction_hash(PC), 0, &history);
	assert_int_equal(wrong, 1);
	history = kept;
	assert_int_equal(uh_predict_direction(&predictor, uh_direction_hash(PC), 1, &history), 0);
}

/* Wrong outcomes in the last half of 4000 of a loop that is left every `period` times. */
static uint32_t wrong_of_period(uint32_t period)
{
	uint32_t history = 0, wrong = 0;

	uh_predictor_reset(&predictor);
	for (uint32_t i = 0; i < 4000; i++) {
		uint32_t miss = uh_predict_direction(&predictor, uh_direction_hash(PC),
						     i % period != 0, &history);
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
		wrong += uh_predict_direction(&predictor, uh_direction_hash(PC),
					      (uint32_t)(random >> 63), &history);
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

/* Enters the blocks of `order` in turn; true in *changed for those that may change a cache. */
static void enter_all(struct uh_front *front, struct uh_block *blocks, const uint32_t *order,
		      size_t count, uint64_t *totals, bool *changed, bool pages)
{
	for (size_t i = 0; i < count; i++) {
		struct uh_block *block = &blocks[order[i]];
		block->branch_hash = uh_direction_hash(block->last);
		uh_front_branch(front, block, totals, true);
		bool changes = uh_front_fetch(front, block, totals, true, pages);
		if (changed)
			changed[i] = changes;
	}
}

static struct uh_front front;

static void taken_is_not_falling_through(void **state)
{
	struct uh_block blocks[] = {
	    block_at(0x1000, 2, UH_BLOCK_CONDITIONAL), /* ends at 0x1008 */
	    block_at(0x1008, 2, UH_BLOCK_JUMP),
	    block_at(0x1020, 2, UH_BLOCK_FALLS_THROUGH),
	};
	/* Not taken, jump back, taken, and one whose outcome is still open. */
	const uint32_t order[] = {0, 1, 0, 2, 0};
	uint64_t totals[UH_QUANTITY_COUNT] = {0};

	(void)state;
	uh_front_reset(&front, UH_FRONT_LINES);
	enter_all(&front, blocks, order, 5, totals, NULL, false);
	assert_int_equal(totals[UH_QUANTITY_BRANCHES_CONDITIONAL_TAKEN], 1);
	assert_int_equal(totals[UH_QUANTITY_FETCH_LINES], 1);
}

static void fetch_lines_follow_the_code(void **state)
{
	struct uh_block blocks[] = {
	    block_at(0x1030, 40, UH_BLOCK_JUMP), /* 160 bytes: lines 0x40 to 0x43 */
	    block_at(0x10c0, 1, UH_BLOCK_JUMP),  /* line 0x43 */
	    block_at(0x1000, 1, UH_BLOCK_JUMP),  /* line 0x40 */
	};
	const uint32_t order[] = {0, 1, 1, 2, 0};
	uint64_t totals[UH_QUANTITY_COUNT] = {0};

	(void)state;
	uh_front_reset(&front, UH_FRONT_LINES);
	enter_all(&front, blocks, order, 5, totals, NULL, false);
	assert_int_equal(totals[UH_QUANTITY_FETCH_LINES], 4 + 0 + 0 + 1 + 3);
}

/* A block is worth telling when one of its lines was not the last in its class of sets. */
static void only_what_changes_is_told(void **state)
{
	struct uh_block blocks[] = {
	    block_at(0x1000, 2, UH_BLOCK_JUMP),
	    block_at(0x1040, 2, UH_BLOCK_JUMP),  /* the other class of two */
	    block_at(0x1080, 2, UH_BLOCK_JUMP),  /* the class of 0x1000 */
	    block_at(0x103c, 2, UH_BLOCK_JUMP),  /* both lines of the first two */
	    block_at(0x1000, 48, UH_BLOCK_JUMP), /* three lines: always told */
	};
	const uint32_t order[] = {0, 0, 1, 0, 1, 3, 2, 0, 4, 4};
	const bool wanted[] = {true, false, true, false, false, false, true, true, true, true};
	bool changed[10];
	uint64_t totals[UH_QUANTITY_COUNT] = {0};

	(void)state;
	uh_front_reset(&front, 2);
	enter_all(&front, blocks, order, 10, totals, changed, false);
	for (int i = 0; i < 10; i++)
		assert_int_equal(changed[i], wanted[i]);
}

static void a_change_of_page_is_told(void **state)
{
	struct uh_block blocks[] = {block_at(0x1000, 2, UH_BLOCK_JUMP),
				    block_at(0x2040, 2, UH_BLOCK_JUMP)};
	const uint32_t order[] = {0, 1, 0, 0, 1};
	const bool wanted[] = {true, true, true, false, true};
	bool changed[5];
	uint64_t totals[UH_QUANTITY_COUNT] = {0};

	(void)state;
	uh_front_reset(&front, UH_FRONT_LINES);
	enter_all(&front, blocks, order, 5, totals, changed, true);
	for (int i = 0; i < 5; i++)
		assert_int_equal(changed[i], wanted[i]);
}

/* call, work, return, conditional, back. */
static void each_branch_asks_its_predictor(void **state)
{
	struct uh_block blocks[] = {
	    block_at(0x1000, 2, UH_BLOCK_CALL),        /* to 0x2000; returns to 0x1008 */
	    block_at(0x2000, 3, UH_BLOCK_RETURN),      /* */
	    block_at(0x1008, 1, UH_BLOCK_CONDITIONAL), /* falls to 0x100c */
	    block_at(0x100c, 1, UH_BLOCK_JUMP_INDIRECT), block_at(0x3000, 1, UH_BLOCK_JUMP),
	};
	const uint32_t straight[] = {0, 1, 2, 3, 0};
	const uint32_t astray[] = {1, 4, 2, 4};
	uint64_t totals[UH_QUANTITY_COUNT] = {0};

	(void)state;
	uh_front_reset(&front, UH_FRONT_LINES);
	enter_all(&front, blocks, straight, 5, totals, NULL, false);
	assert_int_equal(totals[UH_QUANTITY_BRANCH_MISSES_CONDITIONAL], 0);
	assert_int_equal(totals[UH_QUANTITY_BRANCH_MISSES_INDIRECT], 1);
	/* A return that goes elsewhere, and a conditional jump taken for the first time. */
	enter_all(&front, blocks, astray, 4, totals, NULL, false);
	assert_int_equal(totals[UH_QUANTITY_BRANCH_MISSES_CONDITIONAL], 1);
	assert_int_equal(totals[UH_QUANTITY_BRANCH_MISSES_INDIRECT], 2);
}

/* What each kind of block adds when it runs. */
static void one_of_each(void **state)
{
	uint64_t totals[UH_QUANTITY_COUNT] = {0};

	(void)state;
	for (uint32_t i = 0; i < 9; i++) {
		struct uh_block block =
		    block_at(0x1000 + 64 * i, (uint16_t)(i + 1), (enum uh_block_ending)i);
		block.loads = (uint16_t)(10 * i);
		block.stores = (uint16_t)(7 * i);
		block.bytes_loaded = 80 * i;
		block.bytes_stored = 56 * i;
		block.atomics = (uint16_t)i;
		uh_block_add(totals, &block, 2);
	}
	assert_int_equal(totals[UH_QUANTITY_INSTRUCTIONS], 2 * 45);
	assert_int_equal(totals[UH_QUANTITY_LOADS], 2 * 360);
	assert_int_equal(totals[UH_QUANTITY_STORES], 2 * 252);
	assert_int_equal(totals[UH_QUANTITY_BYTES_LOADED], 2 * 2880);
	assert_int_equal(totals[UH_QUANTITY_BYTES_STORED], 2 * 2016);
	assert_int_equal(totals[UH_QUANTITY_ATOMICS], 2 * 36);
	assert_int_equal(totals[UH_QUANTITY_BRANCHES], 2 * 6);
	assert_int_equal(totals[UH_QUANTITY_BRANCHES_CONDITIONAL], 2 * 1);
	assert_int_equal(totals[UH_QUANTITY_BRANCHES_INDIRECT], 2 * 2);
	assert_int_equal(totals[UH_QUANTITY_CALLS], 2 * 2);
	assert_int_equal(totals[UH_QUANTITY_RETURNS], 2 * 1);
	assert_int_equal(totals[UH_QUANTITY_SYSTEM_CALLS], 2 * 1);
	assert_int_equal(totals[UH_QUANTITY_BRANCHES_TAKEN], 2 * 5);
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
	    cmocka_unit_test(taken_is_not_falling_through),
	    cmocka_unit_test(fetch_lines_follow_the_code),
	    cmocka_unit_test(only_what_changes_is_told),
	    cmocka_unit_test(a_change_of_page_is_told),
	    cmocka_unit_test(each_branch_asks_its_predictor),
	    cmocka_unit_test(one_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
