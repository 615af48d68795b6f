/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of translated blocks. QEMU forgets translations and makes them
 * again; a block that does the same at the same place keeps its number, so the
 * table grows with the program and not with the number of translations.
 *
 * A private copy is kept beside the shared one: a forked child needs it after
 * its parent, and the parent's region, may be gone.
 *
 * Call these from the translation callback only: QEMU's user mode holds its
 * memory-map lock there, and takes it over a fork, too.
 */
#ifndef UH_EMULATOR_BLOCKS_H
#define UH_EMULATOR_BLOCKS_H

#include "machine/emulated_layout.h"

/*
 * The block equal to `content` but for its number, found or added: it stays at its address for the
 * life of the process. NULL when the table is full or memory is out.
 */
const struct uh_block *uh_block_intern(const struct uh_block *content);

/* All blocks so far. */
const struct uh_block *uh_block_table(uint32_t *count);

#endif
