/* SPDX-License-Identifier: BSD-3-Clause */
/* unhalted stat: one page over the library. */
#include "cli/stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "count/explain.h"
#include "count/frame.h"
#include "count/session.h"
#include "event/sysfs.h"
#include "machine/machine.h"

static const char software_events[] = "task-clock,context-switches,cpu-migrations,page-faults";
static const char core_events[] = "cycles,instructions,ref-cycles,branches,branch-misses";
static const char emulated_events[] = "cycles,instructions,branches,branch-misses,L1-dcache-loads,"
				      "L1-dcache-load-misses,L1-dcache-stores,LLC-load-misses";
static const char topdown_events[] =
    "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}";
static const char *const detailed_events[] = {
    "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
    ("L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,"
     "iTLB-load-misses"),
    "L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

static int append_events(struct stat_run *run, const char *text, struct uh_error *error)
{
	return uh_event_list_append(run->events, run->machine, text, error);
}

static bool has_topdown(struct stat_run *run)
{
	struct uh_event_list *list = NULL;
	bool found = !uh_event_list_parse(run->machine, topdown_events, &list, NULL);
	uh_event_list_free(list);
	return found;
}

static int default_events(struct stat_run *run, struct uh_error *error)
{
	char lacks[160];
	const struct stat_config *config = run->config;
	bool no_pmu = uh_machine_lacks_pmu(run->machine, lacks, sizeof(lacks));
	bool looks_on = config->session.all_cpus || config->session.cpus ||
			config->session.processes || config->session.threads;
	bool emulate = config->session.emulate == UH_EMULATE_ALWAYS ||
		       (no_pmu && !looks_on && config->session.emulate == UH_EMULATE_IF_NEEDED);
	int status = append_events(run, software_events, error);
	if (!status && emulate)
		status = append_events(run, emulated_events, error);
	else if (!status && no_pmu && looks_on && !config->detail)
		fprintf(stderr,
			"unhalted: %s: the processor's own events are left out; run the "
			"program under unhalted stat to emulate them\n",
			lacks);
	else if (!status)
		status = append_events(run, core_events, error);
	for (int i = emulate ? 1 : 0; i < config->detail && i < 3 && !status; i++)
		status = append_events(run, detailed_events[i], error);
	if (!status && !no_pmu && !emulate && has_topdown(run))
		status = append_events(run, topdown_events, error);
	return status;
}

int stat_events(struct stat_run *run, struct uh_error *error)
{
	const struct stat_config *config = run->config;
	int status = uh_event_list_parse(run->machine, "", &run->events, error);
	if (status || config->null_run)
		return status;
	status =
	    config->events ? append_events(run, config->events, error) : default_events(run, error);
	for (size_t i = 0; i < run->events->count && !status; i++) {
		struct uh_event *event = &run->events->events[i];
		if (config->all_user)
			event->attr.exclude_kernel = event->attr.exclude_hv = 1;
		if (config->all_kernel)
			event->attr.exclude_user = 1;
		if (config->session.cgroups)
			event->cgroup = strchr(config->session.cgroups, ',') ? (int)i : 0;
	}
	return status;
}

static int read_topology(struct stat_run *run, struct uh_error *error)
{
	enum uh_place_kind places = run->config->places;
	if (places == UH_PLACE_TOTAL || places == UH_PLACE_CPU || places == UH_PLACE_THREAD)
		return 0;
	struct uh_index_list online = {0};
	int status = uh_machine_online(run->machine, &online, error);
	if (!status)
		status = uh_topology_read(run->machine, &online, &run->topology, error);
	uh_index_list_free(&online);
	return status;
}

int stat_count_once(struct stat_run *run, struct uh_error *error)
{
	const struct stat_config *config = run->config;
	int status =
	    uh_session_new(run->machine, run->events, &config->session, &run->session, error);
	if (!status)
		status = stat_print_preamble(run, error);
	run->launching = !status && config->command;
	if (run->launching)
		status = uh_session_launch(run->session, config->command, error);
	if (!status)
		status = stat_watch(run, error);
	if (status)
		return status;
	struct uh_frame frame;
	status = uh_session_read(run->session, &frame, error);
	if (status)
		return status;
	uint64_t end = run->session->ended ? run->session->ended : frame.time;
	uh_sample_add(&run->elapsed, (double)(end - run->start) * 1e-9);
	status = stat_collect(run, &frame, error);
	bool enough = config->interval_count && run->intervals >= config->interval_count;
	if (!status && config->interval && !enough)
		return stat_print_interval(run, &frame, error);
	uh_frame_free(&frame);
	return status;
}

void stat_end_session(struct stat_run *run)
{
	uh_session_free(run->session);
	run->session = NULL;
}

static int count_all(struct stat_run *run, struct uh_error *error)
{
	const struct stat_config *config = run->config;
	int status = 0;
	for (unsigned i = 0; !status && !run->stop; i++) {
		if (config->repeat && i >= config->repeat)
			break;
		stat_end_session(run);
		status = stat_count_once(run, error);
	}
	if (!status && !config->interval)
		status = stat_print_final(run, error);
	return status;
}

/* A task that slept all the time was counted, so to speak: it did nothing. */
static bool slept(const struct stat_run *run, const struct uh_reading *reading)
{
	const struct stat_config *config = run->config;
	bool tasks = config->session.processes || config->session.threads;
	return tasks && !config->session.start_disabled && reading->status == UH_NOT_COUNTED &&
	       !reading->enabled;
}

/* Nothing that was asked for by name could be counted. */
static bool all_failed(const struct stat_run *run)
{
	if (!run->config->events)
		return false;
	size_t cells = run->shape.event_count * run->shape.place_count;
	for (size_t i = 0; i < cells; i++)
		if (run->shape.readings[i].status <= UH_PARTLY_COUNTED ||
		    slept(run, &run->shape.readings[i]))
			return false;
	return cells > 0;
}

int stat_failure_status(const struct stat_run *run, int status)
{
	if (run->launching && status == -ENOENT)
		return CLI_NOT_FOUND;
	if (run->launching && (status == -EACCES || status == -ENOEXEC))
		return CLI_NOT_EXECUTABLE;
	return CLI_FAILED;
}

/* In the machine-readable forms the reasons stand on standard error if nothing else says them. */
static void tell_failure(const struct stat_run *run)
{
	for (size_t i = 0; i < run->events->count; i++) {
		enum uh_status status = uh_session_status(run->session, i);
		const char *reason = uh_session_reason(run->session, i);
		if (status == UH_COUNTED) {
			status = UH_NOT_COUNTED;
			reason = stat_never_ran(run, i);
		}
		if (!reason)
			continue;
		/* By way of an error's text, which is safe to show. */
		struct uh_error error;
		(void)uh_fail(&error, -ENOENT, "%s: %s: %s", run->events->events[i].name,
			      uh_status_name(status), reason);
		fprintf(stderr, "unhalted stat: %s\n", error.text);
	}
}

int stat_prepare(struct stat_run *run, struct uh_error *error)
{
	int status = uh_machine_open(&run->machine, error);
	if (!status)
		status = stat_events(run, error);
	if (!status)
		status = read_topology(run, error);
	return status;
}

void stat_run_free(struct stat_run *run)
{
	stat_end_session(run);
	uh_event_list_free(run->events);
	uh_topology_free(&run->topology);
	uh_frame_free(&run->last);
	uh_frame_free(&run->shape);
	uh_text_free(&run->page);
	free(run->figures);
	free(run->samples);
	uh_machine_free(run->machine);
}

static int run_stat(struct stat_run *run)
{
	const struct stat_config *config = run->config;
	struct uh_error error = {0};
	int status = stat_prepare(run, &error);
	if (!status)
		status = output_open(&config->output, &run->output, &error);
	if (!status) {
		status = count_all(run, &error);
		struct uh_error *later = status ? NULL : &error;
		int closed = output_close(&run->output, !status, later);
		status = status ? status : closed;
	}
	if (status) {
		fprintf(stderr, "unhalted stat: %s\n", error.text);
		return stat_failure_status(run, status);
	}
	if (all_failed(run)) {
		if (config->csv || config->json || config->interval)
			tell_failure(run);
		return CLI_FAILED;
	}
	return config->command ? run->program_status : 0;
}

int stat_main(int argc, char **argv);
int stat_main(int argc, char **argv)
{
	struct stat_config config;
	int status = stat_parse(argc, argv, &config);
	if (status == CLI_CONTINUE) {
		struct stat_run run = {
		    .config = &config,
		    .style = {.places = config.places,
			      .interval = config.interval != 0,
			      .repeated = config.repeated,
			      .big_numbers = config.big_numbers,
			      .provenance = true,
			      .separator = config.separator},
		};
		status = run_stat(&run);
		stat_run_free(&run);
	}
	stat_config_free(&config);
	return status;
}
