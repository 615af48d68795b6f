/* SPDX-License-Identifier: BSD-3-Clause */
/* Each variant of the cache against a slow one that is right by inspection. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine/emulated_model_cache.h"

#define NAIVE_LINES 4096
#define ROUNDS 4000
#define CHUNK 97

/* Every line with the time of its last use; the victim is the oldest of its set. */
struct naive {
	uint64_t sets;
	uint32_t ways;
	uint64_t clock;
	struct {
		uint64_t line, used;
		bool valid;
	} held[NAIVE_LINES];
};

static bool naive_touch(struct naive *naive, uint64_t line)
{
	size_t base = (line % naive->sets) * naive->ways, victim = base;

	naive->clock++;
	for (size_t i = base; i < base + naive->ways; i++) {
		if (naive->held[i].valid && naive->held[i].line == line) {
			naive->held[i].used = naive->clock;
			return true;
		}
		if (naive->held[i].used < naive->held[victim].used)
			victim = i;
	}
	naive->held[victim].line = line;
	naive->held[victim].used = naive->clock;
	naive->held[victim].valid = true;
	return false;
}

static uint64_t seed;

static uint64_t random_number(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return seed >> 24;
}

/* Lines that fall into a few sets, over and over, with some from far away. */
static uint64_t random_line(uint64_t sets, uint32_t ways)
{
	uint64_t number = random_number();
	uint64_t set = number % (sets < 5 ? sets : 5);
	uint64_t tag = (number >> 8) % (ways + ways / 2 + 2);

	if ((number >> 16) % 37 == 0)
		return (number * 0x9e3779b97f4a7c15ull) >> 7;
	/* Some tags differ only in bits above the 32nd. */
	return set + sets * tag + (((number >> 24) & 1) << 40) * sets;
}

static void compare(uh_cache_touch *touch, uint64_t sets, uint32_t ways)
{
	static struct naive naive;
	struct uh_cache cache = {0};
	uint64_t lines[CHUNK];
	uint32_t missed[CHUNK + 1];

	memset(&naive, 0, sizeof(naive));
	naive.sets = sets;
	naive.ways = ways;
	seed = sets * 131 + ways;
	assert_int_equal(uh_cache_new(&cache, sets, ways), 0);
	for (int round = 0; round < ROUNDS / CHUNK; round++) {
		size_t count = 1 + random_number() % CHUNK;
		for (size_t i = 0; i < count; i++)
			lines[i] = random_line(sets, ways);
		size_t misses = touch(&cache, lines, count, missed), expected = 0;
		for (size_t i = 0; i < count; i++) {
			if (naive_touch(&naive, lines[i]))
				continue;
			assert_true(expected < misses);
			assert_int_equal(missed[expected], i);
			expected++;
		}
		assert_int_equal(misses, expected);
	}
	uh_cache_free(&cache);
}

static void agrees(enum uh_cache_variant variant)
{
	static const uint64_t sets[] = {1, 2, 3, 4, 16, 52, 64, 128};
	uh_cache_touch *touch = uh_cache_touch_of(variant);

	if (!touch)
		skip();
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		for (uint32_t ways = 1; ways <= 32; ways++)
			compare(touch, sets[i], ways);
	}
}

static void portable_agrees(void **unused)
{
	(void)unused;
	agrees(UH_CACHE_PORTABLE);
}

static void avx2_agrees(void **unused)
{
	(void)unused;
	agrees(UH_CACHE_AVX2);
}

static void avx512_agrees(void **unused)
{
	(void)unused;
	agrees(UH_CACHE_AVX512);
}

static void there_is_always_one(void **unused)
{
	(void)unused;
	assert_non_null(uh_cache_touch_of(UH_CACHE_PORTABLE));
	assert_non_null(uh_cache_touch_best());
	assert_null(uh_cache_touch_of(UH_CACHE_VARIANTS));
}

static void nothing_touched_is_nothing_missed(void **unused)
{
	struct uh_cache cache = {0};
	uint32_t missed[1];

	(void)unused;
	assert_int_equal(uh_cache_new(&cache, 4, 2), 0);
	assert_int_equal(uh_cache_touch_best()(&cache, NULL, 0, missed), 0);
	uh_cache_free(&cache);
	uh_cache_free(&cache);
}

static void a_size_beyond_memory_is_refused(void **unused)
{
	struct uh_cache cache = {0};

	(void)unused;
	assert_true(uh_cache_new(&cache, UINT64_MAX / 8, 8) < 0);
	assert_null(cache.tags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(portable_agrees),
	    cmocka_unit_test(avx2_agrees),
	    cmocka_unit_test(avx512_agrees),
	    cmocka_unit_test(there_is_always_one),
	    cmocka_unit_test(nothing_touched_is_nothing_missed),
	    cmocka_unit_test(a_size_beyond_memory_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
