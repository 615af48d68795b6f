/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `unhalted stat`, with perf stat's letters and meanings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "cli/stat.h"

enum {
	KEY_PER_THREAD = 256,
	KEY_PER_CORE,
	KEY_PER_DIE,
	KEY_PER_SOCKET,
	KEY_PER_NODE,
	KEY_INTERVAL_COUNT,
	KEY_TIMEOUT,
	KEY_CONTROL,
	KEY_APPEND,
	KEY_LOG_FD,
	KEY_ALL_USER,
	KEY_ALL_KERNEL,
	KEY_EMULATE,
	KEY_NO_EMULATE,
	KEY_CACHE,
	KEY_QEMU,
	KEY_WIDE,
	KEY_NO_BIG_NUM,
};

static const struct cli_option options[] = {
    {'e', "event", "LIST", "events: a,b {group,of,events} name:modifiers rUUEE pmu/term=v/"},
    {'a', "all-cpus", NULL, "count on all processors"},
    {'C', "cpu", "LIST", "count on these processors, such as 0-3,8"},
    {'p', "pid", "LIST", "count these running processes, with all their threads"},
    {'t', "tid", "LIST", "count these running threads"},
    {'G', "cgroup", "NAMES",
     "count in these control groups (with -a): one for all, or one an event"},
    {'i', "no-inherit", NULL, "leave out children and threads that start later"},
    {'A', "no-aggr", NULL, "a line for each processor (with -a or -C)"},
    {KEY_PER_THREAD, "per-thread", NULL, "a line for each thread (with -p, -t or emulation)"},
    {KEY_PER_CORE, "per-core", NULL, "a line for each core"},
    {KEY_PER_DIE, "per-die", NULL, "a line for each die"},
    {KEY_PER_SOCKET, "per-socket", NULL, "a line for each socket"},
    {KEY_PER_NODE, "per-node", NULL, "a line for each NUMA node"},
    {'r', "repeat", "N", "run the command N times, print means and spread (0: until interrupted)"},
    {'I', "interval-print", "TIME", "print every TIME (milliseconds, or 200ms, 2s)"},
    {KEY_INTERVAL_COUNT, "interval-count", "N", "stop after N intervals"},
    {'D', "delay", "TIME", "start counting after TIME (-1: when --control enables it)"},
    {KEY_TIMEOUT, "timeout", "TIME", "stop after TIME"},
    {KEY_CONTROL, "control", "WHERE",
     "fifo:CTL[,ACK] or fd:CTL[,ACK]: enable, disable, ping, stop"},
    {'x', "field-separator", "SEP", "print values separated by SEP, perf's columns"},
    {'j', "json-output", NULL, "print a JSON object a line, perf's keys"},
    {KEY_WIDE, "wide", NULL, "with -I and -x or -j: one row an interval, names once"},
    {'o', "output", "FILE", "write the figures to FILE, not to standard error"},
    {KEY_APPEND, "append", NULL, "with -o: append to FILE"},
    {KEY_LOG_FD, "log-fd", "N", "write the figures to file descriptor N"},
    {'B', "big-num", NULL, "separate thousands (the default in text)"},
    {KEY_NO_BIG_NUM, "no-big-num", NULL, "do not separate thousands"},
    {'n', "null", NULL, "run without counters"},
    {'d', "detailed", NULL, "count more by default: caches; -dd, -ddd still more"},
    {KEY_ALL_USER, "all-user", NULL, "count in user mode only"},
    {KEY_ALL_KERNEL, "all-kernel", NULL, "count in kernel mode only"},
    {KEY_EMULATE, "emulate", NULL, "run on the emulated machine even if there is a PMU"},
    {KEY_NO_EMULATE, "no-emulate", NULL, "never emulate: print <not supported> instead"},
    {KEY_CACHE, "cache", "GEOMETRY", "caches of the emulated machine: L1D=48K,12 L2=2M,16 ..."},
    {KEY_QEMU, "qemu", "PATH", "the qemu-x86_64 to emulate with"},
    {'v', "verbose", NULL, "show raw counts and times as well"},
};

static const char details[] =
    "Figures go to standard error; standard output belongs to the program. Exit status: the\n"
    "program's own (128+N after signal N); 125 when unhalted failed or nothing asked for could\n"
    "be counted; 126 and 127 as a shell's. Without a PMU the program runs on an emulated "
    "machine.\n";

extern int stat_main(int argc, char **argv);

const struct cli_command cli_stat = {
    .name = "stat",
    .summary = "count events while a program runs, or on a process or the machine",
    .usage = "[OPTIONS] [--] [PROGRAM [ARGUMENTS]]",
    .details = details,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = stat_main,
};

static int complain(const char *option, const char *text, const char *wanted)
{
	/* By way of an error's text, which is safe to show. */
	struct uh_error error;
	(void)uh_fail(&error, -EINVAL, "%s: \"%.200s\" is not %s", option, text, wanted);
	fprintf(stderr, "unhalted stat: %s\n", error.text);
	return CLI_FAILED;
}

int stat_add_events(struct stat_config *config, const char *text)
{
	size_t before = config->events ? strlen(config->events) + 1 : 0;
	char *joined = realloc(config->events, before + strlen(text) + 1);
	if (!joined) {
		fprintf(stderr, "unhalted stat: out of memory\n");
		return CLI_FAILED;
	}
	if (before)
		joined[before - 1] = ',';
	memcpy(joined + before, text, strlen(text) + 1);
	config->events = joined;
	return 0;
}

static int set_duration(const char *option, const char *text, uint64_t *value)
{
	if (!uh_parse_duration(text, value) || !*value)
		return complain(option, text, "a length of time such as 100, 200ms or 2s");
	return 0;
}

static int set_number(const char *option, const char *text, uint64_t most, uint64_t *value)
{
	if (!uh_parse_u64(text, value) || *value > most)
		return complain(option, text, "a number in range");
	return 0;
}

static int set_delay(struct stat_config *config, const char *text)
{
	if (!strcmp(text, "-1")) {
		config->wait_for_enable = true;
		return 0;
	}
	return set_duration("-D", text, &config->delay);
}

static int set_separator(struct stat_config *config, const char *text)
{
	if (!*text)
		return complain("-x", text, "a separator");
	config->csv = true;
	/* perf takes the two characters \t for a tabulator */
	config->separator = strcmp(text, "\\t") ? text : "\t";
	return 0;
}

static int handle_output(struct stat_config *config, int key, const char *argument)
{
	uint64_t number;
	int status = 0;
	switch (key) {
	case 'x':
		return set_separator(config, argument);
	case 'j':
		config->json = true;
		break;
	case KEY_WIDE:
		config->wide = true;
		break;
	case 'o':
		config->output.path = argument;
		break;
	case KEY_APPEND:
		config->output.append = true;
		break;
	case KEY_LOG_FD:
		status = set_number("--log-fd", argument, 1 << 20, &number);
		if (!status)
			config->output.descriptor = (int)number;
		break;
	case 'B':
		config->big_numbers = true;
		break;
	case KEY_NO_BIG_NUM:
		config->big_numbers = false;
		break;
	case 'v':
		config->verbose++;
		break;
	default:
		break;
	}
	return status;
}

static int handle_time(struct stat_config *config, int key, const char *argument)
{
	uint64_t number = 0;
	int status = 0;
	switch (key) {
	case 'r':
		status = set_number("-r", argument, 1000000, &number);
		config->repeat = (unsigned)number;
		config->repeated = number != 1;
		break;
	case 'I':
		status = set_duration("-I", argument, &config->interval);
		break;
	case KEY_INTERVAL_COUNT:
		status =
		    set_number("--interval-count", argument, UINT64_MAX, &config->interval_count);
		break;
	case 'D':
		status = set_delay(config, argument);
		break;
	case KEY_TIMEOUT:
		status = set_duration("--timeout", argument, &config->timeout);
		break;
	case KEY_CONTROL:
		config->control = argument;
		break;
	default:
		break;
	}
	return status;
}

static void handle_target(struct stat_config *config, int key, const char *argument)
{
	struct uh_session_options *session = &config->session;
	switch (key) {
	case 'a':
		session->all_cpus = true;
		break;
	case 'C':
		session->cpus = argument;
		break;
	case 'p':
		session->processes = argument;
		break;
	case 't':
		session->threads = argument;
		break;
	case 'G':
		session->cgroups = argument;
		break;
	case 'i':
		session->no_inherit = true;
		break;
	case KEY_EMULATE:
		session->emulate = UH_EMULATE_ALWAYS;
		break;
	case KEY_NO_EMULATE:
		session->emulate = UH_EMULATE_NEVER;
		break;
	case KEY_CACHE:
		session->cache = argument;
		break;
	case KEY_QEMU:
		session->qemu = argument;
		break;
	default:
		break;
	}
}

static bool handle_places(struct stat_config *config, int key)
{
	static const struct {
		int key;
		enum uh_place_kind places;
	} rows[] = {{'A', UH_PLACE_CPU},
		    {KEY_PER_THREAD, UH_PLACE_THREAD},
		    {KEY_PER_CORE, UH_PLACE_CORE},
		    {KEY_PER_DIE, UH_PLACE_DIE},
		    {KEY_PER_SOCKET, UH_PLACE_SOCKET},
		    {KEY_PER_NODE, UH_PLACE_NODE}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].key == key) {
			config->places = rows[i].places;
			return true;
		}
	return false;
}

static int handle(void *context, int key, const char *argument)
{
	struct stat_config *config = context;
	if (handle_places(config, key))
		return 0;
	switch (key) {
	case 'e':
		return stat_add_events(config, argument);
	case 'd':
		config->detail++;
		return 0;
	case 'n':
		config->null_run = true;
		return 0;
	case KEY_ALL_USER:
		config->all_user = true;
		return 0;
	case KEY_ALL_KERNEL:
		config->all_kernel = true;
		return 0;
	case 'r':
	case 'I':
	case 'D':
	case KEY_INTERVAL_COUNT:
	case KEY_TIMEOUT:
	case KEY_CONTROL:
		return handle_time(config, key, argument);
	case 'a':
	case 'C':
	case 'p':
	case 't':
	case 'G':
	case 'i':
	case KEY_EMULATE:
	case KEY_NO_EMULATE:
	case KEY_CACHE:
	case KEY_QEMU:
		handle_target(config, key, argument);
		return 0;
	default:
		return handle_output(config, key, argument);
	}
}

/* Pairs and triples that contradict each other: the first that applies is named. */
static const char *contradiction(const struct stat_config *config)
{
	const struct uh_session_options *session = &config->session;
	bool processors = session->all_cpus || session->cpus;
	bool tasks = session->processes || session->threads;
	bool by_processor = config->places != UH_PLACE_TOTAL && config->places != UH_PLACE_THREAD;
	const struct {
		bool wrong;
		const char *text;
	} rules[] = {
	    {!config->command && !processors && !tasks,
	     "name a program to run, or -a, -C, -p or -t; see unhalted stat --help"},
	    {processors && tasks, "-a and -C count processors, -p and -t count tasks: choose one"},
	    {by_processor && !processors,
	     "a line for each processor, core or socket needs -a or -C"},
	    {config->places == UH_PLACE_THREAD && processors,
	     "--per-thread counts tasks: use it with -p or -t, not with -a or -C"},
	    {session->cgroups && !processors, "-G counts on processors: add -a"},
	    {config->all_user && config->all_kernel,
	     "--all-user and --all-kernel exclude each other"},
	    {config->csv && config->json, "-x and -j exclude each other"},
	    {config->wide && !(config->csv || config->json),
	     "--wide is a form of -x or -j: add one"},
	    {config->wide && !config->interval, "--wide prints a row an interval: add -I"},
	    {config->wide && config->places == UH_PLACE_THREAD && !tasks,
	     "--wide names its columns once, but threads of a program come and go: use -x or -j"},
	    {config->interval_count && !config->interval, "--interval-count needs -I"},
	    {config->repeated && !config->command, "-r repeats a program: name one"},
	    {config->repeated && config->interval, "-r and -I exclude each other"},
	    {config->repeated && tasks, "-r repeats a program, which -p and -t do not run"},
	    {config->output.path && config->output.descriptor >= 0,
	     "-o and --log-fd exclude each other"},
	    {config->output.append && !config->output.path, "--append needs -o"},
	    {config->wait_for_enable && !config->control, "-D -1 waits for --control: add it"},
	    {config->null_run && config->events,
	     "-n counts nothing, -e asks for events: choose one"},
	    {session->emulate == UH_EMULATE_ALWAYS && (processors || tasks),
	     "--emulate runs a program; -a, -C, -p and -t look at what runs already"},
	    {session->emulate == UH_EMULATE_ALWAYS && !config->command,
	     "--emulate needs a program to run"},
	    {session->emulate == UH_EMULATE_ALWAYS && config->all_kernel,
	     "an emulated run has no kernel mode: --all-kernel leaves nothing to count"},
	};
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].wrong)
			return rules[i].text;
	return NULL;
}

int stat_parse(int argc, char **argv, struct stat_config *config)
{
	*config = (struct stat_config){
	    .session = UH_SESSION_OPTIONS,
	    .repeat = 1,
	    .big_numbers = true,
	    .separator = ",",
	    .output = {.descriptor = -1},
	};
	int first = argc;
	int status = cli_parse(&cli_stat, argc, argv, CLI_FAILED, handle, config, &first);
	if (status != CLI_CONTINUE)
		return status;
	if (first < argc)
		config->command = argv + first;
	config->session.per_thread = config->places == UH_PLACE_THREAD;
	config->session.start_disabled = config->delay || config->wait_for_enable;
	config->output.stream = config->interval != 0;
	const char *wrong = contradiction(config);
	if (wrong) {
		fprintf(stderr, "unhalted stat: %s\n", wrong);
		return CLI_FAILED;
	}
	return CLI_CONTINUE;
}

void stat_config_free(struct stat_config *config)
{
	free(config->events);
}
