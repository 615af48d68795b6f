/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether programs can be emulated here, found out without running one. */
#ifndef UH_MACHINE_EMULATION_FACTS_H
#define UH_MACHINE_EMULATION_FACTS_H

#include <stdbool.h>

#include "machine/emulated_program.h"
#include "unhalted/error.h"

struct uh_emulation_facts {
	bool available;
	char qemu[UH_PROGRAM_PATH];   /* "" when none is usable */
	char version[128];            /* what QEMU calls itself; "" when its file does not say */
	char plugin[UH_PROGRAM_PATH]; /* "" when it is missing */
	struct uh_error reason;       /* why it is not available, and what to do */
};

/* Prepares a run as uh_emulated_new() would with default options, and gives it up again. */
void uh_emulation_facts_find(struct uh_emulation_facts *facts);

#endif
