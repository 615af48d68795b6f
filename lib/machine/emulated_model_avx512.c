/* SPDX-License-Identifier: BSD-3-Clause */
/* uh_cache_touch with 512-bit registers: eight tags each, and masks for the moving. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>

#include "machine/emulated_model_cache.h"

#define TARGET __attribute__((target("avx512f,avx512vl,avx2,bmi")))
#define LANES 8u
#define REGISTERS_MAX 4u

/* The tags up to and including the lowest one found, or all of them if none was. */
TARGET static inline uint32_t to_move(uint32_t hit, uint32_t ways)
{
	return _blsmsk_u32(hit) & (uint32_t)((1ull << ways) - 1);
}

TARGET static inline bool move_in_four(uint64_t *set, uint64_t tag, uint32_t ways)
{
	__m256i wanted = _mm256_set1_epi64x((long long)tag);
	__m256i held = _mm256_load_si256((const __m256i *)set);
	uint32_t hit = _mm256_cmpeq_epi64_mask(held, wanted);
	__m256i back = _mm256_alignr_epi64(held, wanted, 3);

	held = _mm256_mask_mov_epi64(held, (__mmask8)to_move(hit, ways), back);
	_mm256_store_si256((__m256i *)set, held);
	return hit != 0;
}

TARGET static inline __attribute__((always_inline)) bool
move_to_front(uint64_t *set, uint64_t tag, uint32_t slots, uint32_t ways)
{
	if (slots == 4)
		return move_in_four(set, tag, ways);

	__m512i wanted = _mm512_set1_epi64((long long)tag);
	__m512i held[REGISTERS_MAX];
	uint32_t registers = slots / LANES, hit = 0;

	for (uint32_t r = 0; r < registers; r++) {
		held[r] = _mm512_load_si512(set + r * LANES);
		hit |= (uint32_t)_mm512_cmpeq_epi64_mask(held[r], wanted) << (r * LANES);
	}
	uint32_t moving = to_move(hit, ways);
	__m512i before = wanted;
	for (uint32_t r = 0; r < registers; r++) {
		__m512i back = _mm512_alignr_epi64(held[r], before, 7);
		__mmask8 mask = (__mmask8)(moving >> (r * LANES));

		_mm512_store_si512(set + r * LANES, _mm512_mask_mov_epi64(held[r], mask, back));
		before = held[r];
	}
	return hit != 0;
}

#include "machine/emulated_model_touch.h"

TARGET size_t uh_cache_touch_avx512(struct uh_cache *cache, const uint64_t *lines, size_t count,
				    uint32_t *missed)
{
	return touch_all(cache, lines, count, missed);
}
#else
typedef int uh_no_avx512_here; /* a translation unit must not be empty */
#endif
