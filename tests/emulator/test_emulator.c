/* SPDX-License-Identifier: BSD-3-Clause */
/* The emulated machine from end to end: what real programs under QEMU are counted to have done. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/emulated.h"

#define KNOWN GUESTS "/guest_known"
#define GUEST GUESTS "/guest"
#define GUEST_STATIC GUESTS "/guest_static"
#define FOREIGN GUESTS "/guest_foreign"
#define STEPPER GUESTS "/single_step"

static const enum uh_quantity asks[] = {
    [UH_EMULATION_BLOCK] = UH_QUANTITY_INSTRUCTIONS,
    [UH_EMULATION_SEQUENCE] = UH_QUANTITY_BRANCHES_TAKEN,
    [UH_EMULATION_STREAM] = UH_QUANTITY_CYCLES,
};

struct outcome {
	int status; /* as of waitpid */
	char note[UH_EMULATION_NOTE_TEXT];
	char text[4096]; /* what the program wrote */
	struct uh_emulated_reading reading;
};

static struct uh_emulated *machine(enum uh_emulation_mode mode, bool inherit)
{
	struct uh_emulated_options options;
	struct uh_emulated *emulated = NULL;
	struct uh_error error = {0};
	uh_emulated_options_default(&options);
	options.plugin_path = PLUGIN;
	options.quantities[asks[mode]] = true;
	options.inherit = inherit;
	if (uh_emulated_new(&options, &emulated, &error))
		fail_msg("%s", error.text);
	return emulated;
}

static pid_t start(struct uh_emulated *emulated, char *const arguments[], int out)
{
	struct uh_emulated_command command;
	struct uh_error error = {0};
	if (uh_emulated_command(emulated, arguments, NULL, &command, &error))
		fail_msg("%s", error.text);
	pid_t child = fork();
	if (!child) {
		(void)dup2(out, 1);
		(void)close(out);
		uh_emulated_in_child();
		(void)execve(command.path, command.arguments, command.environment);
		_exit(126);
	}
	assert_true(child > 0);
	uh_emulated_command_free(&command);
	return child;
}

static void collect(struct uh_emulated *emulated, struct outcome *outcome)
{
	struct uh_error error = {0};
	if (uh_emulated_finish(emulated, &outcome->reading, &error))
		fail_msg("%s", error.text);
	const char *note = uh_emulated_note(emulated, 0);
	(void)snprintf(outcome->note, sizeof(outcome->note), "%s", note ? note : "");
	uh_emulated_free(emulated);
}

static void run_as(enum uh_emulation_mode mode, bool inherit, char *const arguments[],
		   struct outcome *outcome)
{
	struct uh_emulated *emulated = machine(mode, inherit);
	int ends[2];
	memset(outcome, 0, sizeof(*outcome));
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid_t child = start(emulated, arguments, ends[1]);
	(void)close(ends[1]);
	size_t used = 0;
	ssize_t got;
	while ((got = read(ends[0], outcome->text + used, sizeof(outcome->text) - 1 - used)) > 0)
		used += (size_t)got;
	(void)close(ends[0]);
	assert_int_equal(waitpid(child, &outcome->status, 0), child);
	collect(emulated, outcome);
}

static uint64_t instructions(const struct outcome *outcome)
{
	return outcome->reading.totals[UH_QUANTITY_INSTRUCTIONS];
}

#define ARGUMENTS(...) ((char *const[]){__VA_ARGS__, NULL})

/* Runs in one mode and returns the instructions of all. */
static uint64_t count(enum uh_emulation_mode mode, char *const arguments[])
{
	struct outcome outcome;
	run_as(mode, true, arguments, &outcome);
	assert_int_equal(outcome.status, 0);
	uint64_t total = instructions(&outcome);
	uh_emulated_reading_free(&outcome.reading);
	return total;
}

/* The counts that guests/known.S has by construction. */
static void test_known(void **state)
{
	static const struct {
		enum uh_quantity quantity;
		uint64_t value;
	} known[] = {
	    {UH_QUANTITY_INSTRUCTIONS, 14146},
	    {UH_QUANTITY_BRANCHES, 4032},
	    {UH_QUANTITY_BRANCHES_CONDITIONAL, 1522},
	    {UH_QUANTITY_BRANCHES_INDIRECT, 1000},
	    {UH_QUANTITY_CALLS, 1000},
	    {UH_QUANTITY_RETURNS, 1000},
	    /* the loop, calls and stack, vectors, movs, lods, scas twice, cmps twice */
	    {UH_QUANTITY_LOADS, 3000 + 1500 + 20 + 100 + 7 + 12 + 9 + 12 + 4},
	    /* the loop, calls and stack, vectors, movs, stos */
	    {UH_QUANTITY_STORES, 3000 + 1500 + 10 + 100 + 15},
	    {UH_QUANTITY_BYTES_LOADED, 20000 + 12000 + 480 + 100 + 28 + 12 + 9 + 12 + 4},
	    {UH_QUANTITY_BYTES_STORED, 16000 + 12000 + 160 + 100 + 120},
	    {UH_QUANTITY_ATOMICS, 1000},
	    {UH_QUANTITY_SYSTEM_CALLS, 1},
	};
	(void)state;
	for (int mode = UH_EMULATION_BLOCK; mode <= UH_EMULATION_STREAM; mode++) {
		struct outcome outcome;
		run_as((enum uh_emulation_mode)mode, true, ARGUMENTS((char *)KNOWN), &outcome);
		assert_int_equal(outcome.status, 0);
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			assert_int_equal(outcome.reading.totals[known[i].quantity], known[i].value);
		bool ordered = mode != UH_EMULATION_BLOCK;
		assert_int_equal(outcome.reading.totals[UH_QUANTITY_BRANCHES_TAKEN],
				 ordered ? 4026 : 0);
		assert_int_equal(outcome.reading.totals[UH_QUANTITY_BRANCHES_CONDITIONAL_TAKEN],
				 ordered ? 1516 : 0);
		uh_emulated_reading_free(&outcome.reading);
	}
}

/* What the single-stepper says of a program. */
static void step(const char *command, uint64_t *steps, uint64_t *conditional, uint64_t *taken)
{
	char line[512];
	(void)snprintf(line, sizeof(line), STEPPER " %s 2>&1", command);
	FILE *pipe = popen(line, "r");
	assert_non_null(pipe);
	int fields = fscanf(pipe,
			    "instructions %" SCNu64 " branches_conditional %" SCNu64
			    " branches_conditional_taken %" SCNu64,
			    steps, conditional, taken);
	assert_int_equal(pclose(pipe), 0);
	assert_int_equal(fields, 3);
}

static void test_against_single_steps(void **state)
{
	uint64_t steps, conditional, taken;
	struct outcome outcome;
	(void)state;
	step(KNOWN, &steps, &conditional, &taken);
	run_as(UH_EMULATION_SEQUENCE, true, ARGUMENTS((char *)KNOWN), &outcome);
	const uint64_t *totals = outcome.reading.totals;
	assert_int_equal(totals[UH_QUANTITY_INSTRUCTIONS], steps);
	assert_int_equal(totals[UH_QUANTITY_BRANCHES_CONDITIONAL], conditional);
	assert_int_equal(totals[UH_QUANTITY_BRANCHES_CONDITIONAL_TAKEN], taken);
	uh_emulated_reading_free(&outcome.reading);
}

/* A compiled program, without the C library's start-up, which depends on the processor. */
static void test_work_against_single_steps(void **state)
{
	uint64_t steps[2], conditional[2], taken[2];
	struct outcome outcomes[2];
	(void)state;
	step(GUEST_STATIC " sort 200", &steps[0], &conditional[0], &taken[0]);
	step(GUEST_STATIC " sort 400", &steps[1], &conditional[1], &taken[1]);
	run_as(UH_EMULATION_SEQUENCE, true,
	       ARGUMENTS((char *)GUEST_STATIC, (char *)"sort", (char *)"200"), &outcomes[0]);
	run_as(UH_EMULATION_SEQUENCE, true,
	       ARGUMENTS((char *)GUEST_STATIC, (char *)"sort", (char *)"400"), &outcomes[1]);
	const uint64_t *less = outcomes[0].reading.totals, *more = outcomes[1].reading.totals;
	assert_int_equal(more[UH_QUANTITY_INSTRUCTIONS] - less[UH_QUANTITY_INSTRUCTIONS],
			 steps[1] - steps[0]);
	assert_int_equal(more[UH_QUANTITY_BRANCHES_CONDITIONAL] -
			     less[UH_QUANTITY_BRANCHES_CONDITIONAL],
			 conditional[1] - conditional[0]);
	assert_int_equal(more[UH_QUANTITY_BRANCHES_CONDITIONAL_TAKEN] -
			     less[UH_QUANTITY_BRANCHES_CONDITIONAL_TAKEN],
			 taken[1] - taken[0]);
	uh_emulated_reading_free(&outcomes[0].reading);
	uh_emulated_reading_free(&outcomes[1].reading);
}

static int by_instructions(const void *a, const void *b)
{
	uint64_t left = ((const struct uh_emulated_thread *)a)->totals[UH_QUANTITY_INSTRUCTIONS];
	uint64_t right = ((const struct uh_emulated_thread *)b)->totals[UH_QUANTITY_INSTRUCTIONS];
	return left < right ? 1 : left > right ? -1 : 0;
}

/* Runs four threads; the instructions of each into `each`, the largest first. */
static void run_threads(enum uh_emulation_mode mode, const char *turns, uint64_t each[4])
{
	struct outcome outcome;
	run_as(mode, true, ARGUMENTS((char *)GUEST, (char *)"threads", (char *)"4", (char *)turns),
	       &outcome);
	assert_int_equal(outcome.status, 0);
	assert_int_equal(outcome.reading.thread_count, 5);
	qsort(outcome.reading.threads, 5, sizeof(outcome.reading.threads[0]), by_instructions);
	for (int i = 0; i < 4; i++) {
		const struct uh_emulated_thread *thread = &outcome.reading.threads[i];
		each[i] = thread->totals[UH_QUANTITY_INSTRUCTIONS];
		assert_string_equal(thread->comm, "guest");
		assert_int_equal(thread->pid, outcome.reading.threads[4].pid);
		assert_int_not_equal(thread->tid, thread->pid);
	}
	uh_emulated_reading_free(&outcome.reading);
}

static void test_threads(void **state)
{
	(void)state;
	for (int mode = UH_EMULATION_BLOCK; mode <= UH_EMULATION_STREAM; mode++) {
		uint64_t once[4], twice[4];
		run_threads((enum uh_emulation_mode)mode, "1000000", once);
		run_threads((enum uh_emulation_mode)mode, "2000000", twice);
		for (int i = 0; i < 4; i++)
			assert_int_equal(twice[i] - once[i], 3000000);
	}
}

static void test_many_threads_one_after_another(void **state)
{
	(void)state;
	/* More than there are lanes: each must be made free again. */
	uint64_t total = count(UH_EMULATION_BLOCK, ARGUMENTS((char *)GUEST, (char *)"serial",
							     (char *)"1500", (char *)"1000"));
	assert_true(total > 1500 * 3000);
	assert_true(total < 1500 * 3000 + 30000000);
}

/* Two children more of a million turns each are so many instructions more, in all modes. */
static void check_children(const char *kind)
{
	for (int mode = UH_EMULATION_BLOCK; mode <= UH_EMULATION_STREAM; mode++) {
		uint64_t none = count((enum uh_emulation_mode)mode,
				      ARGUMENTS((char *)GUEST, (char *)kind, (char *)"1"));
		uint64_t two = count((enum uh_emulation_mode)mode,
				     ARGUMENTS((char *)GUEST, (char *)kind, (char *)"3"));
		assert_in_range(two - none, 6000000, 6004000);
	}
}

static void test_fork(void **state)
{
	(void)state;
	check_children("fork");
}

static void test_vfork(void **state)
{
	(void)state;
	check_children("vfork");
}

static void test_many_processes(void **state)
{
	(void)state;
	/* More than there are regions: each must be made free again. */
	uint64_t total =
	    count(UH_EMULATION_BLOCK, ARGUMENTS((char *)GUEST, (char *)"forks", (char *)"700"));
	assert_in_range(total, 700 * 3000, 700 * 3000 + 20000000);
}

static void test_spawn(void **state)
{
	(void)state;
	uint64_t once = count(UH_EMULATION_BLOCK,
			      ARGUMENTS((char *)GUEST, (char *)"spawn", (char *)GUEST_STATIC,
					(char *)"spin", (char *)"1000000"));
	uint64_t twice = count(UH_EMULATION_BLOCK,
			       ARGUMENTS((char *)GUEST, (char *)"spawn", (char *)GUEST_STATIC,
					 (char *)"spin", (char *)"2000000"));
	assert_int_equal(twice - once, 3000000);
}

static void test_not_inherited(void **state)
{
	struct outcome outcome;
	(void)state;
	run_as(UH_EMULATION_BLOCK, false, ARGUMENTS((char *)GUEST, (char *)"fork", (char *)"2"),
	       &outcome);
	assert_int_equal(outcome.status, 0);
	assert_true(instructions(&outcome) < 3000000);
	assert_int_equal(outcome.reading.thread_count, 1);
	uh_emulated_reading_free(&outcome.reading);
}

static void write_script(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

static void test_scripts(void **state)
{
	struct outcome direct, executed;
	(void)state;
	write_script("inner.script", "#!" GUEST "  show\n");
	write_script("outer.script", "#!inner.script  one two \n");
	run_as(UH_EMULATION_BLOCK, true, ARGUMENTS((char *)"./outer.script", (char *)"x"), &direct);
	assert_string_equal(direct.text,
			    "[" GUEST "][show][inner.script][one two][./outer.script][x]\n");
	run_as(UH_EMULATION_BLOCK, true,
	       ARGUMENTS((char *)GUEST, (char *)"exec", (char *)"outer.script", (char *)"x"),
	       &executed);
	assert_string_equal(executed.text,
			    "[" GUEST "][show][inner.script][one two][outer.script][x]\n");
	assert_int_equal(executed.reading.thread_count, 2);
	uh_emulated_reading_free(&direct.reading);
	uh_emulated_reading_free(&executed.reading);
}

static void test_own_link(void **state)
{
	(void)state;
	uint64_t total = count(UH_EMULATION_BLOCK, ARGUMENTS((char *)GUEST, (char *)"self"));
	assert_in_range(total, 6000000, 6600000);
	total = count(UH_EMULATION_BLOCK,
		      ARGUMENTS((char *)GUEST, (char *)"fexecve", (char *)GUEST_STATIC));
	assert_in_range(total, 6000000, 6600000);
}

static void test_environment(void **state)
{
	struct outcome outcome;
	(void)state;
	assert_int_equal(setenv("LD_UNHALTED_TEST", "seen", 1), 0);
	run_as(UH_EMULATION_BLOCK, true,
	       ARGUMENTS((char *)GUEST, (char *)"variable", (char *)"LD_UNHALTED_TEST"), &outcome);
	(void)unsetenv("LD_UNHALTED_TEST");
	assert_string_equal(outcome.text, "seen\n");
	uh_emulated_reading_free(&outcome.reading);
}

static void test_killed(void **state)
{
	(void)state;
	for (int mode = UH_EMULATION_BLOCK; mode <= UH_EMULATION_STREAM; mode++) {
		struct outcome outcome;
		run_as((enum uh_emulation_mode)mode, true, ARGUMENTS((char *)GUEST, (char *)"kill"),
		       &outcome);
		assert_true(WIFSIGNALED(outcome.status));
		assert_int_equal(WTERMSIG(outcome.status), SIGKILL);
		assert_in_range(instructions(&outcome), 3000000, 3300000);
		assert_int_equal(outcome.reading.totals[UH_QUANTITY_BRANCHES] > 1000000, 1);
		uh_emulated_reading_free(&outcome.reading);
	}
}

static void test_closed_descriptors(void **state)
{
	struct outcome closed, open_ones;
	(void)state;
	run_as(UH_EMULATION_STREAM, true, ARGUMENTS((char *)GUEST, (char *)"close"), &closed);
	assert_int_equal(closed.status, 0);
	assert_in_range(instructions(&closed), 6000000, 6600000);
	run_as(UH_EMULATION_STREAM, true, ARGUMENTS((char *)GUEST, (char *)"descriptors"),
	       &open_ones);
	/* As many as this test itself would pass on: none of ours among them. */
	int passed_on = 0;
	for (int i = 3; i < 1024; i++) {
		int flags = fcntl(i, F_GETFD);
		passed_on += flags >= 0 && !(flags & FD_CLOEXEC);
	}
	assert_int_equal(WEXITSTATUS(open_ones.status), passed_on);
	uh_emulated_reading_free(&closed.reading);
	uh_emulated_reading_free(&open_ones.reading);
}

static void test_exit_status(void **state)
{
	struct outcome outcome;
	(void)state;
	run_as(UH_EMULATION_BLOCK, true, ARGUMENTS((char *)GUEST, (char *)"exit", (char *)"7"),
	       &outcome);
	assert_int_equal(WEXITSTATUS(outcome.status), 7);
	uh_emulated_reading_free(&outcome.reading);
}

static void test_same_each_time(void **state)
{
	(void)state;
	for (int mode = UH_EMULATION_BLOCK; mode <= UH_EMULATION_STREAM; mode++) {
		struct outcome first, again;
		char *const arguments[] = {(char *)GUEST, (char *)"print", (char *)"200", NULL};
		run_as((enum uh_emulation_mode)mode, true, arguments, &first);
		run_as((enum uh_emulation_mode)mode, true, arguments, &again);
		assert_memory_equal(first.reading.totals, again.reading.totals,
				    sizeof(first.reading.totals));
		uh_emulated_reading_free(&first.reading);
		uh_emulated_reading_free(&again.reading);
	}
}

static void test_read_while_running(void **state)
{
	(void)state;
	for (int mode = UH_EMULATION_BLOCK; mode <= UH_EMULATION_STREAM; mode++) {
		struct uh_emulated *emulated = machine((enum uh_emulation_mode)mode, true);
		struct uh_emulated_reading reading;
		struct outcome outcome = {0};
		uint64_t last = 0;
		int grew = 0;
		pid_t child =
		    start(emulated,
			  ARGUMENTS((char *)GUEST_STATIC, (char *)"spin", (char *)"300000000"), 1);
		for (int i = 0; i < 20; i++) {
			(void)usleep(10000);
			assert_int_equal(uh_emulated_read(emulated, &reading, NULL), 0);
			uint64_t now = reading.totals[UH_QUANTITY_INSTRUCTIONS];
			assert_true(now >= last);
			grew += now > last;
			last = now;
			uh_emulated_reading_free(&reading);
		}
		(void)kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		collect(emulated, &outcome);
		assert_true(grew > 3);
		assert_true(instructions(&outcome) >= last);
		uh_emulated_reading_free(&outcome.reading);
	}
}

static uint64_t read_instructions(struct uh_emulated *emulated)
{
	struct uh_emulated_reading reading;
	assert_int_equal(uh_emulated_read(emulated, &reading, NULL), 0);
	uint64_t total = reading.totals[UH_QUANTITY_INSTRUCTIONS];
	uh_emulated_reading_free(&reading);
	return total;
}

/* A program that waits has done what it did, however often one looks. */
static void test_read_while_waiting(void **state)
{
	(void)state;
	for (int mode = UH_EMULATION_BLOCK; mode <= UH_EMULATION_STREAM; mode++) {
		struct uh_emulated *emulated = machine((enum uh_emulation_mode)mode, true);
		struct outcome outcome = {0};
		pid_t child = start(emulated, ARGUMENTS((char *)GUEST, (char *)"wait"), 1);
		uint64_t total = 0, before = 1;
		for (int i = 0; i < 100 && (total < 3000 || total != before); i++) {
			(void)usleep(100000);
			before = total;
			total = read_instructions(emulated);
		}
		for (int i = 0; i < 10; i++) {
			(void)usleep(15000);
			assert_int_equal(read_instructions(emulated), total);
		}
		(void)kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
		collect(emulated, &outcome);
		assert_int_equal(instructions(&outcome), total);
		uh_emulated_reading_free(&outcome.reading);
	}
}

static void test_foreign(void **state)
{
	struct uh_emulated *emulated = machine(UH_EMULATION_BLOCK, true);
	struct uh_emulated_command command;
	struct uh_error error = {0};
	struct outcome outcome;
	(void)state;
	assert_int_equal(
	    uh_emulated_command(emulated, ARGUMENTS((char *)FOREIGN), NULL, &command, &error),
	    -ENOEXEC);
	assert_non_null(strstr(error.text, "64-bit x86"));
	assert_null(strchr(error.text, '\n'));
	assert_int_equal(uh_emulated_command(emulated, ARGUMENTS((char *)"no-such-program"), NULL,
					     &command, &error),
			 -ENOENT);
	assert_int_equal(
	    uh_emulated_command(emulated, ARGUMENTS((char *)"/etc/passwd"), NULL, &command, &error),
	    -EACCES);
	uh_emulated_free(emulated);

	/* As a child it runs, natively, and we say so; if this kernel runs such programs at all. */
	run_as(UH_EMULATION_BLOCK, true, ARGUMENTS((char *)GUEST, (char *)"exec", (char *)FOREIGN),
	       &outcome);
	assert_non_null(strstr(outcome.note, "natively"));
	uh_emulated_reading_free(&outcome.reading);
}

static void test_no_emulator(void **state)
{
	struct uh_emulated_options options;
	struct uh_emulated *emulated;
	struct uh_error error = {0};
	(void)state;
	uh_emulated_options_default(&options);
	options.qemu_path = "/nonexistent/qemu";
	assert_int_equal(uh_emulated_new(&options, &emulated, &error), -ENOENT);
	options.qemu_path = "/bin/true"; /* has no plugin interface */
	assert_int_equal(uh_emulated_new(&options, &emulated, &error), -ENOEXEC);
	assert_non_null(strstr(error.text, "without plugins"));
	options.qemu_path = NULL;
	options.plugin_path = "/nonexistent/plugin.so";
	assert_int_equal(uh_emulated_new(&options, &emulated, &error), -ENOENT);
}

/* A wrapper that is no QEMU at all: nothing came to life, and that is an error. */
static void test_plugin_never_loaded(void **state)
{
	struct uh_emulated_options options;
	struct uh_emulated *emulated;
	struct uh_error error = {0};
	struct uh_emulated_reading reading;
	(void)state;
	write_script("wrapper", "#!/bin/sh\nexit 0\n");
	uh_emulated_options_default(&options);
	options.plugin_path = PLUGIN;
	options.qemu_path = "./wrapper";
	assert_int_equal(uh_emulated_new(&options, &emulated, &error), 0);
	pid_t child = start(emulated, ARGUMENTS((char *)KNOWN), 1);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(uh_emulated_finish(emulated, &reading, &error), -ENOEXEC);
	uh_emulated_free(emulated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known),
	    cmocka_unit_test(test_against_single_steps),
	    cmocka_unit_test(test_work_against_single_steps),
	    cmocka_unit_test(test_threads),
	    cmocka_unit_test(test_many_threads_one_after_another),
	    cmocka_unit_test(test_fork),
	    cmocka_unit_test(test_vfork),
	    cmocka_unit_test(test_many_processes),
	    cmocka_unit_test(test_spawn),
	    cmocka_unit_test(test_not_inherited),
	    cmocka_unit_test(test_scripts),
	    cmocka_unit_test(test_own_link),
	    cmocka_unit_test(test_environment),
	    cmocka_unit_test(test_killed),
	    cmocka_unit_test(test_closed_descriptors),
	    cmocka_unit_test(test_exit_status),
	    cmocka_unit_test(test_same_each_time),
	    cmocka_unit_test(test_read_while_running),
	    cmocka_unit_test(test_read_while_waiting),
	    cmocka_unit_test(test_foreign),
	    cmocka_unit_test(test_no_emulator),
	    cmocka_unit_test(test_plugin_never_loaded),
	};
	char folder[] = "/tmp/unhalted-test-XXXXXX";
	if (system("command -v qemu-x86_64 >/dev/null") != 0) {
		printf("skipped: there is no qemu-x86_64 in PATH\n");
		return 77;
	}
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	(void)unlink("inner.script");
	(void)unlink("outer.script");
	(void)unlink("wrapper");
	(void)rmdir(folder);
	return failed;
}
