/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast the models behind the emulated machine's modelled figures run, on
 * streams made up to be like those of real programs.
 *
 * usage: model_speed [VARIANT]     VARIANT: 0 portable, 1 AVX2, 2 AVX-512
 *
 * For each stream: nanoseconds of CPU time a guest instruction, with all models
 * and with single ones, and what the models found, so that a stream can be
 * compared with the program it stands for.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "machine/emulated_model_batch.h"

#define ENTRIES (1u << 20)
#define REPEATS 8
#define BLOCKS_MAX 65536u

/* A stream's shape: how much code and data it goes through, and how predictably. */
struct shape {
	const char *name;
	uint32_t blocks;       /* static */
	uint32_t loop;         /* blocks of an inner loop */
	uint32_t passes;       /* of a loop before the next one, on average */
	uint32_t surprise;     /* conditional outcomes in 256 that are random */
	uint32_t accesses;     /* kept by the producer's filter, in 256 blocks */
	uint64_t data;         /* bytes of data touched */
	uint32_t far_accesses; /* of accesses, in 256, that go anywhere in `data` */
};

static const struct shape shapes[] = {
    {"compressor", 600, 8, 40, 24, 300, 1 << 18, 40},
    {"interpreter", 12000, 30, 2, 10, 400, 1 << 22, 12},
    {"database", 20000, 25, 4, 10, 360, 1 << 21, 20},
    {"matrix columns", 50, 4, 1000, 1, 256, 1 << 23, 250},
    {"tiny loop", 20, 5, 100000, 0, 60, 1 << 13, 0},
};

static uint64_t state = 88172645463325252ull;

static uint32_t random_below(uint32_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 32) * limit >> 32);
}

/* Blocks of 5 to 8 instructions of 4 bytes, in functions of 16 blocks strewn over the code. */
static void make_blocks(const struct shape *shape, struct uh_block *blocks)
{
	uint64_t at = 0x555555554000ull;

	for (uint32_t i = 0; i < shape->blocks; i++) {
		uint16_t instructions = (uint16_t)(5 + random_below(4));
		uint32_t kind = random_below(100);

		if (i % 16 == 0)
			at += 64 * random_below(8);
		blocks[i] = (struct uh_block){
		    .start = at,
		    .end = at + instructions * 4u,
		    .last = at + instructions * 4u - 3,
		    .instructions = instructions,
		    .loads = 1,
		    .stores = 1,
		    .ending = kind < 70   ? UH_BLOCK_CONDITIONAL
			      : kind < 82 ? UH_BLOCK_JUMP
			      : kind < 89 ? UH_BLOCK_CALL
			      : kind < 96 ? UH_BLOCK_RETURN
					  : UH_BLOCK_JUMP_INDIRECT,
		};
		at = blocks[i].end;
	}
}

static uint64_t make_access(const struct shape *shape, uint64_t *cursor)
{
	if (random_below(256) < shape->far_accesses)
		return 0x7ffff0000000ull +
		       ((uint64_t)random_below((uint32_t)(shape->data >> 6)) << 6);
	*cursor = (*cursor + 64) & ((1 << 14) - 1);
	return 0x7fffffff0000ull + *cursor + random_below(2);
}

/* Each block is told to the model, which a producer would seldom do: its worst case. */
static uint64_t make_entries(const struct shape *shape, const struct uh_block *blocks,
			     uint64_t *entries)
{
	uint32_t first = 0, place = 0;
	uint64_t cursor = 0, instructions = 0;

	for (size_t i = 0; i < ENTRIES;) {
		uint32_t index = (first + place) % shape->blocks;
		uint64_t count = blocks[index].instructions;

		instructions += count;
		entries[i++] = UH_ENTRY_BLOCK | count << UH_ENTRY_INSTRUCTIONS_SHIFT | index;
		for (uint32_t left = shape->accesses; i < ENTRIES && left;
		     left -= left < 256 ? left : 256) {
			if (random_below(256) < left)
				entries[i++] = make_access(shape, &cursor);
		}
		/* A surprise skips a block. */
		place += 1u + (random_below(256) < shape->surprise);
		if (place < shape->loop)
			continue;
		place = 0;
		if (random_below(shape->passes) == 0)
			first = random_below(shape->blocks);
	}
	return instructions;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds of the fastest of REPEATS runs after a first one to warm up. */
static double run(const struct uh_model_options *options, uh_cache_touch *touch,
		  const struct shape *shape, const struct uh_block *blocks, const uint64_t *entries,
		  uint64_t *totals)
{
	struct uh_model_shared *shared;
	struct uh_model *model;
	struct uh_error error = {0};
	double best = 1e9;

	if (uh_model_shared_new(options, &shared, &error) || uh_model_new(shared, &model, &error))
		errx(1, "%s", error.text);
	if (touch)
		shared->touch = touch;
	for (int i = 0; i <= REPEATS; i++) {
		double start = now();
		if (uh_model_run(model, blocks, shape->blocks, entries, ENTRIES))
			errx(1, "out of memory");
		double took = now() - start;
		if (i && took < best)
			best = took;
	}
	uh_model_totals(model, totals);
	uh_model_free(model);
	uh_model_shared_free(shared);
	return best;
}

static void report(const struct shape *shape, uh_cache_touch *touch)
{
	static struct uh_block blocks[BLOCKS_MAX];
	static uint64_t entries[ENTRIES];
	uint64_t t[UH_QUANTITY_COUNT] = {0};
	struct uh_model_options options;
	double times[3];

	make_blocks(shape, blocks);
	double instructions = (double)make_entries(shape, blocks, entries);
	for (int i = 0; i < 3; i++) {
		uh_model_options_default(&options);
		options.caches = i == 0 || i == 1;
		options.tlbs = i == 0 || i == 2;
		uint64_t unused[UH_QUANTITY_COUNT] = {0};
		times[i] = run(&options, touch, shape, blocks, entries, i ? unused : t);
	}
	double per_kilo = 1000.0 / (instructions * (REPEATS + 1));
	printf("%-15s %5.2f %6.2f %6.2f   %6.2f %6.2f %6.2f %6.2f %6.2f\n", shape->name,
	       1e9 * times[0] / instructions, 1e9 * times[1] / instructions,
	       1e9 * times[2] / instructions, 1e9 * times[0] / ENTRIES,
	       per_kilo * (double)t[UH_QUANTITY_L1I_MISSES],
	       per_kilo *
		   (double)(t[UH_QUANTITY_L1D_LOAD_MISSES] + t[UH_QUANTITY_L1D_STORE_MISSES]),
	       per_kilo * (double)t[UH_QUANTITY_L2_MISSES],
	       per_kilo *
		   (double)(t[UH_QUANTITY_DTLB_LOAD_MISSES] + t[UH_QUANTITY_DTLB_STORE_MISSES]));
}

int main(int argc, char **argv)
{
	uh_cache_touch *touch = NULL;

	if (argc > 1 &&
	    !(touch = uh_cache_touch_of((enum uh_cache_variant)strtol(argv[1], NULL, 10))))
		errx(1, "this processor cannot run variant %s", argv[1]);
	printf("%-15s %19s   %6s %s\n", "", "ns an instruction", "ns an",
	       "a thousand instructions");
	printf("%-15s %5s %6s %6s   %6s %6s %6s %6s %6s\n", "stream", "all", "caches", "TLBs",
	       "entry", "L1I", "L1D", "L2", "DTLB");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		report(&shapes[i], touch);
	return 0;
}
