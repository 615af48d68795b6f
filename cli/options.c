/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"

#define HELP_COLUMN 32

static void print_option(const struct cli_option *option)
{
	char left[96];
	char argument[48] = "";
	if (option->argument)
		(void)snprintf(argument, sizeof(argument), " %s", option->argument);
	if (option->key < 256 && option->name)
		(void)snprintf(left, sizeof(left), "  -%c, --%s%s", option->key, option->name,
			       argument);
	else if (option->key < 256)
		(void)snprintf(left, sizeof(left), "  -%c%s", option->key, argument);
	else
		(void)snprintf(left, sizeof(left), "      --%s%s", option->name, argument);
	if (strlen(left) < HELP_COLUMN)
		printf("%-*s %s\n", HELP_COLUMN, left, option->help);
	else
		printf("%s\n%-*s %s\n", left, HELP_COLUMN, "", option->help);
}

void cli_help(const struct cli_command *command)
{
	printf("usage: unhalted %s %s\n\n%s\n\n", command->name, command->usage, command->summary);
	for (size_t i = 0; i < command->option_count; i++)
		if (command->options[i].help)
			print_option(&command->options[i]);
	printf("%-*s %s\n", HELP_COLUMN, "  -h, --help", "show this text");
	if (command->details)
		printf("\n%s", command->details);
}

struct tables {
	char *letters;
	struct option *names;
};

static int make_tables(const struct cli_command *command, struct tables *tables)
{
	size_t letter = 0;
	size_t name = 0;
	tables->letters = calloc(2 * command->option_count + 4, 1);
	tables->names = calloc(command->option_count + 2, sizeof(*tables->names));
	if (!tables->letters || !tables->names)
		return -1;
	tables->letters[letter++] = '+';
	tables->letters[letter++] = ':';
	tables->letters[letter++] = 'h';
	for (size_t i = 0; i < command->option_count; i++) {
		const struct cli_option *option = &command->options[i];
		int argument = option->argument ? required_argument : no_argument;
		if (option->key < 256) {
			tables->letters[letter++] = (char)option->key;
			if (option->argument)
				tables->letters[letter++] = ':';
		}
		if (option->name)
			tables->names[name++] =
			    (struct option){option->name, argument, NULL, option->key};
	}
	tables->names[name] = (struct option){"help", no_argument, NULL, 'h'};
	return 0;
}

static void complain(const struct cli_command *command, int key, char **argv)
{
	const char *word = argv[optind - 1];
	if (key == ':') {
		fprintf(stderr, "unhalted %s: option %s wants an argument\n", command->name, word);
		return;
	}
	struct uh_nearest nearest = {0};
	char hint[UH_NEAREST_MOST * UH_NEAREST_LENGTH + 32];
	if (!strncmp(word, "--", 2))
		for (size_t i = 0; i < command->option_count; i++) {
			char full[64];
			if (!command->options[i].name)
				continue;
			(void)snprintf(full, sizeof(full), "--%s", command->options[i].name);
			uh_nearest_offer(&nearest, word, full);
		}
	/* By way of an error's text, which is safe to show. */
	struct uh_error error;
	if (optopt && optopt < 256 && strncmp(word, "--", 2) != 0)
		(void)uh_fail(&error, -EINVAL, "unknown option -%c", optopt);
	else
		(void)uh_fail(&error, -EINVAL, "unknown option %s%s", word,
			      uh_nearest_text(&nearest, hint, sizeof(hint)));
	fprintf(stderr, "unhalted %s: %s; see unhalted %s --help\n", command->name, error.text,
		command->name);
}

int cli_parse(const struct cli_command *command, int argc, char **argv, int usage_status,
	      cli_option_handler handler, void *context, int *first)
{
	struct tables tables;
	int status = CLI_CONTINUE;
	if (make_tables(command, &tables)) {
		fprintf(stderr, "unhalted: out of memory\n");
		status = usage_status;
	}
	opterr = 0;
	optind = 1;
	while (status == CLI_CONTINUE) {
		int key = getopt_long(argc, argv, tables.letters, tables.names, NULL);
		if (key == -1)
			break;
		if (key == 'h') {
			cli_help(command);
			status = 0;
		} else if (key == '?' || key == ':') {
			complain(command, key, argv);
			status = usage_status;
		} else {
			int result = handler(context, key, optarg);
			if (result)
				status = result;
		}
	}
	*first = optind;
	free(tables.letters);
	free(tables.names);
	return status;
}
