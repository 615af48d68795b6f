/* SPDX-License-Identifier: BSD-3-Clause */
/* uh_cache_touch and uh_batch_sort in plain C. */
#include <stdbool.h>

#include "machine/emulated_model_cache.h"
#include "machine/emulated_model_sort.h"

#define TARGET

static inline bool move_to_front(uint64_t *set, uint64_t tag, uint32_t slots, uint32_t ways)
{
	uint64_t moved = set[0];

	(void)slots;
	set[0] = tag;
	if (moved == tag)
		return true;
	for (uint32_t way = 1; way < ways; way++) {
		uint64_t held = set[way];

		set[way] = moved;
		if (held == tag)
			return true;
		moved = held;
	}
	return false;
}

#include "machine/emulated_model_touch.h"

size_t uh_cache_touch_portable(struct uh_cache *cache, const uint64_t *lines, size_t count,
			       uint32_t *missed)
{
	return touch_all(cache, lines, count, missed);
}

void uh_batch_sort_portable(struct uh_batch *batch, const uint64_t *entries, size_t count)
{
	sort_rest(batch, entries, count, 0, 0);
}

uh_batch_sort *uh_batch_sort_best(void)
{
#ifdef __x86_64__
	if (uh_cache_touch_of(UH_CACHE_AVX512))
		return uh_batch_sort_avx512;
#endif
	return uh_batch_sort_portable;
}
