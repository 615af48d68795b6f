/* SPDX-License-Identifier: BSD-3-Clause */
/* The model as a whole: levels, TLBs, damaged input, cuts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model_feed.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct uh_model_options small(void)
{
	struct uh_model_options options;

	uh_model_options_default(&options);
	options.l1i = (struct uh_cache_geometry){256, 2, 1};  /* 2 sets */
	options.l1d = (struct uh_cache_geometry){256, 2, 1};  /* 2 sets */
	options.l2 = (struct uh_cache_geometry){1024, 4, 10}; /* 4 sets */
	options.l3 = (struct uh_cache_geometry){2304, 3, 40}; /* 12 sets */
	options.dtlb = (struct uh_tlb_geometry){4, 2};
	options.itlb = (struct uh_tlb_geometry){2, 1};
	return options;
}

static void fetch_lines_follow_the_code(void **unused)
{
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_block blocks[] = {
	    block_at(0x1030, 40, UH_BLOCK_JUMP), /* 160 bytes: lines 0x40 to 0x43 */
	    block_at(0x10c0, 1, UH_BLOCK_JUMP),  /* line 0x43 */
	    block_at(0x1000, 1, UH_BLOCK_JUMP),  /* line 0x40 */
	};
	uint64_t entries[] = {enter(0), enter(1), enter(1), enter(2), enter(0)};

	(void)unused;
	feed_start(&feed, &options);
	feed_entries(&feed, blocks, 3, entries, COUNT(entries));
	/* Two sets of two ways hold lines 40 to 43: only the first fetches miss. */
	assert_int_equal(feed.totals[UH_QUANTITY_L1I_MISSES], 4);
	feed_end(&feed);
}

static void misses_go_down_level_by_level(void **unused)
{
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_block block = block_at(0x100000, 1, UH_BLOCK_JUMP);
	/* Three lines of one L1D set (two ways), of L2 set 0 (four ways). */
	uint64_t entries[] = {enter(0),     load(0x0000),  load(0x0100), load(0x0200),
			      load(0x0000), store(0x0000), store(0x0100)};

	(void)unused;
	feed_start(&feed, &options);
	feed_entries(&feed, &block, 1, entries, COUNT(entries));
	assert_int_equal(feed.totals[UH_QUANTITY_L1D_LOAD_MISSES], 4);
	assert_int_equal(feed.totals[UH_QUANTITY_L1D_STORE_MISSES], 1);
	assert_int_equal(feed.totals[UH_QUANTITY_L1I_MISSES], 1);
	assert_int_equal(feed.totals[UH_QUANTITY_L2_ACCESSES], 6);
	assert_int_equal(feed.totals[UH_QUANTITY_L2_MISSES], 4);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_LOADS], 3);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_LOAD_MISSES], 3);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_STORES], 0);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_FETCHES], 1);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_FETCH_MISSES], 1);
	feed_end(&feed);
}

static void an_absent_level_is_passed_by(void **unused)
{
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_block block = block_at(0x100000, 1, UH_BLOCK_JUMP);
	uint64_t entries[] = {enter(0), load(0), load(0x100), store(0x200), load(0)};

	(void)unused;
	options.l2.size = 0;
	feed_start(&feed, &options);
	feed_entries(&feed, &block, 1, entries, COUNT(entries));
	assert_int_equal(feed.totals[UH_QUANTITY_L2_ACCESSES], 0);
	assert_int_equal(feed.totals[UH_QUANTITY_L2_MISSES], 0);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_LOADS], 3);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_LOAD_MISSES], 2);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_STORES], 1);
	feed_end(&feed);
	options.l3.size = 0;
	feed_start(&feed, &options);
	feed_entries(&feed, &block, 1, entries, COUNT(entries));
	assert_int_equal(feed.totals[UH_QUANTITY_L1D_LOAD_MISSES], 3);
	assert_int_equal(feed.totals[UH_QUANTITY_L3_LOADS], 0);
	feed_end(&feed);
}

static void threads_share_the_last_level(void **unused)
{
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_model *second;
	struct uh_block block = block_at(0x100000, 1, UH_BLOCK_JUMP);
	uint64_t entries[] = {enter(0), load(0)};
	uint64_t totals[UH_QUANTITY_COUNT] = {0};

	(void)unused;
	feed_start(&feed, &options);
	assert_int_equal(uh_model_new(feed.shared, &second, NULL), 0);
	feed_entries(&feed, &block, 1, entries, 2);
	assert_int_equal(uh_model_run(second, &block, 1, entries, 2), 0);
	uh_model_totals(second, totals);
	assert_int_equal(totals[UH_QUANTITY_L1D_LOAD_MISSES], 1);
	assert_int_equal(totals[UH_QUANTITY_L2_MISSES], 2);
	assert_int_equal(totals[UH_QUANTITY_L3_LOAD_MISSES], 0);
	uh_model_free(second);
	feed_end(&feed);
}

static void an_access_misses_once(void **unused)
{
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_block block = block_at(0x100000, 1, UH_BLOCK_JUMP);
	/* Both halves miss; the second alone misses; a second half that follows another line. */
	uint64_t both[] = {load(0x0fc0), load(0x1000) | UH_ENTRY_SECOND};
	uint64_t second[] = {load(0x0fc0), load(0x1000) | UH_ENTRY_SECOND, load(0x10c0),
			     load(0x10c0), load(0x1100) | UH_ENTRY_SECOND};
	uint64_t apart[] = {store(0x3000), store(0x5000) | UH_ENTRY_SECOND};

	(void)unused;
	feed_start(&feed, &options);
	feed_entries(&feed, &block, 1, both, 2);
	assert_int_equal(feed.totals[UH_QUANTITY_L1D_LOAD_MISSES], 1);
	assert_int_equal(feed.totals[UH_QUANTITY_DTLB_LOAD_MISSES], 1);
	assert_int_equal(feed.totals[UH_QUANTITY_L2_ACCESSES], 2);
	feed_entries(&feed, &block, 1, second, 5);
	assert_int_equal(feed.totals[UH_QUANTITY_L1D_LOAD_MISSES], 3);
	feed_entries(&feed, &block, 1, apart, 2);
	assert_int_equal(feed.totals[UH_QUANTITY_L1D_STORE_MISSES], 2);
	feed_end(&feed);
}

static void tlbs_hold_pages(void **unused)
{
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_block blocks[] = {
	    block_at(0x10000, 1, UH_BLOCK_JUMP),
	    block_at(0x12000, 1, UH_BLOCK_JUMP), /* the same set of the ITLB, which has one way */
	    block_at(0x11ffc, 2, UH_BLOCK_JUMP), /* on two pages */
	};
	uint64_t entries[] = {enter(0), enter(0), enter(1), enter(0), enter(2)};
	/* Even pages share a set of two ways. */
	uint64_t accesses[] = {load(0x2000), load(0x2fff),  store(0x4000), load(0x2000),
			       load(0x6000), store(0x4000), load(0x3000)};

	(void)unused;
	options.caches = false;
	feed_start(&feed, &options);
	feed_entries(&feed, blocks, 3, entries, COUNT(entries));
	assert_int_equal(feed.totals[UH_QUANTITY_ITLB_MISSES], 5);
	feed_entries(&feed, blocks, 3, accesses, COUNT(accesses));
	assert_int_equal(feed.totals[UH_QUANTITY_DTLB_LOAD_MISSES], 3);
	assert_int_equal(feed.totals[UH_QUANTITY_DTLB_STORE_MISSES], 2);
	assert_int_equal(feed.totals[UH_QUANTITY_L1D_LOAD_MISSES], 0);
	feed_end(&feed);
}

static void what_is_not_modelled_is_zero(void **unused)
{
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_block block = block_at(0x1000, 4, UH_BLOCK_CONDITIONAL);
	uint64_t entries[] = {enter(0), load(0), enter(0), store(0x4000), enter(0)};

	(void)unused;
	options.caches = options.tlbs = false;
	feed_start(&feed, &options);
	feed_entries(&feed, &block, 1, entries, COUNT(entries));
	for (int i = UH_QUANTITY_L1I_MISSES; i < UH_QUANTITY_CYCLES; i++)
		assert_int_equal(feed.totals[i], 0);
	assert_true(feed.totals[UH_QUANTITY_CYCLES] > 0);
	feed_end(&feed);
}

/* Blocks that cannot be, each in its own way. */
static void damage(struct uh_block *block, int way)
{
	switch (way) {
	case 0:
		block->end = block->start;
		break;
	case 1:
		block->end = block->start - 1;
		break;
	case 2:
		block->end = block->start + (1 << 20);
		break;
	default:
		block->end = UINT64_MAX;
		block->start = block->last = UINT64_MAX - 8;
		break;
	}
}

static void damaged_blocks_are_counted_and_passed_by(void **unused)
{
	struct uh_model_options options = small();
	uint64_t entries[] = {enter(0), enter(1), enter(1), load(0), enter(0)};

	(void)unused;
	for (int way = 0; way < 4; way++) {
		struct feed feed;
		struct uh_block blocks[] = {block_at(0x1000, 2, UH_BLOCK_JUMP),
					    block_at(0x2000, 2, UH_BLOCK_JUMP)};
		damage(&blocks[1], way);
		feed_start(&feed, &options);
		feed_entries(&feed, blocks, 2, entries, COUNT(entries));
		assert_int_equal(uh_model_malformed(feed.model), 2);
		assert_int_equal(feed.totals[UH_QUANTITY_L1I_MISSES], 1);
		feed_end(&feed);
	}
}

static void an_index_beyond_the_table_is_counted(void **unused)
{
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_block block = block_at(0x1000, 2, UH_BLOCK_JUMP);
	uint64_t entries[] = {enter(0), enter(1), enter(UINT32_MAX), UINT64_MAX, enter(0)};

	(void)unused;
	feed_start(&feed, &options);
	feed_entries(&feed, &block, 1, entries, COUNT(entries));
	assert_int_equal(uh_model_malformed(feed.model), 3);
	assert_int_equal(feed.totals[UH_QUANTITY_L1I_MISSES], 1);
	feed_entries(&feed, NULL, 0, entries, COUNT(entries));
	assert_int_equal(uh_model_malformed(feed.model), 8);
	feed_end(&feed);
}

/* The longest blocks that are believed, so that lists of fetches fill up. */
static void long_blocks_fit(void **unused)
{
	enum { LONG = 40, ENTRIES = 5000 };
	struct uh_model_options options = small();
	struct feed feed;
	struct uh_block blocks[LONG];
	static uint64_t entries[ENTRIES];

	(void)unused;
	for (uint32_t i = 0; i < LONG; i++) {
		blocks[i] = block_at(0x1000 + 0x4000 * i + 63, 2032, UH_BLOCK_JUMP);
		assert_int_equal(blocks[i].end - blocks[i].start, 127 * 64);
	}
	for (uint32_t i = 0; i < ENTRIES; i++)
		entries[i] = enter(i % LONG);
	feed_start(&feed, &options);
	feed_entries(&feed, blocks, LONG, entries, ENTRIES);
	assert_int_equal(uh_model_malformed(feed.model), 0);
	assert_int_equal(feed.totals[UH_QUANTITY_L1I_MISSES], 128ull * ENTRIES);
	feed_end(&feed);
}

static void a_growing_table_keeps_its_blocks(void **unused)
{
	enum { MANY = 20000 };
	struct uh_model_options options = small();
	struct feed feed;
	static struct uh_block blocks[MANY];

	(void)unused;
	feed_start(&feed, &options);
	for (uint32_t i = 0; i < MANY; i++) {
		uint64_t entry = enter(i);
		blocks[i] = block_at(0x1000 + 16 * i, 2, UH_BLOCK_JUMP);
		assert_int_equal(uh_model_run(feed.model, blocks, i + 1, &entry, 1), 0);
	}
	/* Four blocks a line, each line fetched once; none was forgotten. */
	uh_model_totals(feed.model, feed.totals);
	assert_int_equal(feed.totals[UH_QUANTITY_L1I_MISSES], MANY / 4);
	assert_int_equal(uh_model_malformed(feed.model), 0);
	feed_end(&feed);
}

static uint64_t seed;

static uint32_t random_below(uint32_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((seed >> 33) % limit);
}

/* A stream with everything in it, damage included. */
static void make_stream(struct uh_block *blocks, uint32_t block_count, uint64_t *entries,
			size_t count)
{
	seed = 42;
	for (uint32_t i = 0; i < block_count; i++) {
		blocks[i] = block_at(0x1000 + 48 * i, (uint16_t)(1 + random_below(40)),
				     (enum uh_block_ending)random_below(10));
		blocks[i].loads = (uint16_t)random_below(4);
		blocks[i].stores = (uint16_t)random_below(4);
	}
	for (size_t i = 0; i < count; i++) {
		switch (random_below(4)) {
		case 0:
			entries[i] = load(64 * random_below(200)) | random_below(4);
			break;
		case 1:
			entries[i] =
			    (i ? entries[i - 1] & UH_ENTRY_LINE_MASK : 0) + 64 + UH_ENTRY_SECOND;
			break;
		default:
			entries[i] = enter(random_below(block_count + 1));
			break;
		}
	}
}

static void cuts_change_nothing(void **unused)
{
	enum { BLOCKS = 60, ENTRIES = 2500 };
	struct uh_model_options options = small();
	static struct uh_block blocks[BLOCKS];
	static uint64_t entries[ENTRIES];
	struct feed whole;

	(void)unused;
	make_stream(blocks, BLOCKS, entries, ENTRIES);
	feed_start(&whole, &options);
	feed_entries(&whole, blocks, BLOCKS, entries, ENTRIES);
	assert_true(whole.totals[UH_QUANTITY_L1I_MISSES] > 0);
	assert_true(whole.totals[UH_QUANTITY_L3_LOAD_MISSES] > 0);
	for (size_t cut = 0; cut <= ENTRIES; cut++) {
		struct feed parts;
		feed_start(&parts, &options);
		feed_entries(&parts, blocks, BLOCKS, entries, cut);
		feed_entries(&parts, blocks, BLOCKS, entries + cut, ENTRIES - cut);
		assert_memory_equal(parts.totals, whole.totals, sizeof(whole.totals));
		assert_int_equal(uh_model_malformed(parts.model), uh_model_malformed(whole.model));
		feed_end(&parts);
	}
	struct feed singles;
	feed_start(&singles, &options);
	for (size_t i = 0; i < ENTRIES; i++)
		feed_entries(&singles, blocks, BLOCKS, entries + i, 1);
	assert_memory_equal(singles.totals, whole.totals, sizeof(whole.totals));
	feed_end(&singles);
	feed_end(&whole);
}

/* What the producer may leave out changes nothing. */
static void the_producers_filter_changes_nothing(void **unused)
{
	enum { BLOCKS = 60, ENTRIES = 20000 };
	struct uh_model_options options = small();
	static struct uh_block blocks[BLOCKS];
	static uint64_t entries[ENTRIES], kept[ENTRIES];
	uint64_t last_line[64], last_page[64];
	struct feed whole, filtered;
	size_t count = 0;

	(void)unused;
	make_stream(blocks, BLOCKS, entries, ENTRIES);
	memset(last_line, 0xff, sizeof(last_line));
	memset(last_page, 0xff, sizeof(last_page));
	uint32_t lines = uh_model_filter_lines(&options, 64);
	uint32_t pages = uh_model_filter_pages(&options, 64);
	assert_int_equal(lines, 2);
	assert_int_equal(pages, 2);
	for (size_t i = 0; i < ENTRIES; i++) {
		uint64_t line = entries[i] >> 6, page = entries[i] >> 12;
		bool whole_access = !(entries[i] & UH_ENTRY_BLOCK) && random_below(2) &&
				    !(entries[i] & UH_ENTRY_SECOND) &&
				    !(i + 1 < ENTRIES && (entries[i + 1] & UH_ENTRY_SECOND));
		if (whole_access && last_line[line % lines] == line &&
		    last_page[page % pages] == page)
			continue;
		kept[count++] = entries[i];
		if (!(entries[i] & UH_ENTRY_BLOCK)) {
			last_line[line % lines] = line;
			last_page[page % pages] = page;
		}
	}
	assert_true(count < ENTRIES);
	feed_start(&whole, &options);
	feed_start(&filtered, &options);
	feed_entries(&whole, blocks, BLOCKS, entries, ENTRIES);
	feed_entries(&filtered, blocks, BLOCKS, kept, count);
	assert_memory_equal(filtered.totals, whole.totals, sizeof(whole.totals));
	feed_end(&filtered);
	feed_end(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fetch_lines_follow_the_code),
	    cmocka_unit_test(misses_go_down_level_by_level),
	    cmocka_unit_test(an_absent_level_is_passed_by),
	    cmocka_unit_test(threads_share_the_last_level),
	    cmocka_unit_test(an_access_misses_once),
	    cmocka_unit_test(tlbs_hold_pages),
	    cmocka_unit_test(what_is_not_modelled_is_zero),
	    cmocka_unit_test(damaged_blocks_are_counted_and_passed_by),
	    cmocka_unit_test(an_index_beyond_the_table_is_counted),
	    cmocka_unit_test(long_blocks_fit),
	    cmocka_unit_test(a_growing_table_keeps_its_blocks),
	    cmocka_unit_test(cuts_change_nothing),
	    cmocka_unit_test(the_producers_filter_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
