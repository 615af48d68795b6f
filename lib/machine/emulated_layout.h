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
 * The file is one memfd of the watcher: a header, then UH_EMULATION_REGIONS
 * regions of UH_REGION_STRIDE bytes, one for each live process (a new one after fork
 * and after exec). It is sparse: only what is touched costs memory. A region
 * is a header, the lanes (one a thread), the block table, the block counts and
 * the lanes' rings, at the offsets below.
 *
 * Everything is little-endian x86-64, written by one build and read by the
 * same build: `version` guards against a stale plugin.
 */
#ifndef UH_MACHINE_EMULATED_LAYOUT_H
#define UH_MACHINE_EMULATED_LAYOUT_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "quantities.h"

#define UH_EMULATION_MAGIC 0x6465746c61686e75ull /* "unhalted" */
#define UH_EMULATION_VERSION 3u

#define UH_EMULATION_REGIONS 512u
#define UH_EMULATION_LANES 1024u
#define UH_EMULATION_BLOCKS (1u << 20)
#define UH_EMULATION_RING (1u << 18)  /* entries of a lane's ring, 8 bytes each */
#define UH_EMULATION_CHUNK (1u << 15) /* entries published at once: waking a processor is dear */
#define UH_EMULATION_NOTES 64u
#define UH_EMULATION_NOTE_TEXT 496u
#define UH_EMULATION_COMM 16u
#define UH_EMULATION_PROGRAM 256u

/* How much the plugin has to watch; the cost column of data/quantities.tsv. */
enum uh_emulation_mode {
	UH_EMULATION_BLOCK,    /* how often each block ran */
	UH_EMULATION_SEQUENCE, /* and in which order */
	UH_EMULATION_STREAM,   /* and every memory access, through the rings */
};

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
	/*
	 * No block: what translated code adds up by itself for the rep instruction at
	 * `last`. The count is that of its memory accesses, and the count of the
	 * block that ends in it is that of all entries, one a memory-accessing iteration
	 * and one more for each instance.
	 */
	UH_BLOCK_REPEAT_ACCESSES,
};

/*
 * What one pass through a translated block does. Counts are those of the
 * block's instructions as decoded; a rep instruction's own memory accesses are
 * not in them, since their number is known only when it runs.
 */
struct uh_block {
	uint64_t start; /* guest address of the first byte */
	uint64_t end;   /* of the byte after the last */
	uint64_t last;  /* of the last instruction (for a rep block: of the rep instruction) */
	uint16_t instructions;
	uint16_t loads;
	uint16_t stores;
	uint16_t atomics;
	uint32_t bytes_loaded;
	uint32_t bytes_stored;
	uint8_t ending;        /* enum uh_block_ending */
	uint8_t repeat_loads;  /* of the rep instruction, for each iteration: */
	uint8_t repeat_stores; /* loads, stores, */
	uint8_t repeat_bytes;  /* and bytes of each access */
	/* For the front (machine/emulated_front.h), so that entering a block computes neither: */
	uint16_t branch_hash; /* of `last`, see uh_direction_hash() */
	uint16_t reserved;
	uint32_t index; /* in the table */
	uint32_t unused[3];
};
_Static_assert(sizeof(struct uh_block) == 64, "one cache line a block");

/*
 * One entry of a ring.
 *   bit 63 set:   a block was entered; bits 31:0 are its index in the table, bits
 *                 62:32 the instructions executed since the last such entry, its own included
 *   bit 63 clear: a memory access; bits 46:6 are those of its address (user space
 *                 has no more), bit 0 is set for a store, bit 1 when this entry is the
 *                 second line of an access that straddles two (its miss belongs to the same
 *                 access); bits 62:47 are the low 16 of the number of instructions
 *                 executed so far, those of the access's block included
 * Accesses that cannot change the state of a true-LRU cache or TLB may be left
 * out by the producer, and so may blocks whose lines and pages were the last
 * fetched in their sets: the models see all that matters, never what did not happen.
 */
#define UH_ENTRY_BLOCK (1ull << 63)
#define UH_ENTRY_INSTRUCTIONS_SHIFT 32
#define UH_ENTRY_INSTRUCTIONS_MASK 0x7fffffffu
#define UH_ENTRY_STORE 1ull
#define UH_ENTRY_SECOND 2ull
#define UH_ENTRY_STAMP_SHIFT 47
#define UH_ENTRY_STAMP_MASK 0xffffu
#define UH_ENTRY_LINE_MASK (((1ull << UH_ENTRY_STAMP_SHIFT) - 1) & ~63ull)

/* The life of a region. Only the watcher makes a region free again. */
enum uh_region_state {
	UH_REGION_FREE,
	UH_REGION_CLAIMED, /* being filled in by its process */
	UH_REGION_LIVE,
};

/* The life of a lane. Only the watcher makes a lane free again. */
enum uh_lane_state {
	UH_LANE_FREE,
	UH_LANE_LIVE,
	UH_LANE_ENDED, /* its thread is gone; its counts wait for the watcher */
};

/*
 * One thread. `cursor` and what follows it is the thread's own and changes with
 * each callback; the watcher reads it only to show running totals, or when the
 * process is dead. Addresses are those of the plugin's process.
 *
 * Totals of a lane: for each block counts[block] times what the block does,
 * plus `totals`. `totals` holds what no block tells: accesses of rep
 * instructions, what the order of blocks tells, blocks beyond the full table.
 *
 * The ring: `head` entries were published and `tail` consumed since the lane
 * began, both counted without wrapping. The thread may have appended up to a
 * chunk beyond `head`, as far as `cursor`: a killed thread's last entries.
 */
struct uh_front; /* machine/emulated_front.h */

struct uh_lane {
	alignas(64) uint64_t *cursor; /* where the next entry goes */
	uint64_t *limit;              /* end of the chunk being filled */
	uint64_t *counts;             /* this lane's counters, one a block */
	struct uh_front *front;       /* in the thread's own process; NULL in the mode BLOCK */
	uint64_t stamp;               /* for the entries of accesses, in its place there */
	uint64_t line_mask;           /* of last_line's index */
	uint64_t page_mask;           /* of last_page's index */
	uint64_t repeat_at;           /* address of the rep instruction under way; 0 when none */
	uint64_t repeat_accesses;
	uint64_t last_line[64];
	uint64_t last_page[64];
	uint64_t *ring;
	uint64_t totals[UH_QUANTITY_COUNT];
	alignas(64) _Atomic uint64_t head;
	alignas(64) _Atomic uint64_t tail;
	_Atomic uint32_t full; /* futex: 1 while the thread waits for room */
	alignas(64) _Atomic uint32_t state;
	_Atomic uint32_t tid;
	uint32_t sink; /* 1: beyond the last lane; nobody reads it */
	char comm[UH_EMULATION_COMM];
};

/* One process, between one exec and the next. */
struct uh_region {
	uint32_t pid;
	uint32_t parent;
	_Atomic uint32_t block_count;
	uint64_t start_time; /* of the process, as /proc/PID/stat tells; 0 when unknown */
	uint64_t sequence;   /* counts claims: of two regions of a process the later is in use */
	_Atomic uint32_t exiting;           /* its process said that it is about to end */
	char program[UH_EMULATION_PROGRAM]; /* path of its program, cut to fit */
	_Atomic uint32_t lanes_used;        /* no lane at or beyond this index was ever taken */
};

/* Something the user must be told. Complete once `ready` is 1. */
struct uh_emulation_note {
	_Atomic uint32_t ready;
	uint32_t pid;
	char text[UH_EMULATION_NOTE_TEXT];
};

struct uh_emulation {
	uint64_t magic;
	uint32_t version;
	uint32_t mode; /* enum uh_emulation_mode */
	uint32_t watcher;
	uint32_t inherit;    /* follow children */
	uint32_t line_mask;  /* which lines of a set index an access may be dropped against */
	uint32_t fetch_sets; /* classes of sets that the filter of fetched lines tells apart */
	uint32_t predict;    /* 1: the branch predictors are wanted */
	uint32_t lines;      /* 1: fetch_lines is */
	uint32_t accesses;   /* 1: memory accesses are */
	uint32_t pages;      /* 1: keep accesses that change the page within a TLB set, too */
	uint32_t page_mask;
	_Atomic uint32_t installed; /* the plugin interface's version, once a plugin has attached */
	_Atomic uint64_t sequence;
	_Atomic uint32_t states[UH_EMULATION_REGIONS]; /* enum uh_region_state */
	_Atomic uint32_t doorbell;   /* futex: changes when there is something to drain */
	_Atomic uint32_t asleep;     /* the watcher waits for the doorbell */
	_Atomic uint32_t closed;     /* nobody reads any more: do not wait for room */
	_Atomic uint32_t crowded;    /* a process waits for a free region or lane */
	_Atomic uint32_t note_count; /* may exceed UH_EMULATION_NOTES: the rest was lost */
	struct uh_emulation_note notes[UH_EMULATION_NOTES];
};

/* One lane more than are counted: the sink, where threads beyond the limit write. */
#define UH_REGION_LANES (UH_EMULATION_LANES + 1u)
#define UH_PAGES(bytes) (((uint64_t)(bytes) + 4095u) & ~4095ull)
#define UH_REGION_OFFSET_LANES 4096ull
#define UH_REGION_OFFSET_BLOCKS                                                                    \
	(UH_REGION_OFFSET_LANES + UH_PAGES(UH_REGION_LANES * sizeof(struct uh_lane)))
#define UH_REGION_OFFSET_COUNTS                                                                    \
	(UH_REGION_OFFSET_BLOCKS + UH_EMULATION_BLOCKS * sizeof(struct uh_block))
#define UH_COUNTS_BYTES (UH_EMULATION_BLOCKS * sizeof(uint64_t))
#define UH_REGION_OFFSET_RINGS (UH_REGION_OFFSET_COUNTS + UH_REGION_LANES * UH_COUNTS_BYTES)
#define UH_RING_BYTES (UH_EMULATION_RING * sizeof(uint64_t))
#define UH_REGION_STRIDE (UH_REGION_OFFSET_RINGS + UH_REGION_LANES * UH_RING_BYTES)
#define UH_EMULATION_HEADER UH_PAGES(sizeof(struct uh_emulation))
#define UH_EMULATION_SIZE (UH_EMULATION_HEADER + UH_EMULATION_REGIONS * UH_REGION_STRIDE)

static inline uint64_t uh_region_offset(uint32_t index)
{
	return UH_EMULATION_HEADER + index * UH_REGION_STRIDE;
}

static inline struct uh_lane *uh_region_lane(struct uh_region *region, uint32_t index)
{
	return (struct uh_lane *)((char *)region + UH_REGION_OFFSET_LANES) + index;
}

static inline struct uh_block *uh_region_blocks(struct uh_region *region)
{
	return (struct uh_block *)((char *)region + UH_REGION_OFFSET_BLOCKS);
}

static inline uint64_t *uh_region_counts(struct uh_region *region, uint32_t lane)
{
	return (uint64_t *)((char *)region + UH_REGION_OFFSET_COUNTS + lane * UH_COUNTS_BYTES);
}

static inline uint64_t *uh_region_ring(struct uh_region *region, uint32_t lane)
{
	return (uint64_t *)((char *)region + UH_REGION_OFFSET_RINGS + lane * UH_RING_BYTES);
}

#endif
