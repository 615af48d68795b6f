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

/* The number of a 64-bit register that an address can be based on; -1 for any other. */
static int base_number(ZydisRegister reg)
{
	if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15)
		return (int)(reg - ZYDIS_REGISTER_RAX);
	return reg == ZYDIS_REGISTER_RIP ? UH_BASE_CODE : -1;
}

/* The address of a lone access, as far as it is a register and a number. */
static void find_base(struct uh_instruction *out, const ZydisDecodedOperand *operand)
{
	uint32_t bytes = out->bytes_loaded + out->bytes_stored;
	int base = base_number(operand->mem.base);
	if (out->loads + out->stores != 1 || bytes > 8 || (bytes & (bytes - 1)) || !bytes)
		return;
	if (base < 0 || operand->mem.index != ZYDIS_REGISTER_NONE ||
	    operand->mem.segment == ZYDIS_REGISTER_FS || operand->mem.segment == ZYDIS_REGISTER_GS)
		return;
	out->based = true;
	out->base = (uint8_t)base;
	out->displacement = operand->mem.disp.has_displacement ? operand->mem.disp.value : 0;
}

/* Pushes and pops, and constants added to the stack pointer, leave it known. */
static bool find_stack_move(struct uh_instruction *out, const ZydisDecodedInstruction *instruction,
			    const ZydisDecodedOperand *operands)
{
	bool constant = instruction->operand_count_visible == 2 &&
			operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			operands[0].reg.value == ZYDIS_REGISTER_RSP &&
			operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	bool pops_itself = operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			   operands[0].reg.value == ZYDIS_REGISTER_RSP;
	if (instruction->mnemonic == ZYDIS_MNEMONIC_PUSH && instruction->operand_width == 64) {
		out->stack_move = -8;
		out->displacement = -8;
	} else if (instruction->mnemonic == ZYDIS_MNEMONIC_POP &&
		   instruction->operand_width == 64 && !pops_itself) {
		out->stack_move = 8;
		out->displacement = 0;
	} else if (instruction->mnemonic == ZYDIS_MNEMONIC_SUB && constant) {
		out->stack_move = -operands[1].imm.value.s;
	} else if (instruction->mnemonic == ZYDIS_MNEMONIC_ADD && constant) {
		out->stack_move = operands[1].imm.value.s;
	} else {
		return false;
	}
	return true;
}

/* What the instruction does to the registers that addresses are based on, and to the stack. */
static void find_bases(struct uh_instruction *out, const ZydisDecodedInstruction *instruction,
		       const ZydisDecodedOperand *operands)
{
	for (size_t i = 0; i < instruction->operand_count; i++) {
		const ZydisDecodedOperand *operand = &operands[i];
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
			find_base(out, operand);
		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		int base = base_number(ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
									operand->reg.value));
		if (base >= 0 && base != UH_BASE_CODE)
			out->written |= 1u << base;
	}
	if (find_stack_move(out, instruction, operands))
		out->written &= ~(1u << UH_BASE_STACK);
	else if (out->based && out->base == UH_BASE_STACK && (out->written >> UH_BASE_STACK & 1))
		out->based = false; /* call, ret, leave: they end what is known of the stack */
}

static bool decode(const uint8_t *bytes, size_t size, struct uh_instruction *out)
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
	if (is_hint(&instruction)) {
		find_bases(out, &instruction, operands);
		return true;
	}
	for (size_t i = 0; i < instruction.operand_count; i++)
		add_operand(out, &operands[i]);
	out->atomic = (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
		      (instruction.mnemonic == ZYDIS_MNEMONIC_XCHG && out->loads && out->stores);
	out->repeat = instruction.meta.category == ZYDIS_CATEGORY_STRINGOP &&
		      (instruction.attributes & repeats);
	out->compares = out->repeat && !(instruction.attributes & ZYDIS_ATTRIB_HAS_REP);
	find_bases(out, &instruction, operands);
	out->based = out->based && !out->repeat;
	return true;
}

/*
 * Few different instructions make up most of a program: what was decoded is kept, by
 * its bytes. Decoding is dearer than all else that the plugin does when code is translated.
 */
#define KEPT 8192u

static uint32_t slot_of(const uint8_t *bytes, size_t size)
{
	uint64_t words[2] = {0};
	memcpy(words, bytes, size);
	uint64_t hash = (words[0] ^ words[1] * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	return (uint32_t)(hash >> 40) % KEPT;
}

bool uh_decode(const uint8_t *bytes, size_t size, uint64_t address, struct uh_instruction *out)
{
	static struct {
		uint8_t bytes[UH_INSTRUCTION_BYTES];
		uint8_t size; /* 0: none is kept here */
		bool good;
		struct uh_instruction decoded;
	} kept[KEPT];
	if (!size || size > UH_INSTRUCTION_BYTES)
		return decode(bytes, size, out);
	uint32_t slot = slot_of(bytes, size);
	if (kept[slot].size != size || memcmp(kept[slot].bytes, bytes, size) != 0) {
		kept[slot].good = decode(bytes, size, &kept[slot].decoded);
		kept[slot].size = (uint8_t)size;
		memcpy(kept[slot].bytes, bytes, size);
	}
	*out = kept[slot].decoded;
	if (out->based && out->base == UH_BASE_CODE)
		out->displacement += (int64_t)(address + size);
	return kept[slot].good;
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
