/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program on the emulated machine and prints what was counted, a
 * quantity a line on stderr or into a file: for tests and comparisons.
 *
 *     emulate [--mode block|sequence|stream|all] [--qemu PATH] [--plugin PATH]
 *             [--no-inherit] [--threads] [--output FILE] [--cost] -- program arguments...
 *
 * --cost adds the CPU seconds of the emulated processes and of the watcher.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "machine/emulated.h"

static const char *const names[] = {
#define X(symbol, name, kind, cost, text) name,
    UH_QUANTITY_ROWS
#undef X
};

/* Wants the quantities that make up a mode; `stream` those that cachegrind has, too. */
static int want_mode(bool *wanted, const char *mode)
{
	if (!strcmp(mode, "block")) {
		wanted[UH_QUANTITY_INSTRUCTIONS] = true;
	} else if (!strcmp(mode, "sequence")) {
		wanted[UH_QUANTITY_BRANCHES_TAKEN] = true;
	} else if (!strcmp(mode, "stream")) {
		wanted[UH_QUANTITY_L1D_LOAD_MISSES] = true;
		wanted[UH_QUANTITY_BRANCH_MISSES] = true;
	} else if (!strcmp(mode, "all")) {
		wanted[UH_QUANTITY_CYCLES] = true;
	} else {
		return -1;
	}
	return 0;
}

static void print(FILE *out, const uint64_t *totals)
{
	for (size_t i = 0; i < UH_QUANTITY_COUNT; i++)
		fprintf(out, "%s\t%" PRIu64 "\n", names[i], totals[i]);
}

static void print_all(FILE *out, struct uh_emulated *emulated,
		      const struct uh_emulated_reading *reading, int threads)
{
	const char *note;
	print(out, reading->totals);
	for (size_t i = 0; threads && i < reading->thread_count; i++) {
		const struct uh_emulated_thread *thread = &reading->threads[i];
		fprintf(out, "thread\t%" PRIu32 "\t%" PRIu32 "\t%s\t%s\t%" PRIu64 "\n", thread->pid,
			thread->tid, thread->comm, thread->program,
			thread->totals[UH_QUANTITY_INSTRUCTIONS]);
	}
	for (size_t i = 0; (note = uh_emulated_note(emulated, i)); i++)
		fprintf(out, "note\t%s\n", note);
}

static void print_cost(const char *name, int who)
{
	struct rusage usage;
	if (getrusage(who, &usage))
		return;
	fprintf(stderr, "%s\t%ld.%06ld\t%ld.%06ld\n", name, (long)usage.ru_utime.tv_sec,
		(long)usage.ru_utime.tv_usec, (long)usage.ru_stime.tv_sec,
		(long)usage.ru_stime.tv_usec);
}

static int failed(const struct uh_error *error)
{
	fprintf(stderr, "emulate: %s\n", error->text);
	return 125;
}

static int run(struct uh_emulated *emulated, char **arguments, int threads, const char *output)
{
	struct uh_emulated_command command;
	struct uh_emulated_reading reading;
	struct uh_error error = {0};
	int status = 0;
	if (uh_emulated_command(emulated, arguments, NULL, &command, &error))
		return failed(&error);
	pid_t child = fork();
	if (!child) {
		uh_emulated_in_child();
		(void)execve(command.path, command.arguments, command.environment);
		_exit(126);
	}
	uh_emulated_command_free(&command);
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 125;
	if (uh_emulated_finish(emulated, &reading, &error))
		return failed(&error);
	FILE *stream = output ? fopen(output, "w") : stderr;
	if (!stream)
		return 125;
	print_all(stream, emulated, &reading, threads);
	(void)fflush(stream);
	uh_emulated_reading_free(&reading);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
	    {"mode", 1, NULL, 'm'},       {"qemu", 1, NULL, 'q'},   {"plugin", 1, NULL, 'p'},
	    {"no-inherit", 0, NULL, 'n'}, {"output", 1, NULL, 'o'}, {"cost", 0, NULL, 'c'},
	    {"threads", 0, NULL, 't'},    {NULL, 0, NULL, 0}};
	struct uh_emulated_options wanted;
	struct uh_emulated *emulated;
	struct uh_error error = {0};
	int option, threads = 0, cost = 0;
	const char *output = NULL;
	uh_emulated_options_default(&wanted);
	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (option == 'm' && want_mode(wanted.quantities, optarg))
			return 2;
		if (option == 'q')
			wanted.qemu_path = optarg;
		if (option == 'p')
			wanted.plugin_path = optarg;
		if (option == 'n')
			wanted.inherit = false;
		if (option == 'c')
			cost = 1;
		if (option == 'o')
			output = optarg;
		if (option == 't')
			threads = 1;
		if (option == '?')
			return 2;
	}
	if (uh_emulated_new(&wanted, &emulated, &error))
		return failed(&error);
	int status = run(emulated, argv + optind, threads, output);
	uh_emulated_free(emulated);
	if (cost) {
		print_cost("cpu_emulated", RUSAGE_CHILDREN);
		print_cost("cpu_watcher", RUSAGE_SELF);
	}
	return status;
}
