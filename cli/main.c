/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/commands.h"
#include "unhalted/error.h"

const struct cli_command *const cli_commands[] = {
    &cli_stat, &cli_compare, &cli_doctor, &cli_completion, NULL,
};

static void print_overview(FILE *stream)
{
	fprintf(stream,
		"usage: unhalted COMMAND [OPTIONS] ...\n\n"
		"What did this processor really do, and how far can you trust the answer?\n\n");
	for (size_t i = 0; cli_commands[i]; i++)
		fprintf(stream, "  %-12s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
	fprintf(stream,
		"\nunhalted COMMAND --help tells more; unhalted --version says which this is.\n");
}

static int unknown_command(const char *word)
{
	struct uh_nearest nearest = {0};
	char hint[UH_NEAREST_MOST * UH_NEAREST_LENGTH + 32];
	for (size_t i = 0; cli_commands[i]; i++)
		uh_nearest_offer(&nearest, word, cli_commands[i]->name);
	fprintf(stderr, "unhalted: there is no command \"%s\"%s; see unhalted --help\n", word,
		uh_nearest_text(&nearest, hint, sizeof(hint)));
	return CLI_USAGE;
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	if (!word) {
		print_overview(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
		for (size_t i = 0; argc > 2 && cli_commands[i]; i++)
			if (!strcmp(argv[2], cli_commands[i]->name)) {
				cli_help(cli_commands[i]);
				return 0;
			}
		print_overview(stdout);
		return 0;
	}
	if (!strcmp(word, "--version")) {
		printf("unhalted %s\n", uh_version());
		return 0;
	}
	for (size_t i = 0; cli_commands[i]; i++)
		if (!strcmp(word, cli_commands[i]->name))
			return cli_commands[i]->run(argc - 1, argv + 1);
	return unknown_command(word);
}
