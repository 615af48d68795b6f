/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/count.h"

#include <stdlib.h>

#include "emulator/blocks.h"
#include "emulator/region.h"
#include "emulator/repeat.h"
#include "machine/emulated_front.h"
#include "machine/emulated_totals.h"

static bool parallel;

bool uh_count_inline(void)
{
	return !parallel && qemu_plugin_register_vcpu_tb_exec_inline;
}

void uh_count_parallel(void)
{
	parallel = true;
}

static inline struct uh_lane *named_lane(unsigned int vcpu)
{
	struct uh_lane *lane = uh_lanes[vcpu];
	if (__builtin_expect(!atomic_load_explicit(&lane->tid, memory_order_relaxed), 0))
		uh_lane_name(lane);
	return lane;
}

static void on_block(unsigned int vcpu, void *data)
{
	struct uh_lane *lane = named_lane(vcpu);
	lane->repeat_at = 0;
	lane->counts[(uintptr_t)data]++;
}

/* A block that ends in a rep instruction: one more iteration of it, or a new instance. */
static void on_repeat_block(unsigned int vcpu, void *data)
{
	const struct uh_block *block = data;
	struct uh_lane *lane = named_lane(vcpu);
	if (uh_repeat_enter(lane, block))
		lane->counts[block->index]++;
}

/* The inline addition counts the block; this only notes where the rep instruction is. */
static void on_repeat_reached(unsigned int vcpu, void *data)
{
	(void)uh_repeat_enter(uh_lanes[vcpu], data);
}

static void on_repeat_over(unsigned int vcpu, void *data)
{
	(void)data;
	uh_lanes[vcpu]->repeat_at = 0;
}

static void call(struct qemu_plugin_tb *tb, qemu_plugin_block_cb *callback, const void *data)
{
	qemu_plugin_register_vcpu_tb_exec_cb(tb, callback, QEMU_PLUGIN_CB_NO_REGS, (void *)data);
}

/* Inline additions are for a single thread, and QEMU numbers it 0. */
static uint64_t *counter(const struct uh_block *block)
{
	return &uh_lanes[0]->counts[block->index];
}

static void add_inline(struct qemu_plugin_tb *tb, const struct uh_block *block)
{
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, counter(block), 1);
}

/*
 * `movs`, `stos` and `lods` access memory in each entry but an instance's last:
 * from the entries and the accesses follow the instances, without a call. False
 * when the table is full.
 */
static bool count_plain_repeat(struct qemu_plugin_tb *tb, const struct uh_block *block,
			       struct qemu_plugin_insn *insn)
{
	struct uh_block accesses = {.start = block->last,
				    .end = block->end,
				    .last = block->last,
				    .ending = UH_BLOCK_REPEAT_ACCESSES,
				    .repeat_loads = block->repeat_loads,
				    .repeat_stores = block->repeat_stores,
				    .repeat_bytes = block->repeat_bytes};
	const struct uh_block *place = uh_block_intern(&accesses);
	if (!place)
		return false;
	add_inline(tb, block);
	qemu_plugin_register_vcpu_mem_inline(insn, QEMU_PLUGIN_MEM_RW, QEMU_PLUGIN_INLINE_ADD_U64,
					     counter(place), 1);
	return true;
}

static void count_repeat(struct qemu_plugin_tb *tb, const struct uh_block *block,
			 const struct uh_repeat *repeat)
{
	if (uh_count_inline() && !repeat->compares && count_plain_repeat(tb, block, repeat->insn))
		return;
	uh_repeat_watch(repeat->insn);
	uh_repeat_will_end_at(block->end);
	if (uh_count_inline() && block->start != block->last) {
		call(tb, on_repeat_reached, block);
		add_inline(tb, block);
	} else {
		call(tb, on_repeat_block, block);
	}
}

void uh_count_block(struct qemu_plugin_tb *tb, const struct uh_block *block,
		    const struct uh_repeat *repeat)
{
	if (uh_count_inline() && uh_repeat_ended_at(block->start))
		call(tb, on_repeat_over, NULL);
	if (repeat->insn)
		count_repeat(tb, block, repeat);
	else if (uh_count_inline())
		add_inline(tb, block);
	else
		call(tb, on_block, (const void *)(uintptr_t)block->index);
}

/* Adds what only the order of blocks tells; false when `block` goes on with a rep instruction. */
static bool follow(struct uh_lane *lane, const struct uh_block *block)
{
	struct uh_front *front = lane->front;
	if (block->ending == UH_BLOCK_REPEAT && !uh_repeat_follow(lane, front->previous, block))
		return false;
	uh_front_branch(front, block, lane->totals, uh_attachment.shared->predict);
	(void)uh_front_fetch(front, block, lane->totals, true, false);
	return true;
}

static void on_sequence(unsigned int vcpu, void *data)
{
	const struct uh_block *block = data;
	struct uh_lane *lane = named_lane(vcpu);
	if (follow(lane, block))
		lane->counts[block->index]++;
}

void uh_count_sequence(struct qemu_plugin_tb *tb, const struct uh_block *block)
{
	call(tb, on_sequence, block);
}

static void on_direct(unsigned int vcpu, void *data)
{
	const struct uh_block *block = data;
	struct uh_lane *lane = named_lane(vcpu);
	if (block->ending != UH_BLOCK_REPEAT)
		lane->repeat_at = 0;
	else if (!uh_repeat_enter(lane, block))
		return;
	uh_block_add(lane->totals, block, 1);
}

static void on_direct_sequence(unsigned int vcpu, void *data)
{
	struct uh_lane *lane = named_lane(vcpu);
	if (follow(lane, data))
		uh_block_add(lane->totals, data, 1);
}

void uh_count_beyond(struct qemu_plugin_tb *tb, const struct uh_block *content, unsigned int mode)
{
	static bool told;
	struct uh_block *block = malloc(sizeof(*block)); /* lives as long as its translation may */
	if ((!block || mode == UH_EMULATION_STREAM) && !told) {
		told = true;
		uh_note(
		    "more than %u different blocks of code: the caches' figures lack those beyond",
		    UH_EMULATION_BLOCKS);
	}
	if (!block)
		return;
	*block = *content;
	call(tb, mode == UH_EMULATION_BLOCK ? on_direct : on_direct_sequence, block);
}
