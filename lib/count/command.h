/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that is made now and runs its program later, when its counters are open. */
#ifndef UH_COUNT_COMMAND_H
#define UH_COUNT_COMMAND_H

#include <sys/types.h>

#include "unhalted/error.h"

struct uh_command {
	pid_t pid;   /* 0: none */
	int cork;    /* write a byte: go on; close it: end without running */
	int failure; /* the child's errno when exec fails; end of file when it does not */
};

/* `in_child` (may be NULL) runs in the child just before exec, with `context`. */
typedef void (*uh_in_child)(void *context);

/*
 * Forks. The child waits for uh_command_run and then executes `path` (searched in PATH
 * when it has no slash) with argv. It inherits the signal mask of this moment, so a caller
 * that blocks signals for its own waiting does so afterwards.
 */
int uh_command_fork(struct uh_command *command, const char *path, char *const argv[],
		    uh_in_child in_child, void *context, struct uh_error *error);

/* Lets the program start. The negative errno of a failed exec comes back as is. */
int uh_command_run(struct uh_command *command, const char *name, struct uh_error *error);

/* Ends a command that was never run; does nothing otherwise. Does not wait for it. */
void uh_command_close(struct uh_command *command);

#endif
