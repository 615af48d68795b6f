/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handing every block and every memory access that matters to the watcher,
 * through the lane's ring. This is the plugin's busiest code: a run of a program
 * is a call here for each block and for each access.
 *
 * An access to the line last used within its cache set cannot change the state
 * of a cache with least-recently-used replacement, whatever its number of ways,
 * and misses nowhere: it is left out. The same holds for pages and TLB sets.
 */
#ifndef UH_EMULATOR_STREAM_H
#define UH_EMULATOR_STREAM_H

#include "emulator/decode.h"
#include "emulator/qemu.h"

void uh_stream_block(struct qemu_plugin_tb *tb, const struct uh_block *block);

/* Takes in the next instruction of the block being translated. */
void uh_stream_instruction(struct qemu_plugin_insn *insn, const struct uh_instruction *decoded);

/* All of the block's instructions have been taken in: has their accesses reported. */
void uh_stream_accesses(void);

#endif
