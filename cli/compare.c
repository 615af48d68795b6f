/* SPDX-License-Identifier: BSD-3-Clause */
/* unhalted compare: two programs counted alike, and what differs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/stat.h"
#include "count/emulated_source.h"
#include "count/explain.h"
#include "count/session.h"
#include "machine/machine.h"
#include "metric/compare.h"
#include "render/compare.h"
#include "render/json.h"

enum { KEY_EMULATE = 256, KEY_NO_EMULATE, KEY_CACHE, KEY_QEMU, KEY_SVG, KEY_FAIL_IF };

static const struct cli_option options[] = {
    {'e', "event", "LIST", "events, as unhalted stat takes them"},
    {'r', "repeat", "N", "run each N times, in turn (default: 1 emulated, 10 otherwise)"},
    {KEY_FAIL_IF, "fail-if", "CONDITION", "exit 1 if B changed so: 'instructions>+1%'"},
    {'j', "json-output", NULL, "print a JSON object a line"},
    {KEY_SVG, "svg", "FILE", "draw the ratios into FILE as well"},
    {'o', "output", "FILE", "write the table to FILE, not to standard error"},
    {KEY_EMULATE, "emulate", NULL, "run on the emulated machine even if there is a PMU"},
    {KEY_NO_EMULATE, "no-emulate", NULL, "never emulate"},
    {KEY_CACHE, "cache", "GEOMETRY", "caches of the emulated machine: L1D=48K,12 L2=2M,16 ..."},
    {KEY_QEMU, "qemu", "PATH", "the qemu-x86_64 to emulate with"},
};

static const char details[] =
    "Events that differ by more than chance are marked *: exact counts that differ, or a 95 %\n"
    "interval of B/A that leaves out 1. Exit status: 0; 1 when a --fail-if condition holds or a\n"
    "program failed; 125 when unhalted failed or a condition could not be checked; 126 and 127\n"
    "as a shell's.\n";

static int compare_main(int argc, char **argv);

const struct cli_command cli_compare = {
    .name = "compare",
    .summary = "count two programs and tell what differs",
    .usage = "[OPTIONS] -- A [ARGUMENTS] -- B [ARGUMENTS]",
    .details = details,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = compare_main,
};

#define CONDITIONS 32

struct compare {
	struct stat_config config; /* what both have in common */
	struct stat_config configs[2];
	struct stat_run runs[2];
	const char *conditions[CONDITIONS];
	size_t condition_count;
	const char *svg; /* file for the picture; NULL: none */
	bool repeat_given;
	bool failed[2]; /* the program's exit status was not 0 in some run */
	struct uh_comparison *rows;
	struct uh_text page;
};

/* ---- options ---- */

static int handle(void *context, int key, const char *argument)
{
	struct compare *compare = context;
	struct stat_config *config = &compare->config;
	uint64_t number;
	switch (key) {
	case 'e':
		return stat_add_events(config, argument);
	case 'r':
		if (!uh_parse_u64(argument, &number) || !number || number > 1000000) {
			fprintf(stderr, "unhalted compare: -r: \"%s\" is not a number of runs\n",
				argument);
			return CLI_FAILED;
		}
		config->repeat = (unsigned)number;
		compare->repeat_given = true;
		return 0;
	case KEY_FAIL_IF:
		if (compare->condition_count == CONDITIONS) {
			fprintf(stderr, "unhalted compare: at most %d conditions\n", CONDITIONS);
			return CLI_FAILED;
		}
		compare->conditions[compare->condition_count++] = argument;
		return 0;
	case 'j':
		config->json = true;
		return 0;
	case 'o':
		config->output.path = argument;
		return 0;
	case KEY_SVG:
		compare->svg = argument;
		return 0;
	case KEY_EMULATE:
		config->session.emulate = UH_EMULATE_ALWAYS;
		return 0;
	case KEY_NO_EMULATE:
		config->session.emulate = UH_EMULATE_NEVER;
		return 0;
	case KEY_CACHE:
		config->session.cache = argument;
		return 0;
	default:
		config->session.qemu = argument;
		return 0;
	}
}

/* "A ... -- B ...": cuts argv at the second "--". */
static int split_programs(struct compare *compare, int argc, char **argv, int first)
{
	int second = first;
	while (second < argc && strcmp(argv[second], "--") != 0)
		second++;
	if (first >= argc || second == first || second + 1 >= argc) {
		fprintf(stderr, "unhalted compare: name two programs: unhalted compare -- A ... -- "
				"B ...\n");
		return CLI_FAILED;
	}
	argv[second] = NULL;
	for (int i = 0; i < 2; i++)
		compare->configs[i] = compare->config;
	compare->configs[0].command = argv + first;
	compare->configs[1].command = argv + second + 1;
	return CLI_CONTINUE;
}

static int check_conditions(const struct compare *compare)
{
	struct uh_condition condition;
	struct uh_error error;
	for (size_t i = 0; i < compare->condition_count; i++)
		if (uh_condition_parse(compare->conditions[i], &condition, &error)) {
			fprintf(stderr, "unhalted compare: --fail-if: %s\n", error.text);
			return CLI_FAILED;
		}
	return CLI_CONTINUE;
}

/* ---- counting ---- */

static const char emulated_events[] = "cycles,instructions,branches,branch-misses,L1-dcache-loads,"
				      "L1-dcache-load-misses,L1-dcache-stores,LLC-loads,"
				      "LLC-load-misses";
static const char timed_events[] = "duration_time,task-clock,page-faults";
static const char core_events[] = ",cycles,instructions,branches,branch-misses,cache-misses";

static int choose_events(struct compare *compare)
{
	char lacks[160];
	struct stat_config *config = &compare->config;
	if (config->events)
		return 0;
	struct uh_machine *machine = NULL;
	struct uh_error error;
	if (uh_machine_open(&machine, &error)) {
		fprintf(stderr, "unhalted compare: %s\n", error.text);
		return CLI_FAILED;
	}
	bool no_pmu = uh_machine_lacks_pmu(machine, lacks, sizeof(lacks));
	uh_machine_free(machine);
	enum uh_emulate emulate = config->session.emulate;
	if (emulate == UH_EMULATE_ALWAYS || (no_pmu && emulate == UH_EMULATE_IF_NEEDED))
		return stat_add_events(config, emulated_events);
	int status = stat_add_events(config, timed_events);
	if (!status && !no_pmu)
		status = stat_add_events(config, core_events + 1);
	return status;
}

static void show_progress(const struct compare *compare, unsigned round, unsigned rounds, int which)
{
	(void)compare;
	if (rounds > 1 && isatty(STDERR_FILENO))
		fprintf(stderr, "\rrun %u of %u: %c ", round + 1, rounds, 'A' + which);
}

/* A change of place or time between the runs hits both alike when they alternate. */
static int count_both(struct compare *compare, struct uh_error *error)
{
	unsigned rounds = 1;
	int status = 0;
	for (unsigned round = 0; round < rounds && !status; round++) {
		for (int which = 0; which < 2 && !status; which++) {
			struct stat_run *run = &compare->runs[which];
			show_progress(compare, round, rounds, which);
			stat_end_session(run);
			status = stat_count_once(run, error);
			if (!status && run->program_status)
				compare->failed[which] = true;
			if (run->stop)
				return status ? status : 1;
		}
		if (!round && !status) {
			bool emulated = uh_session_is_emulated(compare->runs[0].session);
			rounds = compare->repeat_given ? compare->config.repeat : emulated ? 1 : 10;
		}
	}
	if (rounds > 1 && isatty(STDERR_FILENO))
		fprintf(stderr, "\r                        \r");
	return status;
}

static int make_rows(struct compare *compare, struct uh_error *error)
{
	const struct stat_run *a = &compare->runs[0];
	const struct stat_run *b = &compare->runs[1];
	size_t count = a->events->count;
	compare->rows = calloc(count + 1, sizeof(*compare->rows));
	if (!compare->rows)
		return uh_fail_memory(error);
	for (size_t i = 0; i < count; i++) {
		struct uh_comparison *row = &compare->rows[i];
		const struct uh_reading *left = uh_frame_reading(&a->shape, i, 0);
		const struct uh_reading *right = uh_frame_reading(&b->shape, i, 0);
		row->event = &a->events->events[i];
		row->status = left->status > right->status ? left->status : right->status;
		row->provenance =
		    left->provenance > right->provenance ? left->provenance : right->provenance;
		row->a = uh_sample_scaled(&a->samples[i], row->event->scale);
		row->b = uh_sample_scaled(&b->samples[i], row->event->scale);
		uh_comparison_finish(row);
	}
	uh_comparison_sort(compare->rows, count);
	return 0;
}

/* ---- the page ---- */

static void append_command(char name, char **command, struct uh_text *page)
{
	uh_text_format(page, " %c:", name);
	for (char **word = command; *word; word++) {
		uh_text_char(page, ' ');
		uh_text_safe(page, *word);
	}
	uh_text_char(page, '\n');
}

static void append_reasons(const struct compare *compare, struct uh_text *page)
{
	for (int which = 0; which < 2; which++) {
		const struct stat_run *run = &compare->runs[which];
		if (compare->failed[which])
			uh_text_format(page, " %c ended with exit status %d\n", 'A' + which,
				       run->program_status);
		for (size_t i = 0; !which && i < run->events->count; i++)
			if (uh_session_status(run->session, i) != UH_COUNTED)
				uh_text_format(page, " %s: %s: %s\n", run->events->events[i].name,
					       uh_status_name(uh_session_status(run->session, i)),
					       uh_session_reason(run->session, i));
		for (size_t i = 0; run->session->emulated; i++) {
			const char *note = uh_emulated_source_note(run->session->emulated, i);
			if (!note)
				break;
			uh_text_format(page, " %c: ", 'A' + which);
			uh_text_safe(page, note);
			uh_text_char(page, '\n');
		}
	}
}

static void write_page(struct compare *compare)
{
	const size_t count = compare->runs[0].events->count;
	struct uh_text *page = &compare->page;
	if (compare->config.json) {
		uh_compare_json(compare->rows, count, page);
		return;
	}
	uh_text_char(page, '\n');
	append_command('A', compare->configs[0].command, page);
	append_command('B', compare->configs[1].command, page);
	if (compare->runs[0].runs > 1)
		uh_text_format(page, " %u runs each, in turn\n", compare->runs[0].runs);
	uh_text_char(page, '\n');
	uh_compare_text(compare->rows, count, page);
	append_reasons(compare, page);
	uh_text_string(page, "\n ");
	uh_compare_sentence(compare->rows, count, page);
	uh_text_char(page, '\n');
}

/* 0, 1 when a condition holds, 125 when one could not be checked. */
static int judge(const struct compare *compare)
{
	int result = compare->failed[0] || compare->failed[1] ? CLI_INCOMPLETE : 0;
	for (size_t i = 0; i < compare->condition_count; i++) {
		struct uh_condition condition;
		const struct uh_comparison *row = NULL;
		(void)uh_condition_parse(compare->conditions[i], &condition, NULL);
		for (size_t j = 0; j < compare->runs[0].events->count && !row; j++)
			if (!strcmp(compare->rows[j].event->name, condition.event))
				row = &compare->rows[j];
		if (!row || row->status > UH_PARTLY_COUNTED) {
			fprintf(stderr, "unhalted compare: --fail-if %s: %s was not counted%s\n",
				compare->conditions[i], condition.event,
				row ? "" : "; name it with -e");
			result = CLI_FAILED;
		} else if (uh_condition_holds(&condition, row)) {
			fprintf(stderr,
				"unhalted compare: --fail-if %s holds: %.10g -> %.10g (%+.3f %%)\n",
				compare->conditions[i], row->a.mean, row->b.mean,
				100 * (row->ratio - 1));
			if (!result)
				result = CLI_INCOMPLETE;
		}
	}
	return result;
}

static int draw_picture(struct compare *compare, struct output *output, struct uh_error *error)
{
	if (!compare->svg)
		return 0;
	uh_compare_svg(compare->rows, compare->runs[0].events->count, compare->configs[0].command,
		       compare->configs[1].command, &compare->page);
	return output_write(output, &compare->page, error);
}

static bool nothing_counted(const struct compare *compare)
{
	for (size_t i = 0; i < compare->runs[0].events->count; i++)
		if (compare->rows[i].status <= UH_PARTLY_COUNTED)
			return false;
	return true;
}

static int compare_programs(struct compare *compare)
{
	struct uh_error error = {0};
	struct output output;
	struct output picture = {0};
	const struct output_options picture_options = {.path = compare->svg, .descriptor = -1};
	int status = output_open(&compare->config.output, &output, &error);
	if (!status && compare->svg) {
		status = output_open(&picture_options, &picture, &error);
		if (status)
			(void)output_close(&output, false, NULL);
	}
	if (status) {
		fprintf(stderr, "unhalted compare: %s\n", error.text);
		return CLI_FAILED;
	}
	for (int which = 0; which < 2 && !status; which++) {
		compare->runs[which].config = &compare->configs[which];
		compare->runs[which].no_preamble = which > 0;
		compare->runs[which].output.descriptor = STDERR_FILENO;
		status = stat_prepare(&compare->runs[which], &error);
	}
	if (!status)
		status = count_both(compare, &error);
	bool interrupted = status == 1;
	bool complete = !status || (interrupted && compare->runs[0].runs && compare->runs[1].runs);
	if (interrupted && !complete)
		status = uh_fail(&error, -EINTR, "interrupted before both programs had run");
	if (complete)
		status = make_rows(compare, &error);
	if (!status) {
		write_page(compare);
		status = output_write(&output, &compare->page, &error);
		if (!status)
			status = draw_picture(compare, &picture, &error);
	}
	int drawn = output_close(&picture, !status, status ? NULL : &error);
	status = status ? status : drawn;
	int closed = output_close(&output, !status, status ? NULL : &error);
	status = status ? status : closed;
	if (status) {
		fprintf(stderr, "unhalted compare: %s\n", error.text);
		int a = stat_failure_status(&compare->runs[0], status);
		return a != CLI_FAILED ? a : stat_failure_status(&compare->runs[1], status);
	}
	if (interrupted || nothing_counted(compare))
		return interrupted ? CLI_INCOMPLETE : CLI_FAILED;
	return judge(compare);
}

static int compare_main(int argc, char **argv)
{
	struct compare compare = {.config = {.session = UH_SESSION_OPTIONS,
					     .repeat = 1,
					     .separator = ",",
					     .big_numbers = true,
					     .output = {.descriptor = -1}}};
	int first = argc;
	int status = cli_parse(&cli_compare, argc, argv, CLI_FAILED, handle, &compare, &first);
	if (status == CLI_CONTINUE)
		status = check_conditions(&compare);
	if (status == CLI_CONTINUE && choose_events(&compare))
		status = CLI_FAILED;
	if (status == CLI_CONTINUE)
		status = split_programs(&compare, argc, argv, first);
	if (status == CLI_CONTINUE)
		status = compare_programs(&compare);
	for (int which = 0; which < 2; which++)
		stat_run_free(&compare.runs[which]);
	free(compare.rows);
	uh_text_free(&compare.page);
	free(compare.config.events);
	return status;
}
