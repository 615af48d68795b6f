/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What becomes of a file that is to be executed: the kernel's rules for scripts
 * and ELF files, as far as they decide whether the emulator can run it. Used by
 * the library for the command, and by the plugin for what the command executes.
 * No other file than this and the layout is shared by the two.
 */
#ifndef UH_MACHINE_EMULATED_PROGRAM_H
#define UH_MACHINE_EMULATED_PROGRAM_H

#include <stddef.h>

#define UH_PROGRAM_PATH 4096
#define UH_PROGRAM_DEPTH 5 /* of scripts that name scripts, as in the kernel */

enum uh_program_kind {
	UH_PROGRAM_RUNS,       /* an x86-64 ELF file, or a script that leads to one */
	UH_PROGRAM_FOREIGN,    /* an ELF file for another processor, or 32-bit */
	UH_PROGRAM_PRIVILEGED, /* set-user-id, set-group-id or with capabilities to gain */
	UH_PROGRAM_UNREADABLE, /* may be executed, but not read */
	UH_PROGRAM_UNKNOWN,    /* neither ELF nor script */
	UH_PROGRAM_FAILS,      /* cannot be executed: `code` says why */
};

/*
 * `path` is the ELF file. `before` are the arguments that scripts put before the
 * program's own ones (the interpreter's option, the script's path): with none,
 * the program keeps its argv whole; else argv[0] is `path`'s interpreter as the
 * script names it, then come `before`, then the program's argv from 1 on.
 */
struct uh_program {
	enum uh_program_kind kind;
	int code; /* a negative errno */
	char path[UH_PROGRAM_PATH];
	char *before[2 * UH_PROGRAM_DEPTH];
	size_t before_count;
	char text[UH_PROGRAM_DEPTH][2][UH_PROGRAM_PATH]; /* what `before` points to */
};

/* Resolves `path`, relative to the working directory. Fills `program`, which must not move. */
void uh_program_resolve(const char *path, struct uh_program *program);

/* Why a program that may be executed cannot run emulated: half a sentence. */
const char *uh_program_obstacle(enum uh_program_kind kind);

/* The emulator and the option that loads the plugin into it, commas doubled as QEMU wants. */
struct uh_emulator {
	const char *path;
	const char *plugin;
};

/* What to execute to run a program emulated. The arrays are the launch's own, the strings not. */
struct uh_launch {
	const char *path;
	char **arguments;
	char **environment;
};

/*
 * Builds the emulator's arguments and environment for a program of kind
 * UH_PROGRAM_RUNS. Variables that would steer the emulator itself or its dynamic
 * linker (LD_*, QEMU_*) reach the program through an option instead. -ENOMEM.
 */
int uh_launch_build(const struct uh_emulator *emulator, struct uh_program *program,
		    char *const arguments[], char *const environment[], struct uh_launch *launch);
void uh_launch_free(struct uh_launch *launch);

#endif
