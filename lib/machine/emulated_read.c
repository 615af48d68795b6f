/* SPDX-License-Identifier: BSD-3-Clause */
/* From lanes to readings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/emulated_totals.h"
#include "machine/emulated_watch.h"

static void add_totals(uint64_t *sum, const uint64_t *totals)
{
	for (size_t i = 0; i < UH_QUANTITY_COUNT; i++)
		sum[i] += totals[i];
}

static void add_blocks(struct uh_region *region, uint32_t lane, uint64_t *totals)
{
	uint32_t count = atomic_load_explicit(&region->block_count, memory_order_acquire);
	const struct uh_block *blocks = uh_region_blocks(region);
	const volatile uint64_t *runs = uh_region_counts(region, lane);
	if (count > UH_EMULATION_BLOCKS)
		count = UH_EMULATION_BLOCKS;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t times = runs[i];
		if (times)
			uh_block_add(totals, &blocks[i], times);
	}
}

void uh_watch_lane_totals(const struct uh_watch *watch, struct uh_watched_region *watched,
			  uint32_t index, struct uh_emulated_thread *out)
{
	const struct uh_lane *lane = uh_region_lane(watched->region, index);
	const volatile uint64_t *beside = lane->totals;
	memset(out, 0, sizeof(*out));
	out->pid = watched->region->pid;
	out->tid = atomic_load(&lane->tid);
	memcpy(out->comm, lane->comm, sizeof(out->comm) - 1);
	memcpy(out->program, watched->region->program, sizeof(out->program) - 1);
	add_blocks(watched->region, index, out->totals);
	for (size_t i = 0; i < UH_QUANTITY_COUNT; i++)
		out->totals[i] += beside[i];
	out->totals[UH_QUANTITY_BRANCH_MISSES] =
	    out->totals[UH_QUANTITY_BRANCH_MISSES_CONDITIONAL] +
	    out->totals[UH_QUANTITY_BRANCH_MISSES_INDIRECT];
	if (watch->mode == UH_EMULATION_STREAM && watched->models[index])
		uh_model_totals(watched->models[index], out->totals);
	if (watch->mode != UH_EMULATION_BLOCK)
		out->totals[UH_QUANTITY_BRANCHES_TAKEN] +=
		    out->totals[UH_QUANTITY_BRANCHES_CONDITIONAL_TAKEN];
	if (watch->mode == UH_EMULATION_BLOCK) /* only the jumps that always go are in it */
		out->totals[UH_QUANTITY_BRANCHES_TAKEN] = 0;
}

/* Room for one more ended thread; NULL when there is none and none can be had. */
static struct uh_emulated_thread *more_room(struct uh_watch *watch)
{
	size_t count = watch->ended_count;
	if (count >= UH_ENDED_MAX)
		return NULL;
	if (!(count & (count - 1))) { /* full at each power of two */
		size_t room = count ? 2 * count : 1;
		struct uh_emulated_thread *larger = realloc(watch->ended, room * sizeof(*larger));
		if (!larger)
			return NULL;
		watch->ended = larger;
	}
	watch->ended_count++;
	return &watch->ended[count];
}

void uh_watch_keep(struct uh_watch *watch, const struct uh_emulated_thread *thread)
{
	struct uh_emulated_thread *place = more_room(watch);
	if (place) {
		*place = *thread;
		return;
	}
	if (!watch->ended || !watch->ended_count) {
		watch->failure = -ENOMEM;
		return;
	}
	struct uh_emulated_thread *rest = &watch->ended[watch->ended_count - 1];
	rest->pid = rest->tid = 0;
	memset(rest->comm, 0, sizeof(rest->comm));
	memset(rest->program, 0, sizeof(rest->program));
	add_totals(rest->totals, thread->totals);
}

void uh_watch_fill(struct uh_watch *watch, struct uh_emulated_reading *reading, size_t room)
{
	size_t count = watch->ended_count;
	if (count)
		memcpy(reading->threads, watch->ended, count * sizeof(reading->threads[0]));
	for (uint32_t i = 0; i < UH_EMULATION_REGIONS; i++) {
		struct uh_watched_region *watched = &watch->regions[i];
		uint32_t lanes = watched->region ? atomic_load(&watched->region->lanes_used) : 0;
		for (uint32_t lane = 0; lane < lanes && count < room; lane++) {
			uint32_t state = atomic_load(&uh_region_lane(watched->region, lane)->state);
			if (state == UH_LANE_FREE)
				continue;
			uh_watch_lane_totals(watch, watched, lane, &reading->threads[count]);
			reading->threads[count++].ended = state == UH_LANE_ENDED;
		}
	}
	reading->thread_count = count;
	for (size_t i = 0; i < count; i++)
		add_totals(reading->totals, reading->threads[i].totals);
}

void uh_emulated_reading_free(struct uh_emulated_reading *reading)
{
	free(reading->threads);
	memset(reading, 0, sizeof(*reading));
}
