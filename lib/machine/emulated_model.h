/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The models behind an emulated machine's `modelled` figures: caches,
 * TLBs and the interval model of cycles (the branch predictors are in emulated_front.h). A model is
 * fed the entries of one thread's ring (machine/emulated_layout.h) and keeps totals; it knows
 * nothing of QEMU, so a test can feed it entries of its own.
 *
 * Left out on purpose: coherence between the threads' private caches, prefetch
 * into the caches (the cycles know of it, see emulated_model_cycles.h), wrong-path
 * execution, the kernel. Every access is a virtual address.
 */
#ifndef UH_MACHINE_EMULATED_MODEL_H
#define UH_MACHINE_EMULATED_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/emulated_layout.h"
#include "quantities.h"
#include "unhalted/error.h"

#define UH_CACHE_WAYS_MAX 32u
#define UH_CACHE_SIZE_MAX (4ull << 30)

/* A cache of 64-byte lines with true LRU replacement; a load or store that
 * misses allocates. A level is asked only for what the level above missed, and
 * none throws lines out of another. */
struct uh_cache_geometry {
	uint64_t size;    /* bytes; 0: the level is absent (L2 and L3 only) */
	uint32_t ways;    /* 1 to UH_CACHE_WAYS_MAX */
	uint32_t latency; /* cycles from the load to the use of its value, on a hit here */
};

/* A TLB of 4 KiB pages with true LRU replacement. */
struct uh_tlb_geometry {
	uint32_t entries; /* entries / ways is a power of two */
	uint32_t ways;
};

/* What the interval model of cycles knows of a core; emulated_model_cycles.h says how it is used.
 */
struct uh_core_timing {
	uint32_t instructions_per_100_cycles; /* dispatched, while nothing stands in the way */
	uint32_t overlap_window;              /* instructions within which load misses overlap */
	uint32_t branch_miss_penalty;         /* cycles */
	uint32_t hidden_load; /* cycles of a load's latency that other work covers */

	uint32_t stream_line; /* cycles to move one line from memory when its fetch was foreseen */
};

/* Levels, as bits of uh_model_options.kept. */
enum uh_cache_level {
	UH_CACHE_L1I = 1,
	UH_CACHE_L1D = 2,
	UH_CACHE_L2 = 4,
	UH_CACHE_L3 = 8,
};

/* What to model. Fill it with uh_model_options_default(), then change it. */
struct uh_model_options {
	/* size / (64 * ways) is whole, and for the first level a power of two. */
	struct uh_cache_geometry l1i, l1d, l2, l3;
	struct uh_tlb_geometry itlb, dtlb;
	struct uh_core_timing timing;
	uint32_t memory_latency; /* cycles, on a miss in the L3 */
	uint32_t kept;           /* levels that uh_model_options_from_machine() left as they were */
	bool caches;
	bool tlbs;
};

/* The geometry of a current server core; data/emulated-core.tsv names its source. */
void uh_model_options_default(struct uh_model_options *options);

/*
 * Reads one `--cache` argument: LEVEL=SIZE,WAYS[,64][,LATENCY] with LEVEL one of
 * L1I, L1D, L2, L3, SIZE in bytes or with K or M (powers of 1024), LATENCY in
 * cycles (without it the earlier one stays). Several may follow each other
 * separated by blanks. The line is always 64 bytes, and a third number of 64
 * is taken as the line size, not as a latency, as cachegrind writes it. L2=0 and
 * L3=0 take the level away. Returns 0, or -EINVAL with the reason and `options` as it was.
 */
int uh_model_options_parse(struct uh_model_options *options, const char *text,
			   struct uh_error *error);

/*
 * Takes the cache geometry of processor 0 from sys/devices/system/cpu/cpu0/cache
 * under `root_fd` (Documentation/ABI/testing/sysfs-devices-system-cpu). A level
 * that is missing there, or cannot be, stays as it was and gets its bit in
 * options->kept: guests often show caches that the hypervisor made up.
 * Returns 0 even if all were kept, or a negative errno when sysfs cannot be read at all.
 */
int uh_model_options_from_machine(int root_fd, struct uh_model_options *options,
				  struct uh_error *error);

/*
 * How many sets a producer's filter of accesses, fetches or pages may tell apart (a power of two,
 * at most `limit`, itself a power of two): an access may be left out when the last one with the
 * same line (page) modulo this number was to the same line (page). Both filters must agree before
 * an access is left out, if both models are wanted. An access that straddles two lines is sent
 * whole or not at all.
 */
uint32_t uh_model_filter_lines(const struct uh_model_options *options, uint32_t limit);
uint32_t uh_model_filter_fetches(const struct uh_model_options *options, uint32_t limit);
uint32_t uh_model_filter_pages(const struct uh_model_options *options, uint32_t limit);

struct uh_model_shared; /* what threads share: the last-level cache */
struct uh_model;        /* one thread's private part */

/*
 * Both constructors: 0, -EINVAL for an impossible geometry, -ENOMEM. The
 * caller owns the result; the shared part must outlive its models. Models of
 * one shared part must not run at the same time.
 */
int uh_model_shared_new(const struct uh_model_options *options, struct uh_model_shared **shared,
			struct uh_error *error);
void uh_model_shared_free(struct uh_model_shared *shared);
int uh_model_new(struct uh_model_shared *shared, struct uh_model **model, struct uh_error *error);
void uh_model_free(struct uh_model *model);

/*
 * Consumes `count` entries. `blocks` is the block table that the entries'
 * indices refer to; `block_count` bounds them (an index beyond it is ignored and
 * counted in uh_model_malformed). A block is copied when it is first entered: its
 * index must mean the same block for the model's life. State is carried from call
 * to call: entries may be cut anywhere. Returns 0, or -ENOMEM with nothing consumed.
 */
int uh_model_run(struct uh_model *model, const struct uh_block *blocks, uint32_t block_count,
		 const uint64_t *entries, size_t count);

/*
 * Writes what the caches, the TLBs and the model of cycles say so far; what is not
 * modelled is 0. `totals` comes in with the thread's instructions and branch_misses, which
 * cycles are made of; all other quantities are left alone.
 */
void uh_model_totals(const struct uh_model *model, uint64_t totals[UH_QUANTITY_COUNT]);

/* Entries that named no block, or one that cannot be. Non-zero means damaged memory. */
uint64_t uh_model_malformed(const struct uh_model *model);

#endif
