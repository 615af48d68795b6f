/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the emulated machine share among themselves. */
#ifndef UH_MACHINE_EMULATED_OWN_H
#define UH_MACHINE_EMULATED_OWN_H

#include "machine/emulated_program.h"
#include "machine/emulated_watch.h"

struct uh_emulated {
	struct uh_watch watch;
	bool started;
	char qemu[UH_PROGRAM_PATH];
	char plugin[UH_PROGRAM_PATH];
	char option[4 * UH_PROGRAM_PATH + 64]; /* of QEMU's, to load the plugin */
	char note[UH_EMULATION_NOTE_TEXT];
};

/* Finds an executable file as a shell does. 0, -ENOENT, -EACCES or -ENAMETOOLONG. */
int uh_path_search(const char *name, char *path, size_t size);

#endif
