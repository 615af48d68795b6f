/* SPDX-License-Identifier: BSD-3-Clause */
/* uh_cache_touch in plain C. */
#include <stdbool.h>

#include "machine/emulated_model_cache.h"

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
