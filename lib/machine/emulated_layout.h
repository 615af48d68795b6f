/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared memory between the emulated machine's two halves: the plugin
 * inside QEMU's user mode (emulator/), which appends, and the watcher inside
 * the measuring process (emulated_watch.c), which adds up.
 *
 * Counts cross here and not at exit, because a program may close every
 * descriptor, be killed, or never reach its end: whatever was counted until
 * then is still in the mapping.
 *
 * The file is one memfd of the watcher: a header, then `region_count` regions
 * of `region_stride` bytes, one for each live process (a new one after fork
 * and after exec). It is sparse: only what is touched costs memory. A region
 * is a header, the lanes (one a thread), the block table, the block counts and
 * the lanes' rings, at the offsets below.
 *
 * Everything is little-endian x86-64, written by one build and read by the
 * same build: `version` guards against a stale plugin.
 */
#ifndef UH_MACHINE_EMULATED_LAYOUT_H
#define UH_MACHINE_EMULATED_LAYOUT_H

#include <stdatomic.h>
#include <stdint.h>

#define UH_EMULATION_MAGIC 0x6465746c61686e75ull /* "unhalted" */
#define UH_EMULATION_VERSION 1u

#define UH_EMULATION_REGIONS 512u
#define UH_EMULATION_LANES 4096u
#define UH_EMULATION_BLOCKS (1u << 20)
#define UH_EMULATION_RING (1u << 15) /* entries of a lane's ring, 8 bytes each */
#define UH_EMULATION_NOTES 64u
#define UH_EMULATION_PATH 512u

/* How a translated block ends. */
enum uh_block_ending {
	UH_BLOCK_FALLS_THROUGH,
	UH_BLOCK_CONDITIONAL,
	UH_BLOCK_JUMP,
	UH_BLOCK_JUMP_INDIRECT,
	UH_BLOCK_CALL,
	UH_BLOCK_CALL_INDIRECT,
	UH_BLOCK_RETURN,
	UH_BLOCK_SYSTEM_CALL,
	UH_BLOCK_REPEAT, /* a rep string instruction: entered anew for each iteration */
};

/*
 * What one pass through a translated block does. Counts are those of the
 * block's instructions as decoded; a rep instruction's own memory accesses are
 * not in them, since their number is known only when it runs.
 */
struct uh_block {
	uint64_t start; /* guest address of the first byte */
	uint64_t end;	/* of the byte after the last */
	uint64_t last;	/* of the last instruction (for a rep block: of the rep instruction) */
	uint16_t instructions;
	uint16_t loads;
	uint16_t stores;
	uint16_t atomics;
	uint32_t bytes_loaded;
	uint32_t bytes_stored;
	uint8_t ending;		 /* enum uh_block_ending */
	uint8_t repeat_loads;	 /* of the rep instruction, for each iteration: */
	uint8_t repeat_stores;	 /* loads, stores, */
	uint8_t repeat_bytes;	 /* and bytes of each access */
	uint8_t reserved[20];
};
_Static_assert(sizeof(struct uh_block) == 64, "one cache line a block");

/*
 * One entry of a ring.
 *   bit 63 set:   a block was entered; bits 31:0 are its index in the table
 *   bit 63 clear: a memory access; bits 62:6 are those of its address, bit 0
 *                 is set for a store, bit 1 when this entry is the second line
 *                 of an access that straddles two (its miss belongs to the same access)
 * Accesses that cannot change the state of a true-LRU cache or TLB may be left
 * out by the producer (see emulator/): the models see every access that
 * matters, never one that did not happen.
 */
#define UH_ENTRY_BLOCK (1ull << 63)
#define UH_ENTRY_STORE 1ull
#define UH_ENTRY_SECOND 2ull
#define UH_ENTRY_LINE_MASK (~63ull & ~UH_ENTRY_BLOCK)

#endif
