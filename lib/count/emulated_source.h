/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames from the emulated machine: the processor's events of a command. */
#ifndef UH_COUNT_EMULATED_SOURCE_H
#define UH_COUNT_EMULATED_SOURCE_H

#include "count/command.h"
#include "count/source.h"

struct uh_session;

/*
 * Takes on every event of the session that needs the processor's counters; those that
 * the emulated machine does not know become UH_NOT_SUPPORTED with the reason.
 */
int uh_emulated_source_new(struct uh_session *session, struct uh_source **source,
			   struct uh_error *error);

/* Makes the corked process that will run argv under the emulator. */
int uh_emulated_source_fork(struct uh_source *source, char *const argv[],
			    struct uh_command *command, struct uh_error *error);

/* The command has ended: what is still under way between the two sides is added up. */
int uh_emulated_source_ended(struct uh_source *source, struct uh_error *error);

/* Threads seen so far; the next read fills as many places behind the first. */
size_t uh_emulated_source_threads(struct uh_source *source);

/* One line for the reader: why the program is emulated, and what that means for the figures. */
const char *uh_emulated_source_preamble(struct uh_source *source);

/* Texts that the user must be told, one by one; NULL behind the last. */
const char *uh_emulated_source_note(struct uh_source *source, size_t index);

#endif
