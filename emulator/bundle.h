/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of a block that one call can speak for.
 *
 * Accesses through the same register, unchanged between them, are a known distance apart:
 * the pushes of a prologue, the fields of a struct, neighbours on the stack. Where they
 * lie within UH_BUNDLE_SPAN bytes they touch one line, or two that follow each other, and the
 * address of the first tells which. Only that one calls; the caches then see the others at
 * its place in the block, which is the one liberty taken.
 */
#ifndef UH_EMULATOR_BUNDLE_H
#define UH_EMULATOR_BUNDLE_H

#include "emulator/decode.h"

#define UH_BUNDLE_SPAN 48
#define UH_BUNDLES_OPEN 8

/* The accesses that the one of instruction `leader` speaks for, itself among them. */
struct uh_bundle {
	uint16_t leader; /* which of the block's accessing instructions */
	uint16_t members;
	bool store; /* what the leader does */
	/* The bytes touched, relative to the address that the leader accesses. */
	int16_t low;
	int16_t high; /* of the last byte */
	/* For the search: the register, how often it was written until then, */
	uint8_t base;
	uint32_t version;
	int64_t place; /* and the leader's distance from it. */
};

/* A block's bundles while it is read, instruction by instruction. Zero-initialise. */
struct uh_bundling {
	uint32_t versions[UH_BASES];
	int64_t stack_moved; /* bytes, since the stack pointer's version began */
	struct uh_bundle *bundles;
	uint32_t count;
};

/*
 * Takes one instruction in: returns the bundle that its access leads or joins, or NULL
 * when it has none that a bundle could speak for. `number` is the instruction's for
 * uh_bundle.leader. `bundling->bundles` has room for one more.
 */
struct uh_bundle *uh_bundle_take(struct uh_bundling *bundling, uint16_t number,
				 const struct uh_instruction *instruction);

#endif
