/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting how often blocks run, and in which order.
 *
 * Where QEMU offers it, and while the process has one thread, a block costs one
 * addition in the translated code. That addition is not atomic and knows no
 * thread, so blocks translated after a second thread appeared call back instead
 * and count in the thread's own lane. (QEMU throws all translations away when
 * the first thread is added, so none of the old kind is left.)
 */
#ifndef UH_EMULATOR_COUNT_H
#define UH_EMULATOR_COUNT_H

#include "emulator/qemu.h"
#include "machine/emulated_layout.h"

/* Whether blocks translated now may use the inline addition. */
bool uh_count_inline(void);

/* A second thread is about to appear. */
void uh_count_parallel(void);

/* The rep instruction that a block ends in; all zero when it does not. */
struct uh_repeat {
	struct qemu_plugin_insn *insn;
	bool compares; /* cmps and scas */
};

/* For the mode UH_EMULATION_BLOCK. `block` stays where it is. */
void uh_count_block(struct qemu_plugin_tb *tb, const struct uh_block *block,
		    const struct uh_repeat *repeat);

/* For the mode UH_EMULATION_SEQUENCE. */
void uh_count_sequence(struct qemu_plugin_tb *tb, const struct uh_block *block);

/*
 * For a block that the full table has no room for, in any mode: its content is
 * added to the lane's totals each time it runs. The models do not see it, which a
 * note says in the mode UH_EMULATION_STREAM; when memory is out it goes uncounted, with a note.
 */
void uh_count_beyond(struct qemu_plugin_tb *tb, const struct uh_block *content, unsigned int mode);

#endif
