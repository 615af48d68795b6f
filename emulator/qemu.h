/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the plugin calls in QEMU, declared from the interface's documentation:
 * distributions do not ship a header for it.
 *
 * Interface version 1 (QEMU 4.2 to 8.2) has inline additions to one word.
 * Version 2 (9.0) took them away, version 3 changed qemu_plugin_insn_data(),
 * 4 to 6 only added, 7 changes every callback and is refused.
 */
#ifndef UH_EMULATOR_QEMU_H
#define UH_EMULATOR_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UH_QEMU_NEWEST_KNOWN 6

#define UH_EXPORT __attribute__((visibility("default")))
#define UH_QEMU __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct qemu_plugin_info {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
};

enum { QEMU_PLUGIN_CB_NO_REGS };
enum { QEMU_PLUGIN_MEM_RW = 3 };
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

typedef void qemu_plugin_vcpu_cb(uint64_t id, unsigned int vcpu);
typedef void qemu_plugin_block_cb(unsigned int vcpu, void *data);
typedef void qemu_plugin_memory_cb(unsigned int vcpu, uint32_t info, uint64_t address, void *data);
typedef void qemu_plugin_translate_cb(uint64_t id, struct qemu_plugin_tb *tb);
typedef void qemu_plugin_system_call_cb(uint64_t id, unsigned int vcpu, int64_t number, uint64_t a1,
					uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5,
					uint64_t a6, uint64_t a7, uint64_t a8);
typedef void qemu_plugin_system_return_cb(uint64_t id, unsigned int vcpu, int64_t number,
					  int64_t result);

UH_QEMU void qemu_plugin_register_vcpu_init_cb(uint64_t id, qemu_plugin_vcpu_cb *callback);
UH_QEMU void qemu_plugin_register_vcpu_exit_cb(uint64_t id, qemu_plugin_vcpu_cb *callback);
UH_QEMU void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_plugin_translate_cb *callback);
UH_QEMU void qemu_plugin_register_vcpu_syscall_cb(uint64_t id,
						  qemu_plugin_system_call_cb *callback);
UH_QEMU void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id,
						      qemu_plugin_system_return_cb *callback);
UH_QEMU void qemu_plugin_register_atexit_cb(uint64_t id, void (*callback)(uint64_t id, void *data),
					    void *data);
UH_QEMU void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
						  qemu_plugin_block_cb *callback, int flags,
						  void *data);
UH_QEMU void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
					      qemu_plugin_memory_cb *callback, int flags, int rw,
					      void *data);

/* Version 1 only. */
UH_QEMU __attribute__((weak)) void
qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int operation, void *word,
					 uint64_t amount);

UH_QEMU __attribute__((weak)) void
qemu_plugin_register_vcpu_mem_inline(struct qemu_plugin_insn *insn, int rw, int operation,
				     void *word, uint64_t amount);

UH_QEMU size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
UH_QEMU uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
UH_QEMU struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
							 size_t index);
UH_QEMU size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
UH_QEMU uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
UH_QEMU unsigned int qemu_plugin_mem_size_shift(uint32_t info);
UH_QEMU bool qemu_plugin_mem_is_store(uint32_t info);

/* Notes which version of the interface is spoken (struct qemu_plugin_info's cur). */
void uh_qemu_speak(int version);

/* Copies an instruction's bytes, at most `size`; returns how many. */
size_t uh_qemu_instruction_bytes(const struct qemu_plugin_insn *insn, uint8_t *bytes, size_t size);

#endif
