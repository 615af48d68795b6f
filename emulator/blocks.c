/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/blocks.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "emulator/region.h"

#define FIRST_SLOTS 4096u

static struct uh_block *table;
static uint32_t used;
static uint32_t *slots;     /* open addressing: a block's number plus one, or 0 */
static uint32_t slot_count; /* a power of two, at least twice `used` */

/* What makes two blocks the same: all but the number that the table gives them. */
#define CONTENT offsetof(struct uh_block, index)

static uint64_t hash(const struct uh_block *block)
{
	uint64_t words[CONTENT / 8];
	uint64_t value = 0;
	memcpy(words, block, sizeof(words));
	for (size_t i = 0; i < CONTENT / 8; i++) {
		value = (value ^ words[i]) * 0x9e3779b97f4a7c15ull;
		value ^= value >> 29;
	}
	return value;
}

/* The slot that holds `block`, or the empty one where it belongs. */
static uint32_t *find(const struct uh_block *block)
{
	uint32_t at = (uint32_t)hash(block) & (slot_count - 1);
	while (slots[at] && memcmp(&table[slots[at] - 1], block, CONTENT) != 0)
		at = (at + 1) & (slot_count - 1);
	return &slots[at];
}

static bool grow(void)
{
	uint32_t count = slot_count ? 2 * slot_count : FIRST_SLOTS;
	uint32_t *larger = calloc(count, sizeof(*larger));
	if (!larger)
		return false;
	free(slots);
	slots = larger;
	slot_count = count;
	for (uint32_t i = 0; i < used; i++)
		*find(&table[i]) = i + 1;
	return true;
}

static bool reserve(void)
{
	if (!table) {
		void *memory =
		    mmap(NULL, UH_EMULATION_BLOCKS * sizeof(*table), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED)
			return false;
		table = memory;
	}
	return 2 * (used + 1) <= slot_count || grow();
}

const struct uh_block *uh_block_intern(const struct uh_block *content)
{
	if (!reserve())
		return NULL;
	uint32_t *slot = find(content);
	if (*slot)
		return &table[*slot - 1];
	if (used == UH_EMULATION_BLOCKS)
		return NULL;
	struct uh_region *region = uh_attachment.region;
	table[used] = *content;
	table[used].index = used;
	uh_region_blocks(region)[used] = table[used];
	used++;
	*slot = used;
	atomic_store_explicit(&region->block_count, used, memory_order_release);
	return &table[used - 1];
}

const struct uh_block *uh_block_table(uint32_t *count)
{
	*count = used;
	return table;
}
