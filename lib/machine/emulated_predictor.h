/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The branch predictors behind branch_misses.
 *
 * Direction: gshare (McFarling, "Combining Branch Predictors", 1993): 2^14
 * two-bit counters, indexed by the branch's address xor the last 14 outcomes.
 * Indirect targets: a table of last targets, indexed by the branch's address xor
 * a hash of the last indirect targets (Chang, Hao, Patt, "Target Prediction
 * for Indirect Jumps", 1997). Returns: a stack of 16 addresses that wraps around.
 * Direct jumps and calls are always right: a miss in a real target buffer costs
 * only a few cycles.
 */
#ifndef UH_MACHINE_EMULATED_PREDICTOR_H
#define UH_MACHINE_EMULATED_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#define UH_DIRECTION_BITS 14u
#define UH_DIRECTIONS (1u << UH_DIRECTION_BITS)
#define UH_TARGET_BITS 12u
#define UH_RETURNS 16u

struct uh_predictor {
	uint64_t returns[UH_RETURNS];
	uint64_t targets[1u << UH_TARGET_BITS];
	uint32_t top;                     /* of the return stack, counted without wrapping */
	uint32_t path;                    /* hash of the last indirect targets */
	uint8_t direction[UH_DIRECTIONS]; /* 0 and 1 say not taken, 2 and 3 taken */
};

/* All counters weakly not taken, nothing known of targets. */
static inline void uh_predictor_reset(struct uh_predictor *predictor)
{
	*predictor = (struct uh_predictor){0};
	for (uint32_t i = 0; i < UH_DIRECTIONS; i++)
		predictor->direction[i] = 1;
}

/* What stands for the address of a conditional jump in the predictor. */
static inline uint16_t uh_direction_hash(uint64_t pc)
{
	return (uint16_t)((pc ^ (pc >> UH_DIRECTION_BITS)) & (UH_DIRECTIONS - 1));
}

/*
 * Predicts and learns the outcome of one conditional jump; returns 1 when the
 * prediction was wrong. `history` is the caller's, to stay in a register.
 */
static inline uint32_t uh_predict_direction(struct uh_predictor *predictor, uint32_t hash,
					    uint32_t taken, uint32_t *history)
{
	uint32_t index = (hash ^ *history) & (UH_DIRECTIONS - 1);
	uint32_t counter = predictor->direction[index];

	/* The next state of counter c with outcome t is in bits 2(c + 4t) and the one above:
	 * 0, 0, 1, 2 for not taken, 1, 2, 3, 3 for taken. */
	predictor->direction[index] = (uint8_t)((0xf990u >> (2 * (counter + 4 * taken))) & 3);
	*history = (*history << 1) | taken;
	return (counter >> 1) ^ taken;
}

static inline void uh_predict_call(struct uh_predictor *predictor, uint64_t return_address)
{
	predictor->returns[predictor->top++ % UH_RETURNS] = return_address;
}

/* Both: 1 when the prediction was wrong. */
static inline uint32_t uh_predict_return(struct uh_predictor *predictor, uint64_t target)
{
	return predictor->returns[--predictor->top % UH_RETURNS] != target;
}

static inline uint32_t uh_predict_indirect(struct uh_predictor *predictor, uint64_t pc,
					   uint64_t target)
{
	uint32_t mask = (1u << UH_TARGET_BITS) - 1;
	uint32_t address = (uint32_t)(pc ^ (pc >> UH_TARGET_BITS));
	uint64_t *predicted = &predictor->targets[(address ^ predictor->path) & mask];
	uint32_t wrong = *predicted != target;

	*predicted = target;
	predictor->path = ((predictor->path << 5) ^ (uint32_t)(target ^ (target >> 7))) & mask;
	return wrong;
}

#endif
