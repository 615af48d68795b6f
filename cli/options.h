/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a subcommand are rows of a table: parsing, --help and shell completion
 * are all made from it.
 */
#ifndef UH_CLI_OPTIONS_H
#define UH_CLI_OPTIONS_H

#include <stddef.h>

struct cli_option {
	int key; /* the letter, or a number above 255 for one without a letter */
	const char *name;
	const char *argument; /* what --help calls the argument; NULL: takes none */
	const char *help;     /* NULL: an alias that is not listed */
};

struct cli_command {
	const char *name;
	const char *summary; /* one line, for `unhalted --help` */
	const char *usage;   /* what follows `unhalted NAME` */
	const char *details; /* printed below the options by --help, or NULL */
	const struct cli_option *options;
	size_t option_count;
	int (*run)(int argc, char **argv);
};

/* Called for each option found; returns 0, or an exit status to leave with. */
typedef int (*cli_option_handler)(void *context, int key, const char *argument);

/* Parsing went well; otherwise an exit status comes back (0 after --help). */
#define CLI_CONTINUE (-1)

/*
 * Parses the options in front of the first other word (or --). `*first` becomes the
 * position of that word. Every command has -h and --help.
 */
int cli_parse(const struct cli_command *command, int argc, char **argv, int usage_status,
	      cli_option_handler handler, void *context, int *first);

void cli_help(const struct cli_command *command);

#endif
