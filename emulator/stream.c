/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/stream.h"

#include <emmintrin.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "emulator/blocks.h"
#include "emulator/bundle.h"
#include "emulator/region.h"
#include "emulator/repeat.h"
#include "machine/emulated_front.h"

static bool watcher_gone(void)
{
	if (atomic_load(&uh_attachment.shared->closed))
		return true;
	char path[32];
	(void)snprintf(path, sizeof(path), "/proc/%d", (int)uh_attachment.watcher);
	return access(path, F_OK) != 0;
}

/* Waits until the ring has room for a chunk; false when nobody will ever make room. */
static bool wait_for_room(struct uh_lane *lane, uint64_t head)
{
	static const struct timespec patience = {.tv_nsec = 100000000};
	uint64_t most = UH_EMULATION_RING - UH_EMULATION_CHUNK;
	while (head - atomic_load_explicit(&lane->tail, memory_order_acquire) > most) {
		atomic_store(&lane->full, 1);
		uh_ring_doorbell();
		if (head - atomic_load(&lane->tail) <= most)
			break;
		(void)syscall(SYS_futex, &lane->full, FUTEX_WAIT, 1, &patience, NULL, 0);
		if (atomic_load(&lane->full) && watcher_gone())
			return false;
	}
	atomic_store(&lane->full, 0);
	return true;
}

/* Not for each chunk: waking costs more than a chunk's worth. The watcher looks by itself, too. */
static void wake_watcher(const struct uh_lane *lane, uint64_t head)
{
	uint64_t tail = atomic_load_explicit(&lane->tail, memory_order_relaxed);
	if (head - tail >= UH_EMULATION_RING / 2 &&
	    atomic_load_explicit(&uh_attachment.shared->asleep, memory_order_relaxed))
		uh_ring_doorbell();
}

/* Publishes the full chunk and opens the next one. */
static __attribute__((noinline, cold)) void next_chunk(struct uh_lane *lane)
{
	uint64_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);
	if (!lane->limit)
		uh_lane_name(lane);
	else if (!lane->sink)
		head += UH_EMULATION_CHUNK;
	_mm_sfence(); /* streaming stores know no order but this */
	atomic_store_explicit(&lane->head, head, memory_order_release);
	wake_watcher(lane, head);
	if (!lane->sink && !wait_for_room(lane, head))
		lane->sink = 1;
	lane->cursor = lane->ring + head % UH_EMULATION_RING;
	lane->limit = lane->cursor + UH_EMULATION_CHUNK;
}

/*
 * The entry must be in the ring before the cursor says so: a killed thread's
 * ring is read as far as its cursor. The processor keeps the order, this keeps
 * the compiler to it.
 */
static inline void advance(struct uh_lane *lane, uint64_t *cursor, bool keep)
{
	atomic_signal_fence(memory_order_release);
	lane->cursor = cursor + keep;
}

/*
 * Past the caches: the ring's lines are in those of the watcher's processor, and fetching
 * each one from there to overwrite it is dear (where the two share no cache, gzip's run
 * took 4.1 to 4.3 s of processor time with plain stores and 2.9 s with these).
 */
static inline void put(uint64_t *cursor, uint64_t entry)
{
	_mm_stream_si64((long long *)cursor, (long long)entry);
}

static void append(struct uh_lane *lane, uint64_t entry)
{
	if (lane->cursor == lane->limit)
		next_chunk(lane);
	put(lane->cursor, entry);
	advance(lane, lane->cursor, true);
}

/* What happens rarely is out of the way, in calls that end the function: no stack frame else. */
static __attribute__((noinline)) void append_slowly(struct uh_lane *lane, uint64_t entry)
{
	append(lane, entry);
}

#define STAMP_TOP (1ull << 62)

/*
 * The watcher hears only of blocks that may change a cache or a TLB, and often enough
 * to know how far the program has come.
 */
static inline __attribute__((always_inline)) void enter_block(struct uh_lane *lane,
							      const struct uh_block *block,
							      bool predict, bool lines, bool pages)
{
	struct uh_front *front = lane->front;
	uint64_t index = block->index;
	lane->counts[index]++;
	uh_front_branch(front, block, lane->totals, predict);
	uint64_t before = lane->stamp;
	uint64_t stamp =
	    (before + ((uint64_t)block->instructions << UH_ENTRY_STAMP_SHIFT)) & ~UH_ENTRY_BLOCK;
	lane->stamp = stamp;
	bool changes = uh_front_fetch(front, block, lane->totals, lines, pages);
	/* The stamp's highest bit turns every 2^15 instructions: often enough to tell how many. */
	if (__builtin_expect(!changes && !((before ^ stamp) & STAMP_TOP), 1))
		return;
	uint64_t instructions = (stamp - front->told) >> UH_ENTRY_STAMP_SHIFT & UH_ENTRY_STAMP_MASK;
	front->told = stamp;
	append_slowly(lane, UH_ENTRY_BLOCK | index | instructions << UH_ENTRY_INSTRUCTIONS_SHIFT);
}

/* What is wanted is known when a block is translated: each combination has its own callback. */
#define ON_BLOCK(name, predict, lines, pages)                                                      \
	static void name(unsigned int vcpu, void *data)                                            \
	{                                                                                          \
		enter_block(uh_lanes[vcpu], data, predict, lines, pages);                          \
	}
ON_BLOCK(on_block, false, false, false)
ON_BLOCK(on_block_pages, false, false, true)
ON_BLOCK(on_block_lines, false, true, false)
ON_BLOCK(on_block_lines_pages, false, true, true)
ON_BLOCK(on_predicted, true, false, false)
ON_BLOCK(on_predicted_pages, true, false, true)
ON_BLOCK(on_predicted_lines, true, true, false)
ON_BLOCK(on_predicted_lines_pages, true, true, true)

static void on_repeat_block(unsigned int vcpu, void *data)
{
	const struct uh_emulation *shared = uh_attachment.shared;
	struct uh_lane *lane = uh_lanes[vcpu];
	if (uh_repeat_follow(lane, lane->front->previous, data))
		enter_block(lane, data, shared->predict, true, shared->pages);
}

/* Notes that the line and its page are the last of their sets; false when they already were. */
static inline bool touch(struct uh_lane *lane, uint64_t address, bool pages)
{
	uint64_t line = address & UH_ENTRY_LINE_MASK;
	uint64_t *last = &lane->last_line[(address / 64) & lane->line_mask];
	bool changes = *last != line;
	*last = line;
	if (pages) {
		uint64_t page = address / 4096;
		uint64_t *last_page = &lane->last_page[page & lane->page_mask];
		changes |= *last_page != page;
		*last_page = page;
	}
	return changes;
}

/* An access of one line or two, with no regard to speed. */
static __attribute__((noinline)) void append_lines(struct uh_lane *lane, uint64_t address,
						   uint64_t more, uint64_t bits, bool pages)
{
	uint64_t end = address + more;
	bool two = (address & 63) + more > 63;
	bool keep = touch(lane, address, pages);
	if (two)
		keep |= touch(lane, end, pages); /* sent whole or not at all */
	if (!keep)
		return;
	bits |= lane->stamp;
	append(lane, (address & UH_ENTRY_LINE_MASK) | bits);
	if (two)
		append(lane, (end & UH_ENTRY_LINE_MASK) | bits | UH_ENTRY_SECOND);
}

/* An access of `more` + 1 bytes. */
static inline __attribute__((always_inline)) void
append_access(struct uh_lane *lane, uint64_t address, uint64_t more, uint64_t bits, bool pages)
{
	uint64_t *cursor = lane->cursor;
	if (__builtin_expect(((address & 63) + more > 63) | (cursor == lane->limit), 0)) {
		append_lines(lane, address, more, bits, pages);
		return;
	}
	bool keep = touch(lane, address, pages);
	put(cursor, (address & UH_ENTRY_LINE_MASK) | bits | lane->stamp);
	advance(lane, cursor, keep);
}

/* The instruction only loads, or only stores, a known size: QEMU need not be asked. */
#define SIMPLE_ACCESS(name, bits, pages)                                                           \
	static void name(unsigned int vcpu, uint32_t info, uint64_t address, void *data)           \
	{                                                                                          \
		(void)info;                                                                        \
		append_access(uh_lanes[vcpu], address, (uint64_t)data, bits, pages);               \
	}
SIMPLE_ACCESS(on_load, 0, false)
SIMPLE_ACCESS(on_store, UH_ENTRY_STORE, false)
SIMPLE_ACCESS(on_load_pages, 0, true)
SIMPLE_ACCESS(on_store_pages, UH_ENTRY_STORE, true)

/* What QEMU says of an access: bits 7:1 hold its size less one, bit 0 whether it stores. */
static inline uint8_t ask(uint32_t info)
{
	uint64_t more = (1ull << qemu_plugin_mem_size_shift(info)) - 1;
	return (uint8_t)(more << 1 | qemu_plugin_mem_is_store(info));
}

/* The same, remembered: the info word is opaque, but few different ones occur. */
static inline uint8_t describe(uint32_t info)
{
	static _Atomic uint64_t known[64];
	_Atomic uint64_t *slot = &known[(info * 0x9e3779b1u) >> 26];
	uint64_t value = atomic_load_explicit(slot, memory_order_relaxed);
	uint64_t key = (uint64_t)info << 9 | 256;
	if (__builtin_expect((value & ~255ull) != key, 0)) {
		value = key | ask(info);
		atomic_store_explicit(slot, value, memory_order_relaxed);
	}
	return (uint8_t)value;
}

static void on_any(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	unsigned int what = describe(info);
	append_access(uh_lanes[vcpu], address, what >> 1, what & UH_ENTRY_STORE, data != NULL);
}

static void on_repeat(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	struct uh_lane *lane = uh_lanes[vcpu];
	unsigned int what = describe(info);
	uh_repeat_access(lane, what & UH_ENTRY_STORE, (what >> 1) + 1ull);
	append_access(lane, address, what >> 1, what & UH_ENTRY_STORE, data != NULL);
}

void uh_stream_block(struct qemu_plugin_tb *tb, const struct uh_block *block)
{
	static qemu_plugin_block_cb *const callbacks[2][2][2] = {
	    {{on_block, on_block_pages}, {on_block_lines, on_block_lines_pages}},
	    {{on_predicted, on_predicted_pages}, {on_predicted_lines, on_predicted_lines_pages}},
	};
	const struct uh_emulation *shared = uh_attachment.shared;
	qemu_plugin_block_cb *callback =
	    block->ending == UH_BLOCK_REPEAT
		? on_repeat_block
		: callbacks[shared->predict != 0][shared->lines != 0][shared->pages != 0];
	qemu_plugin_register_vcpu_tb_exec_cb(tb, callback, QEMU_PLUGIN_CB_NO_REGS, (void *)block);
}

static void watch(struct qemu_plugin_insn *insn, qemu_plugin_memory_cb *callback, uint64_t data)
{
	qemu_plugin_register_vcpu_mem_cb(insn, callback, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
					 (void *)data);
}

/*
 * The accesses of a bundle that lies in two lines, the leader's first. The other line's
 * access is taken for one of the leader's kind.
 */
static __attribute__((noinline)) void append_pair(struct uh_lane *lane, uint64_t address,
						  uint64_t other, uint64_t bits, bool pages)
{
	bits |= lane->stamp;
	if (touch(lane, address, pages))
		append(lane, (address & UH_ENTRY_LINE_MASK) | bits);
	if (touch(lane, other, pages))
		append(lane, (other & UH_ENTRY_LINE_MASK) | bits);
}

/* `data`: how far below the leader's address the bundle begins, and where its last byte is. */
static inline __attribute__((always_inline)) void
append_bundle(struct uh_lane *lane, uint64_t address, uintptr_t data, uint64_t bits, bool pages)
{
	uint64_t first = address - (data & 0xff);
	uint64_t last = address + (data >> 8);
	if (__builtin_expect((first ^ last) < 64, 1))
		append_access(lane, address, 0, bits, pages);
	else
		append_pair(lane, address, (first ^ address) < 64 ? last : first, bits, pages);
}

#define BUNDLE_ACCESS(name, bits, pages)                                                           \
	static void name(unsigned int vcpu, uint32_t info, uint64_t address, void *data)           \
	{                                                                                          \
		(void)info;                                                                        \
		append_bundle(uh_lanes[vcpu], address, (uintptr_t)data, bits, pages);              \
	}
BUNDLE_ACCESS(on_loads, 0, false)
BUNDLE_ACCESS(on_stores, UH_ENTRY_STORE, false)
BUNDLE_ACCESS(on_loads_pages, 0, true)
BUNDLE_ACCESS(on_stores_pages, UH_ENTRY_STORE, true)

/* The block being translated: its accessing instructions, and the bundles among them. */
static struct {
	struct {
		struct qemu_plugin_insn *insn;
		uint8_t more; /* bytes of a lone simple access, less one */
		bool simple, store, repeat;
	} accesses[UH_BLOCK_INSTRUCTIONS];
	uint32_t count;
	struct uh_bundle bundles[UH_BLOCK_INSTRUCTIONS];
	struct uh_bundling bundling;
} translated;

void uh_stream_instruction(struct qemu_plugin_insn *insn, const struct uh_instruction *decoded)
{
	uint32_t bytes = decoded->bytes_loaded + decoded->bytes_stored;
	uint32_t number = translated.count;
	translated.bundling.bundles = translated.bundles;
	struct uh_bundle *bundle = uh_bundle_take(&translated.bundling, (uint16_t)number, decoded);
	if (bundle && bundle->members > 1)
		return; /* its leader speaks for it */
	if (!(decoded->loads + decoded->stores) || number == UH_BLOCK_INSTRUCTIONS)
		return;
	translated.accesses[number].insn = insn;
	translated.accesses[number].repeat = decoded->repeat;
	translated.accesses[number].store = decoded->stores != 0;
	translated.accesses[number].more = (uint8_t)(bytes - 1);
	translated.accesses[number].simple =
	    decoded->loads + decoded->stores == 1 && bytes && bytes <= 8 && !(bytes & (bytes - 1));
	translated.count++;
}

static const struct uh_bundle *bundle_led_by(uint32_t number, uint32_t *next)
{
	if (*next < translated.bundling.count && translated.bundles[*next].leader == number)
		return &translated.bundles[(*next)++];
	return NULL;
}

static void watch_bundle(struct qemu_plugin_insn *insn, const struct uh_bundle *bundle, bool pages)
{
	static qemu_plugin_memory_cb *const callbacks[2][2] = {{on_loads, on_loads_pages},
							       {on_stores, on_stores_pages}};
	uint64_t data = (uint64_t)-bundle->low | (uint64_t)bundle->high << 8;
	watch(insn, callbacks[bundle->store][pages], data);
}

void uh_stream_accesses(void)
{
	static qemu_plugin_memory_cb *const callbacks[2][2] = {{on_load, on_load_pages},
							       {on_store, on_store_pages}};
	bool pages = uh_attachment.shared->pages;
	uint32_t next = 0;
	for (uint32_t i = 0; i < translated.count; i++) {
		struct qemu_plugin_insn *insn = translated.accesses[i].insn;
		const struct uh_bundle *bundle = bundle_led_by(i, &next);
		if (translated.accesses[i].repeat)
			watch(insn, on_repeat, pages);
		else if (!translated.accesses[i].simple)
			watch(insn, on_any, pages);
		else if (bundle && bundle->members > 1)
			watch_bundle(insn, bundle, pages);
		else
			watch(insn, callbacks[translated.accesses[i].store][pages],
			      translated.accesses[i].more);
	}
	translated.count = 0;
	memset(&translated.bundling, 0, sizeof(translated.bundling));
}
