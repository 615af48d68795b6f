/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/repeat.h"

#include <stdlib.h>

#include "emulator/region.h"

/* The ends of rep instructions: open addressing, 0 is empty, a power of two of slots. */
static uint64_t *ends;
static uint32_t end_slots;
static uint32_t end_count;

static uint64_t *find(uint64_t address)
{
	uint32_t at = (uint32_t)((address * 0x9e3779b97f4a7c15ull) >> 32) & (end_slots - 1);
	while (ends[at] && ends[at] != address)
		at = (at + 1) & (end_slots - 1);
	return &ends[at];
}

static bool grow(void)
{
	uint32_t old_slots = end_slots;
	uint64_t *old = ends;
	uint64_t *larger = calloc(old_slots ? 2ul * old_slots : 256, sizeof(*larger));
	if (!larger)
		return false;
	ends = larger;
	end_slots = old_slots ? 2 * old_slots : 256;
	for (uint32_t i = 0; i < old_slots; i++) {
		if (old[i])
			*find(old[i]) = old[i];
	}
	free(old);
	return true;
}

void uh_repeat_will_end_at(uint64_t address)
{
	if (2 * (end_count + 1) > end_slots && !grow())
		return; /* then only the accesses tell one instance from the next */
	uint64_t *slot = find(address);
	end_count += !*slot;
	*slot = address;
}

bool uh_repeat_ended_at(uint64_t address)
{
	return end_slots && *find(address) == address;
}

static void on_access(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)address;
	(void)data;
	uh_repeat_access(uh_lanes[vcpu], qemu_plugin_mem_is_store(info),
			 1ull << qemu_plugin_mem_size_shift(info));
}

void uh_repeat_watch(struct qemu_plugin_insn *insn)
{
	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS,
					 QEMU_PLUGIN_MEM_RW, NULL);
}
