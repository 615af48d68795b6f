/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop of uh_cache_touch, included once by each variant. Before it the
 * variant defines
 *   TARGET           its function attribute
 *   move_to_front()  bool (uint64_t *set, uint64_t tag, uint32_t slots, uint32_t ways):
 *                    touches one tag in one set; true when it was there
 * and after it calls touch_all() from its one public function. The common
 * shapes are instantiated with constant slots, so that the set stays in registers.
 */

TARGET static inline __attribute__((always_inline)) size_t
touch_loop(struct uh_cache *cache, const uint64_t *lines, size_t count, uint32_t *missed,
	   uint32_t slots, bool modulo)
{
	uint64_t *tags = cache->tags;
	uint64_t sets = cache->sets;
	uint32_t ways = cache->ways;
	size_t misses = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t line = lines[i];
		uint64_t set = modulo ? line % sets : line & (sets - 1);
		bool hit = move_to_front(tags + set * slots, line | UH_CACHE_TAG, slots, ways);

		/* Written always, kept only for a miss: whether a guest's access misses is
		 * just what this processor could not predict. */
		missed[misses] = (uint32_t)i;
		misses += !hit;
	}
	return misses;
}

TARGET static size_t touch_all(struct uh_cache *cache, const uint64_t *lines, size_t count,
			       uint32_t *missed)
{
	bool modulo = (cache->sets & (cache->sets - 1)) != 0;

	if (modulo)
		return touch_loop(cache, lines, count, missed, cache->slots, true);
	switch (cache->slots) {
	case 4:
		return touch_loop(cache, lines, count, missed, 4, false);
	case 8:
		return touch_loop(cache, lines, count, missed, 8, false);
	case 16:
		return touch_loop(cache, lines, count, missed, 16, false);
	default:
		return touch_loop(cache, lines, count, missed, cache->slots, false);
	}
}
