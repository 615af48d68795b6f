/* SPDX-License-Identifier: BSD-3-Clause */
/* unhalted completion SHELL: completion scripts made from the commands' own tables. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

static void bash(void)
{
	printf("# bash completion for unhalted\n_unhalted()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} i\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W \"");
	for (size_t i = 0; cli_commands[i]; i++)
		printf("%s%s", i ? " " : "", cli_commands[i]->name);
	printf("\" -- \"$word\"))\n\t\treturn\n\tfi\n"
	       "\tcase $word in\n\t-*) ;;\n\t*)\n"
	       "\t\tCOMPREPLY=($(compgen -c -- \"$word\"; compgen -f -- \"$word\"))\n"
	       "\t\treturn ;;\n\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; cli_commands[i]; i++) {
		printf("\t%s) COMPREPLY=($(compgen -W \"--help", cli_commands[i]->name);
		for (size_t j = 0; j < cli_commands[i]->option_count; j++)
			if (cli_commands[i]->options[j].name)
				printf(" --%s", cli_commands[i]->options[j].name);
		printf("\" -- \"$word\")) ;;\n");
	}
	printf("\tesac\n}\ncomplete -o filenames -F _unhalted unhalted\n");
}

/* A help text inside single quotes and brackets of zsh, or single quotes of fish. */
static void quoted(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\''");
		else if (*text == '[' || *text == ']' || *text == ':')
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh(void)
{
	printf("#compdef unhalted\n_unhalted() {\n\tif (( CURRENT == 2 )); then\n"
	       "\t\tlocal -a commands=(");
	for (size_t i = 0; cli_commands[i]; i++) {
		printf("'%s:", cli_commands[i]->name);
		quoted(cli_commands[i]->summary);
		printf("' ");
	}
	printf(")\n\t\t_describe command commands\n\t\treturn\n\tfi\n\tcase $words[2] in\n");
	for (size_t i = 0; cli_commands[i]; i++) {
		const struct cli_command *command = cli_commands[i];
		printf("\t%s) _arguments", command->name);
		for (size_t j = 0; j < command->option_count; j++) {
			const struct cli_option *option = &command->options[j];
			if (!option->name || !option->help)
				continue;
			printf(" '--%s%s[", option->name, option->argument ? "=" : "");
			quoted(option->help);
			printf("]%s'", option->argument ? ":value:_files" : "");
		}
		printf(" '*::program:_normal' ;;\n");
	}
	printf("\tesac\n}\n_unhalted \"$@\"\n");
}

static void fish(void)
{
	for (size_t i = 0; cli_commands[i]; i++) {
		const struct cli_command *command = cli_commands[i];
		printf("complete -c unhalted -n __fish_use_subcommand -f -a %s -d '",
		       command->name);
		quoted(command->summary);
		printf("'\n");
		for (size_t j = 0; j < command->option_count; j++) {
			const struct cli_option *option = &command->options[j];
			if (!option->help)
				continue;
			printf("complete -c unhalted -n '__fish_seen_subcommand_from %s'",
			       command->name);
			if (option->key < 256)
				printf(" -s %c", option->key);
			if (option->name)
				printf(" -l %s", option->name);
			printf("%s -d '", option->argument ? " -r" : "");
			quoted(option->help);
			printf("'\n");
		}
	}
}

static int handle(void *context, int key, const char *argument)
{
	(void)context;
	(void)key;
	(void)argument;
	return 0;
}

static int completion_main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
	int first = argc;
	int status = cli_parse(&cli_completion, argc, argv, CLI_USAGE, handle, NULL, &first);
	if (status != CLI_CONTINUE)
		return status;
	for (size_t i = 0; first < argc && i < sizeof(shells) / sizeof(shells[0]); i++)
		if (!strcmp(argv[first], shells[i].name)) {
			shells[i].print();
			return 0;
		}
	fprintf(stderr, "unhalted completion: name a shell: bash, zsh or fish\n");
	return CLI_USAGE;
}

const struct cli_command cli_completion = {
    .name = "completion",
    .summary = "print a completion script for bash, zsh or fish",
    .usage = "SHELL",
    .run = completion_main,
};
