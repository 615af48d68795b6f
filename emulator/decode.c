/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/decode.h"

#include <Zydis/Zydis.h>
#include <string.h>

/* Memory operands that are named, not accessed. */
static bool is_hint(const ZydisDecodedInstruction *instruction)
{
	switch (instruction->meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_CLFLUSHOPT:
	case ZYDIS_CATEGORY_CLWB:
	case ZYDIS_CATEGORY_CLDEMOTE:
		return true;
	default:
		return instruction->mnemonic == ZYDIS_MNEMONIC_CLFLUSH ||
		       instruction->mnemonic == ZYDIS_MNEMONIC_LEA;
	}
}

static bool is_direct(const ZydisDecodedInstruction *instruction)
{
	return (instruction->attributes & ZYDIS_ATTRIB_IS_RELATIVE) != 0;
}

static uint8_t ending_of(const ZydisDecodedInstruction *instruction)
{
	switch (instruction->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return UH_BLOCK_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return is_direct(instruction) ? UH_BLOCK_JUMP : UH_BLOCK_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL:
		return is_direct(instruction) ? UH_BLOCK_CALL : UH_BLOCK_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET:
		return UH_BLOCK_RETURN;
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_INTERRUPT:
		return UH_BLOCK_SYSTEM_CALL;
	default:
		return UH_BLOCK_FALLS_THROUGH;
	}
}

static void add_operand(struct uh_instruction *out, const ZydisDecodedOperand *operand)
{
	if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    (operand->mem.type != ZYDIS_MEMOP_TYPE_MEM &&
	     operand->mem.type != ZYDIS_MEMOP_TYPE_VSIB))
		return;
	uint32_t bytes = operand->size / 8u;
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ) {
		out->loads++;
		out->bytes_loaded += bytes;
	}
	if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
		out->stores++;
		out->bytes_stored += bytes;
	}
}

bool uh_decode(const uint8_t *bytes, size_t size, struct uh_instruction *out)
{
	static const ZyanU64 repeats =
	    ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
	static ZydisDecoder decoder; /* translations are made one at a time */
	static bool ready;
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	memset(out, 0, sizeof(*out));
	if (!ready)
		ready = ZYAN_SUCCESS(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
	if (!ready ||
	    ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, bytes, size, &instruction, operands)))
		return false;
	out->ending = ending_of(&instruction);
	if (is_hint(&instruction))
		return true;
	for (size_t i = 0; i < instruction.operand_count; i++)
		add_operand(out, &operands[i]);
	out->atomic = (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
		      (instruction.mnemonic == ZYDIS_MNEMONIC_XCHG && out->loads && out->stores);
	out->repeat = instruction.meta.category == ZYDIS_CATEGORY_STRINGOP &&
		      (instruction.attributes & repeats);
	out->compares = out->repeat && !(instruction.attributes & ZYDIS_ATTRIB_HAS_REP);
	return true;
}

void uh_block_append(struct uh_block *block, uint64_t address, size_t size,
		     const struct uh_instruction *instruction)
{
	if (!block->instructions)
		block->start = address;
	block->instructions++;
	block->last = address;
	block->end = address + size;
	block->atomics = (uint16_t)(block->atomics + instruction->atomic);
	block->ending = instruction->ending;
	if (instruction->repeat) {
		block->ending = UH_BLOCK_REPEAT;
		block->repeat_loads = instruction->loads;
		block->repeat_stores = instruction->stores;
		uint32_t accesses = (uint32_t)instruction->loads + instruction->stores;
		uint32_t bytes = instruction->bytes_loaded + instruction->bytes_stored;
		block->repeat_bytes = (uint8_t)(accesses ? bytes / accesses : 0);
		return;
	}
	block->loads = (uint16_t)(block->loads + instruction->loads);
	block->stores = (uint16_t)(block->stores + instruction->stores);
	block->bytes_loaded += instruction->bytes_loaded;
	block->bytes_stored += instruction->bytes_stored;
}
