/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The emulated machine: a program run under QEMU's user mode with the plugin of
 * emulator/ in it, and what it did there. For machines without a PMU.
 *
 * The caller forks and executes; this object finds the emulator, owns the shared
 * memory (machine/emulated_layout.h) and a thread that watches over it. One object
 * is for one command and all that descends from it. Only user mode is seen.
 */
#ifndef UH_MACHINE_EMULATED_H
#define UH_MACHINE_EMULATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/emulated_layout.h"
#include "machine/emulated_model.h"
#include "quantities.h"
#include "unhalted/error.h"

struct uh_emulated_options {
	size_t size;                        /* of this struct */
	const char *qemu_path;              /* NULL: qemu-x86_64 or qemu-x86_64-static in PATH */
	const char *plugin_path;            /* NULL: beside the executable, else as installed */
	bool quantities[UH_QUANTITY_COUNT]; /* what is wanted; the dearest decides the mode */
	struct uh_model_options model; /* its geometry; what to model follows from quantities */
	bool inherit;                  /* count forked children, too */
};

/* Nothing wanted yet, children counted, the default model. */
void uh_emulated_options_default(struct uh_emulated_options *options);

struct uh_emulated;

/*
 * Prepares a run. -ENOENT when QEMU or the plugin is missing, -ENOEXEC when this
 * QEMU was built without plugins, -EINVAL for an impossible model, -ENOMEM, or the
 * errno of a system call that failed.
 */
int uh_emulated_new(const struct uh_emulated_options *options, struct uh_emulated **emulated,
		    struct uh_error *error);
void uh_emulated_free(struct uh_emulated *emulated);

/* What to pass to execve. Free with uh_emulated_command_free(). */
struct uh_emulated_command {
	const char *path;
	char **arguments;
	char **environment;
	void *storage;
};

/*
 * Finds `arguments[0]` as a shell would and says how to run it emulated.
 * `environment` NULL is the caller's own. The strings of both must outlive the
 * command, and so must `emulated`. -ENOENT: there is no such program. -EACCES: it
 * may not be executed. -ENOEXEC: it is not for this machine, or would change its
 * user; the text says which.
 */
int uh_emulated_command(struct uh_emulated *emulated, char *const arguments[],
			char *const environment[], struct uh_emulated_command *command,
			struct uh_error *error);
void uh_emulated_command_free(struct uh_emulated_command *command);

/* In the forked child, before execve: makes addresses the same in each run. Async-signal-safe. */
void uh_emulated_in_child(void);

struct uh_emulated_thread {
	uint32_t pid; /* 0 with tid 0: the sum of ended threads beyond those kept apart */
	uint32_t tid;
	char comm[UH_EMULATION_COMM];
	char program[UH_EMULATION_PROGRAM];
	bool ended;
	uint64_t totals[UH_QUANTITY_COUNT];
};

/* Threads in the order of their ends, then those that still run. */
struct uh_emulated_reading {
	uint64_t totals[UH_QUANTITY_COUNT];
	struct uh_emulated_thread *threads;
	size_t thread_count;
};

/*
 * All counts until now, whether the program runs or not. Quantities dearer than
 * any that was wanted are 0: they were not looked at. -ENOMEM. Free the reading
 * with uh_emulated_reading_free().
 */
int uh_emulated_read(struct uh_emulated *emulated, struct uh_emulated_reading *reading,
		     struct uh_error *error);
void uh_emulated_reading_free(struct uh_emulated_reading *reading);

/*
 * The command has ended: reads everything it left, and stops watching. What it
 * left running is counted no further. -ENOEXEC when no plugin ever came to
 * life: QEMU refused it, and what QEMU wrote to stderr tells why. -ENOMEM or
 * -EIO when counts were lost.
 */
int uh_emulated_finish(struct uh_emulated *emulated, struct uh_emulated_reading *reading,
		       struct uh_error *error);

/*
 * What the user must be told about this run (a child that ran natively, ...): the
 * index-th sentence, or NULL beyond the last. Valid until the next call or free.
 */
const char *uh_emulated_note(struct uh_emulated *emulated, size_t index);

/* The mode that the wanted quantities need. */
enum uh_emulation_mode uh_emulated_mode(const bool quantities[UH_QUANTITY_COUNT]);

/* Whether any of them needs the branch predictors. */
bool uh_emulated_predicts(const bool quantities[UH_QUANTITY_COUNT]);

#endif
