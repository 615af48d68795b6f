/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/bundle.h"

static bool fits(const struct uh_bundle *bundle, int64_t low, int64_t high)
{
	int64_t least = low < bundle->low ? low : bundle->low;
	int64_t most = high > bundle->high ? high : bundle->high;
	return most - least < UH_BUNDLE_SPAN;
}

/* Joins the access at `place` to a bundle that speaks for its neighbours; false if it cannot. */
static bool join(struct uh_bundle *bundle, int64_t place, uint32_t bytes)
{
	int64_t low = place - bundle->place;
	int64_t high = low + bytes - 1;
	if (!fits(bundle, low, high))
		return false;
	if (low < bundle->low)
		bundle->low = (int16_t)low;
	if (high > bundle->high)
		bundle->high = (int16_t)high;
	bundle->members++;
	return true;
}

static struct uh_bundle *find(struct uh_bundling *bundling,
			      const struct uh_instruction *instruction, int64_t place)
{
	uint32_t version = bundling->versions[instruction->base];
	uint32_t oldest = bundling->count > UH_BUNDLES_OPEN ? bundling->count - UH_BUNDLES_OPEN : 0;
	for (uint32_t i = bundling->count; i-- > oldest;) {
		struct uh_bundle *bundle = &bundling->bundles[i];
		if (bundle->base == instruction->base && bundle->version == version &&
		    join(bundle, place, instruction->bytes_loaded + instruction->bytes_stored))
			return bundle;
	}
	return NULL;
}

static struct uh_bundle *access_of(struct uh_bundling *bundling, uint16_t number,
				   const struct uh_instruction *instruction)
{
	int64_t place = instruction->displacement;
	if (instruction->base == UH_BASE_STACK)
		place += bundling->stack_moved;
	struct uh_bundle *bundle = find(bundling, instruction, place);
	if (bundle)
		return bundle;
	bundle = &bundling->bundles[bundling->count++];
	uint32_t bytes = instruction->bytes_loaded + instruction->bytes_stored;
	*bundle = (struct uh_bundle){
	    .leader = number,
	    .members = 1,
	    .store = instruction->stores != 0,
	    .high = (int16_t)(bytes - 1),
	    .base = instruction->base,
	    .version = bundling->versions[instruction->base],
	    .place = place,
	};
	return bundle;
}

struct uh_bundle *uh_bundle_take(struct uh_bundling *bundling, uint16_t number,
				 const struct uh_instruction *instruction)
{
	struct uh_bundle *bundle =
	    instruction->based ? access_of(bundling, number, instruction) : NULL;
	bundling->stack_moved += instruction->stack_move;
	for (uint32_t base = 0; base < UH_BASES; base++)
		bundling->versions[base] += instruction->written >> base & 1;
	return bundle;
}
