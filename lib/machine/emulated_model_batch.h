/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread's model from inside, and the batches it works in.
 *
 * Entries are taken BATCH at a time through a row of short loops, each of which
 * does one thing with the whole batch: sort entries into blocks and accesses,
 * walk the blocks (emulated_model_blocks.c), touch the first-level caches and TLBs,
 * then follow their misses down (emulated_model_misses.c). A loop that keeps one
 * structure in view leaves the host's caches and branch predictors in peace.
 *
 * The order of events is not lost: each access and each fetch keeps its ordinal,
 * the number of blocks entered in this batch until then, and misses are merged by
 * ordinal (a block's fetches before its accesses) before they reach the second level.
 * So results do not depend on where batches are cut.
 */
#ifndef UH_MACHINE_EMULATED_MODEL_BATCH_H
#define UH_MACHINE_EMULATED_MODEL_BATCH_H

#include "machine/emulated_model.h"
#include "machine/emulated_model_cache.h"
#include "machine/emulated_model_cycles.h"
#include "machine/emulated_model_steps.h"

#define UH_BATCH 1024u
#define UH_BATCH_FETCHES (UH_BATCH * UH_STEP_LINES_MAX)
#define UH_FILTER_SETS 64u
#define UH_SORT_SLACK 8u /* sorting may write so far beyond the end of a list */

/* Who belongs to an access: the stamp of its entry, its ordinal, and the entry's low two bits. */
#define UH_WHO_BITS 2u
#define UH_WHO_MASK 3u
#define UH_WHO_STAMP_SHIFT 16u
#define UH_WHO_ORDINAL(who) (((who) >> UH_WHO_BITS) & 0x3fffu)
_Static_assert(UH_BATCH < 0x3fff, "an ordinal fits");

/* Room for a batch. Only damaged memory can fill the lists of fetches; else their
 * pages stay untouched. Entry 0 of the accesses is the last one of the batch before. */
struct uh_batch {
	const struct uh_block *table; /* what the entries' indices refer to */
	uint32_t table_count;

	uint32_t blocks[UH_BATCH + UH_SORT_SLACK];
	uint32_t instructions[UH_BATCH + UH_SORT_SLACK]; /* of each block's entry */
	uint32_t who[UH_BATCH + 1 + UH_SORT_SLACK];
	uint64_t lines[UH_BATCH + 1 + UH_SORT_SLACK];
	uint32_t position[UH_BATCH + 1]; /* by ordinal: instructions since the batch began */
	uint32_t block_count;
	uint32_t access_count; /* without entry 0 */

	uint64_t fetch_lines[UH_BATCH_FETCHES + 2]; /* that the filter could not rule out */
	uint32_t fetch_ordinals[UH_BATCH_FETCHES + 2];
	uint64_t fetch_pages[3 * UH_BATCH + 2];
	size_t fetch_count;
	size_t page_count;

	uint64_t
	    pages[UH_BATCH + 1]; /* of accesses, as far as the filter could not rule them out */
	uint32_t page_access[UH_BATCH + 1];

	uint32_t missed_accesses[UH_BATCH + 2]; /* indices into lines */
	uint32_t missed_fetches[UH_BATCH_FETCHES + 2];
	uint32_t missed[UH_BATCH_FETCHES + UH_BATCH + 2];
	size_t missed_access_count;
	size_t missed_fetch_count;

	/* What goes below the first level, in order. */
	uint64_t request_lines[UH_BATCH_FETCHES + UH_BATCH + 2];
	uint8_t request_kind[UH_BATCH_FETCHES + UH_BATCH + 2];      /* enum uh_request */
	uint32_t request_position[UH_BATCH_FETCHES + UH_BATCH + 2]; /* as in `position` */
	uint8_t found[UH_BATCH_FETCHES + UH_BATCH + 2];
	uint64_t below_lines[UH_BATCH_FETCHES + UH_BATCH + 2];
	uint32_t below_request[UH_BATCH_FETCHES + UH_BATCH + 2];
	size_t request_count;
};

/* The last line (page) seen in each class of sets: seen again, it changes nothing. */
struct uh_filter {
	uint64_t last[UH_FILTER_SETS];
	uint64_t mask;
};

/*
 * Sorts `count` entries, at most UH_BATCH, into the batch's blocks and accesses. The
 * variants must agree.
 */
typedef void uh_batch_sort(struct uh_batch *batch, const uint64_t *entries, size_t count);
uh_batch_sort uh_batch_sort_portable;
#ifdef __x86_64__
uh_batch_sort uh_batch_sort_avx512;
#endif

/* The fastest one that this processor can run. */
uh_batch_sort *uh_batch_sort_best(void);

struct uh_model_shared {
	struct uh_model_options options;
	struct uh_cache l3;
	uh_cache_touch *touch;
	uh_batch_sort *sort;
	struct uh_batch *batch;
};

struct uh_model {
	struct uh_model_shared *shared;
	struct uh_cache l1i, l1d, l2, itlb, dtlb;
	struct uh_filter fetch_filter, page_filter, fetch_page_filter;
	struct uh_steps steps;
	uint64_t fetched; /* the last line of the block before */
	struct uh_cycles cycles;

	uint64_t last_line; /* of the last access, */
	uint32_t last_who;  /* its kind, */
	bool last_missed;   /* and what became of it in the L1D */
	bool last_missed_page;

	uint64_t malformed;
	uint64_t instructions;
	uint64_t l1_misses[UH_REQUESTS];
	uint64_t l2_accesses, l2_misses;
	uint64_t l3_accesses[UH_REQUESTS], l3_misses[UH_REQUESTS];
	uint64_t dtlb_misses[2]; /* loads, stores */
	uint64_t itlb_misses;
};

/* Walks the batch's blocks: keeps the position, and lists the fetches. */
void uh_batch_blocks(struct uh_model *model, struct uh_batch *batch);

/* Touches the first level with the batch's accesses and fetches, then all below. */
void uh_batch_misses(struct uh_model *model, struct uh_batch *batch);

/* Touches the TLBs. */
void uh_batch_pages(struct uh_model *model, struct uh_batch *batch);

#endif
