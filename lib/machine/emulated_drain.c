/* SPDX-License-Identifier: BSD-3-Clause */
/* From the rings into the models. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/emulated_watch.h"

static struct uh_model *model_of(struct uh_watch *watch, struct uh_watched_region *watched,
				 uint32_t index)
{
	struct uh_model **model = &watched->models[index];
	if (!*model) {
		int code = uh_model_new(watch->model, model, NULL);
		if (code && !watch->failure)
			watch->failure = code;
	}
	return *model;
}

/*
 * How far the ring is filled. Entries beyond the published ones lie between
 * `head` and the cursor; a cursor that is not within the chunk at `head` is one
 * that was published but not yet moved on, or damaged.
 */
static uint64_t filled(const struct uh_lane *lane, bool to_cursor)
{
	uint64_t head = atomic_load_explicit(&lane->head, memory_order_acquire);
	if (!to_cursor)
		return head;
	const volatile struct uh_lane *moving = lane;
	uint64_t cursor = (uint64_t)moving->cursor, ring = (uint64_t)moving->ring;
	uint64_t at = (cursor - ring) / sizeof(uint64_t) - head % UH_EMULATION_RING;
	/* If it published meanwhile, `at` belongs to another chunk. */
	if (atomic_load_explicit(&lane->head, memory_order_acquire) != head)
		return head;
	return cursor && at <= UH_EMULATION_CHUNK ? head + at : head;
}

static void wake_if_full(struct uh_lane *lane, uint64_t left)
{
	if (left > UH_EMULATION_RING / 2 || !atomic_load(&lane->full))
		return;
	atomic_store(&lane->full, 0);
	(void)syscall(SYS_futex, &lane->full, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void consume(struct uh_watch *watch, struct uh_watched_region *watched, uint32_t index,
		    uint64_t from, uint64_t count)
{
	struct uh_region *region = watched->region;
	struct uh_model *model = model_of(watch, watched, index);
	uint32_t blocks = atomic_load_explicit(&region->block_count, memory_order_acquire);
	if (blocks > UH_EMULATION_BLOCKS)
		blocks = UH_EMULATION_BLOCKS;
	if (!model)
		return;
	int code = uh_model_run(model, uh_region_blocks(region), blocks,
				uh_region_ring(region, index) + from % UH_EMULATION_RING, count);
	if (code && !watch->failure)
		watch->failure = code;
}

bool uh_watch_drain(struct uh_watch *watch, struct uh_watched_region *watched, uint32_t index,
		    bool to_cursor)
{
	struct uh_lane *lane = uh_region_lane(watched->region, index);
	uint64_t head = filled(lane, to_cursor);
	uint64_t tail = atomic_load_explicit(&lane->tail, memory_order_relaxed);
	/* A reading may have taken more than was published: there is nothing new then. */
	if (head == tail || (head < tail && tail - head <= UH_EMULATION_CHUNK))
		return false;
	if (head - tail > UH_EMULATION_RING) { /* no producer of ours does that */
		watch->failure = -EIO;
		return false;
	}
	while (tail != head) {
		uint64_t count = UH_EMULATION_CHUNK - tail % UH_EMULATION_CHUNK;
		count = count < head - tail ? count : head - tail;
		consume(watch, watched, index, tail, count);
		tail += count;
		atomic_store(&lane->tail, tail);
		wake_if_full(lane, head - tail);
	}
	return true;
}
