/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The models behind an emulated machine's `modelled` figures: caches, branch
 * predictors, TLBs and the interval model of cycles. A model is fed the entries
 * of one thread's ring (machine/emulated_layout.h) and keeps totals; it knows
 * nothing of QEMU, so a test can feed it entries of its own.
 */
#ifndef UH_MACHINE_EMULATED_MODEL_H
#define UH_MACHINE_EMULATED_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/emulated_layout.h"
#include "quantities.h"
#include "unhalted/error.h"

/* A cache of 64-byte lines with true LRU replacement. */
struct uh_cache_geometry {
	uint64_t size; /* bytes; size / (64 * ways) is a power of two */
	uint32_t ways;
	uint32_t latency; /* cycles from the load to the use of its value, on a hit here */
};

/* What to model. Fill it with uh_model_options_default(), then change it. */
struct uh_model_options {
	struct uh_cache_geometry l1i, l1d, l2, l3;
	uint32_t memory_latency; /* cycles, on a miss in the L3 */
	bool caches;
	bool branches;
	bool tlbs;
};

/* The geometry of a current server core; data/emulated-core.tsv names its source. */
void uh_model_options_default(struct uh_model_options *options);

/*
 * Reads one `--cache` argument: LEVEL=SIZE,WAYS,LATENCY with LEVEL one of L1I,
 * L1D, L2, L3, SIZE in bytes or with K, M; LATENCY in cycles, optional (the
 * earlier one stays). Several may follow each other separated by a blank. The
 * line is always 64 bytes, and `,64` as the third number is taken as the line
 * size, not as a latency, as cachegrind writes it. Returns -EINVAL with the reason.
 */
int uh_model_options_parse(struct uh_model_options *options, const char *text,
			   struct uh_error *error);

struct uh_model_shared; /* what threads share: the last-level cache */
struct uh_model;	/* one thread's private part */

/* Both constructors: 0, -EINVAL for an impossible geometry, -ENOMEM. The
 * caller owns the result; the shared part must outlive its models. */
int uh_model_shared_new(const struct uh_model_options *options, struct uh_model_shared **shared,
			struct uh_error *error);
void uh_model_shared_free(struct uh_model_shared *shared);
int uh_model_new(struct uh_model_shared *shared, struct uh_model **model, struct uh_error *error);
void uh_model_free(struct uh_model *model);

/*
 * Consumes `count` entries. `blocks` is the block table that the entries'
 * indices refer to; `block_count` bounds them (an index beyond it is ignored and
 * counted in uh_model_malformed). State is carried from call to call: entries may be
 * cut anywhere.
 */
void uh_model_run(struct uh_model *model, const struct uh_block *blocks, uint32_t block_count,
		  const uint64_t *entries, size_t count);

/* Writes all totals so far: exact quantities of the blocks seen, and modelled ones. */
void uh_model_totals(const struct uh_model *model, uint64_t totals[UH_QUANTITY_COUNT]);

/* Entries that named no block. Non-zero means damaged memory. */
uint64_t uh_model_malformed(const struct uh_model *model);

#endif
