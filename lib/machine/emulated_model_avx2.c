/* SPDX-License-Identifier: BSD-3-Clause */
/* uh_cache_touch with 256-bit registers: four tags each. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>

#include "machine/emulated_model_cache.h"

#define TARGET __attribute__((target("avx2,bmi")))
#define LANES 4u
#define REGISTERS_MAX 8u

/* A window over this array, begun n places before its middle, selects the first n tags. */
static const int64_t select_first[64] = {
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};

TARGET static inline uint32_t equal_lanes(__m256i a, __m256i b)
{
	return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b)));
}

/* `held` one place back, with the last tag of the register before it in front. */
TARGET static inline __m256i moved_back(__m256i held, __m256i before)
{
	__m256i back = _mm256_permute4x64_epi64(held, _MM_SHUFFLE(2, 1, 0, 0));
	__m256i first = _mm256_permute4x64_epi64(before, _MM_SHUFFLE(3, 3, 3, 3));

	return _mm256_blend_epi32(back, first, 3);
}

TARGET static inline __attribute__((always_inline)) bool
move_to_front(uint64_t *set, uint64_t tag, uint32_t slots, uint32_t ways)
{
	__m256i wanted = _mm256_set1_epi64x((long long)tag);
	__m256i held[REGISTERS_MAX];
	uint32_t registers = slots / LANES, hit = 0;

	for (uint32_t r = 0; r < registers; r++) {
		held[r] = _mm256_load_si256((const __m256i *)(set + r * LANES));
		hit |= equal_lanes(held[r], wanted) << (r * LANES);
	}
	uint32_t moved = (uint32_t)__builtin_ctz(hit | 1u << (ways - 1)) + 1;
	const int64_t *window = select_first + 32 - moved;
	__m256i before = wanted;
	for (uint32_t r = 0; r < registers; r++) {
		__m256i mask = _mm256_loadu_si256((const __m256i *)(window + r * LANES));
		__m256i now = _mm256_blendv_epi8(held[r], moved_back(held[r], before), mask);

		_mm256_store_si256((__m256i *)(set + r * LANES), now);
		before = held[r];
	}
	return hit != 0;
}

#include "machine/emulated_model_touch.h"

TARGET size_t uh_cache_touch_avx2(struct uh_cache *cache, const uint64_t *lines, size_t count,
				  uint32_t *missed)
{
	return touch_all(cache, lines, count, missed);
}
#else
typedef int uh_no_avx2_here; /* a translation unit must not be empty */
#endif
