/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set-associative store of lines (or pages) with true LRU replacement: the
 * one structure behind all cache levels and both TLBs.
 *
 * A set is a short array of tags, the most recently used one first. Touching a
 * line moves it to the front and the ones before it back by one; a line that was
 * not there pushes the last one out. With vector registers that is the same
 * handful of instructions for a hit and a miss, without a branch, which is why
 * order in an array beats ages or a matrix here.
 */
#ifndef UH_MACHINE_EMULATED_MODEL_CACHE_H
#define UH_MACHINE_EMULATED_MODEL_CACHE_H

#include <stddef.h>
#include <stdint.h>

/* A tag is the whole line number with this bit, so that zeroed memory is an empty cache. */
#define UH_CACHE_TAG (1ull << 63)

struct uh_cache {
	void *memory;   /* what to free */
	uint64_t *tags; /* sets x slots, aligned to 64 bytes; NULL: no such level */
	uint64_t sets;
	uint32_t ways;
	uint32_t slots; /* ways rounded up to what a vector register holds; the rest stays empty */
};

/* 0 or -ENOMEM. The geometry has been checked. uh_cache_free() also takes a zeroed struct. */
int uh_cache_new(struct uh_cache *cache, uint64_t sets, uint32_t ways);
void uh_cache_free(struct uh_cache *cache);

/*
 * Touches `count` lines in their order and writes the index of each that was
 * not there to `missed` (room for `count` + 1: the place after the last is
 * scratch). Returns how many there were.
 */
typedef size_t uh_cache_touch(struct uh_cache *cache, const uint64_t *lines, size_t count,
			      uint32_t *missed);

/* The same function for different processors; they must agree to the last line. */
enum uh_cache_variant {
	UH_CACHE_PORTABLE,
	UH_CACHE_AVX2,
	UH_CACHE_AVX512,
	UH_CACHE_VARIANTS,
};

uh_cache_touch uh_cache_touch_portable;
#ifdef __x86_64__
uh_cache_touch uh_cache_touch_avx2;
uh_cache_touch uh_cache_touch_avx512;
#endif

/* NULL when this processor cannot run it. */
uh_cache_touch *uh_cache_touch_of(enum uh_cache_variant variant);

/* The fastest one that this processor can run. */
uh_cache_touch *uh_cache_touch_best(void);

#endif
