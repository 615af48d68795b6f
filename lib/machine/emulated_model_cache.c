/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_cache.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define ALIGNMENT 64u

/* Four 64-bit tags fill half a vector register, eight a whole one. */
static uint32_t slots_for(uint32_t ways)
{
	return ways <= 4 ? 4 : (ways + 7) & ~7u;
}

/* calloc and not aligned_alloc: untouched sets of a large cache then cost no memory. */
int uh_cache_new(struct uh_cache *cache, uint64_t sets, uint32_t ways)
{
	uint32_t slots = slots_for(ways);
	size_t bytes;

	if (__builtin_mul_overflow(sets, slots * sizeof(uint64_t), &bytes) ||
	    __builtin_add_overflow(bytes, ALIGNMENT, &bytes))
		return -ENOMEM;
	void *memory = calloc(1, bytes);
	if (!memory)
		return -ENOMEM;
	uintptr_t start = ((uintptr_t)memory + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
	*cache = (struct uh_cache){
	    .memory = memory,
	    .tags = (uint64_t *)start,
	    .sets = sets,
	    .ways = ways,
	    .slots = slots,
	};
	return 0;
}

void uh_cache_free(struct uh_cache *cache)
{
	free(cache->memory);
	*cache = (struct uh_cache){0};
}

#ifdef __x86_64__
static uh_cache_touch *touch_avx2(void)
{
	bool runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");

	return runs ? uh_cache_touch_avx2 : NULL;
}

static uh_cache_touch *touch_avx512(void)
{
	bool runs = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
		    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");

	return runs ? uh_cache_touch_avx512 : NULL;
}
#else
static uh_cache_touch *touch_avx2(void)
{
	return NULL;
}

static uh_cache_touch *touch_avx512(void)
{
	return NULL;
}
#endif

uh_cache_touch *uh_cache_touch_of(enum uh_cache_variant variant)
{
	switch (variant) {
	case UH_CACHE_PORTABLE:
		return uh_cache_touch_portable;
	case UH_CACHE_AVX2:
		return touch_avx2();
	case UH_CACHE_AVX512:
		return touch_avx512();
	default:
		return NULL;
	}
}

uh_cache_touch *uh_cache_touch_best(void)
{
	for (int variant = UH_CACHE_VARIANTS - 1; variant > UH_CACHE_PORTABLE; variant--) {
		uh_cache_touch *touch = uh_cache_touch_of((enum uh_cache_variant)variant);
		if (touch)
			return touch;
	}
	return uh_cache_touch_portable;
}
