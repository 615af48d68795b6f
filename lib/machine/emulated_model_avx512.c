/* SPDX-License-Identifier: BSD-3-Clause */
/* uh_cache_touch with 512-bit registers, eight tags each; uh_batch_sort eight entries at once. */
#ifdef __x86_64__
#include <immintrin.h>
#include <stdbool.h>

#include "machine/emulated_model_cache.h"
#include "machine/emulated_model_sort.h"

#define TARGET __attribute__((target("avx512f,avx512vl,avx2,bmi,popcnt")))
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

/*
 * Compression keeps the order. An access that was in lane L and is now the j-th has
 * L - j blocks before it.
 */
TARGET void uh_batch_sort_avx512(struct uh_batch *batch, const uint64_t *entries, size_t count)
{
	const __m512i block_bit = _mm512_set1_epi64((long long)UH_ENTRY_BLOCK);
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const __m256i instructions = _mm256_set1_epi32((int)UH_ENTRY_INSTRUCTIONS_MASK);
	const __m256i stamps = _mm256_set1_epi32(0x7fff8000);
	const __m256i flags = _mm256_set1_epi32((int)UH_WHO_MASK);
	uint32_t seen = 0, accesses = 0;
	size_t i = 0;

	for (; i + LANES <= count; i += LANES) {
		__m512i entry = _mm512_loadu_si512(entries + i);
		__m512i line =
		    _mm512_srli_epi64(_mm512_slli_epi64(entry, 64 - UH_ENTRY_STAMP_SHIFT),
				      64 - UH_ENTRY_STAMP_SHIFT + 6);
		__m256i low = _mm512_cvtepi64_epi32(entry);
		__m256i high =
		    _mm512_cvtepi64_epi32(_mm512_srli_epi64(entry, UH_ENTRY_INSTRUCTIONS_SHIFT));
		__mmask8 is_block = _mm512_test_epi64_mask(entry, block_bit);
		__mmask8 is_access = (__mmask8)~is_block;
		__m256i before =
		    _mm256_sub_epi32(_mm256_maskz_compress_epi32(is_access, lane), lane);
		__m256i ordinal = _mm256_add_epi32(before, _mm256_set1_epi32((int)seen));
		__m256i flag = _mm256_and_si256(_mm256_maskz_compress_epi32(is_access, low), flags);
		/* The stamp is in bits 30:15 of the upper half. */
		__m256i stamp = _mm256_slli_epi32(
		    _mm256_and_si256(_mm256_maskz_compress_epi32(is_access, high), stamps), 1);
		__m256i who = _mm256_or_si256(
		    stamp, _mm256_or_si256(_mm256_slli_epi32(ordinal, UH_WHO_BITS), flag));

		_mm512_storeu_si512(batch->lines + 1 + accesses,
				    _mm512_maskz_compress_epi64(is_access, line));
		_mm256_storeu_si256((__m256i *)(batch->who + 1 + accesses), who);
		_mm256_storeu_si256((__m256i *)(batch->blocks + seen),
				    _mm256_maskz_compress_epi32(is_block, low));
		_mm256_storeu_si256(
		    (__m256i *)(batch->instructions + seen),
		    _mm256_and_si256(_mm256_maskz_compress_epi32(is_block, high), instructions));
		uint32_t blocks = (uint32_t)__builtin_popcount(is_block);
		seen += blocks;
		accesses += LANES - blocks;
	}
	sort_rest(batch, entries + i, count - i, seen, accesses);
}
#else
typedef int uh_no_avx512_here; /* a translation unit must not be empty */
#endif
