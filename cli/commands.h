/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands, one file each. */
#ifndef UH_CLI_COMMANDS_H
#define UH_CLI_COMMANDS_H

#include "cli/options.h"

/* Exit statuses of a command that runs a program. */
#define CLI_FAILED 125 /* unhalted failed, or nothing asked for could be counted */
#define CLI_NOT_EXECUTABLE 126
#define CLI_NOT_FOUND 127
#define CLI_SIGNAL 128 /* plus the number of the signal that ended the program */

/* Exit statuses of a command without a program. */
#define CLI_INCOMPLETE 1
#define CLI_USAGE 2

extern const struct cli_command cli_stat;
extern const struct cli_command cli_compare;
extern const struct cli_command cli_doctor;
extern const struct cli_command cli_completion;

/* All of them, ended by NULL. */
extern const struct cli_command *const cli_commands[];

#endif
