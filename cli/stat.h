/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `unhalted stat` share. */
#ifndef UH_CLI_STAT_H
#define UH_CLI_STAT_H

#include <stdio.h>

#include "base/statistics.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "event/event.h"
#include "machine/topology.h"
#include "render/stat.h"
#include "unhalted/count.h"

struct stat_config {
	/* what */
	char *events; /* all -e joined by commas; NULL: the default set */
	int detail;   /* -d, -dd, -ddd */
	bool null_run;
	bool all_user, all_kernel;
	/* whom */
	struct uh_session_options session;
	char **command; /* NULL: none */
	/* when */
	unsigned repeat; /* 0: forever */
	bool repeated;
	uint64_t interval, delay, timeout; /* nanoseconds; 0: none */
	bool wait_for_enable;              /* -D -1 */
	uint64_t interval_count;
	const char *control;
	/* how it is shown */
	enum uh_place_kind places;
	struct output_options output;
	bool csv, json, wide, big_numbers;
	const char *separator;
	int verbose;
};

/* One `unhalted stat` at work. */
struct stat_run {
	const struct stat_config *config;
	struct uh_machine *machine;
	struct uh_event_list *events;
	struct uh_session *session;
	struct uh_topology topology;
	struct output output;
	struct uh_stat_style style;
	struct uh_text page;
	struct uh_figure *figures;
	size_t figure_capacity;
	struct uh_frame last; /* previous interval's frame; empty before the first */
	uint64_t start;
	bool header_printed;
	bool no_preamble; /* the reader knows already */
	uint64_t intervals;
	/* of all repetitions: */
	struct uh_sample *samples;
	struct uh_sample elapsed;
	struct uh_frame shape; /* folded frame of the last run */
	struct uh_sample user, system;
	unsigned runs;
	bool stop;          /* a signal or the control file asked to end */
	bool launching;     /* between making the program's process and its exec */
	int program_status; /* exit status of the last program */
};

/* Fills the configuration; CLI_CONTINUE or an exit status. */
int stat_parse(int argc, char **argv, struct stat_config *config);
void stat_config_free(struct stat_config *config);

/* Adds -e LIST to what was asked for before. 0, or an exit status after a message. */
int stat_add_events(struct stat_config *config, const char *text);

/* Opens the machine and reads the events; `run->config` is set. */
int stat_prepare(struct stat_run *run, struct uh_error *error);

/* One run of the program, or one look at the machine, added to the samples. */
int stat_count_once(struct stat_run *run, struct uh_error *error);
void stat_end_session(struct stat_run *run);

/* Frees all but the configuration. */
void stat_run_free(struct stat_run *run);

/* The exit status for a failure: 126 or 127 when the program could not be executed, else 125. */
int stat_failure_status(const struct stat_run *run, int status);

/* Why an event that was opened has no figure: its counter never ran. NULL when it has one. */
const char *stat_never_ran(const struct stat_run *run, size_t event);

/* The events to count: those asked for, or the default set for this machine. */
int stat_events(struct stat_run *run, struct uh_error *error);

/* Runs the session until the program, a limit or the user ends it. */
int stat_watch(struct stat_run *run, struct uh_error *error);

/* Prints what was counted between the last interval and `frame`. */
int stat_print_interval(struct stat_run *run, const struct uh_frame *frame, struct uh_error *error);

/* Folds a run's last frame into the samples. */
int stat_collect(struct stat_run *run, const struct uh_frame *frame, struct uh_error *error);

/* Prints the final page. */
int stat_print_final(struct stat_run *run, struct uh_error *error);

/* Prints, once, what the reader must know before the figures. */
int stat_print_preamble(struct stat_run *run, struct uh_error *error);

#endif
