/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a session share. */
#ifndef UH_COUNT_SESSION_H
#define UH_COUNT_SESSION_H

#include "count/command.h"
#include "count/perf_source.h"
#include "count/source.h"
#include "unhalted/count.h"

#define UH_SESSION_SOURCES 2

struct uh_session {
	struct uh_machine *machine;
	const struct uh_event_list *events;
	struct uh_event_state *states;
	struct uh_session_options options; /* without the borrowed texts */
	struct uh_index_list tasks;
	struct uh_index_list cpus;
	int *cgroups;
	size_t cgroup_count;
	struct uh_perf_target target;
	struct uh_source *perf;     /* NULL: none of the events is the kernel's */
	struct uh_source *emulated; /* NULL: the command runs natively */
	struct uh_command command;
	char *program; /* what the command runs, for messages */
	struct uh_place *places;
	size_t place_count;
	uint64_t started, ended; /* machine's clock; 0: not yet */
	struct rusage usage;
	bool has_usage;
};

/* The list of `tasks` from processes ("PID,...", all threads) and threads ("TID,..."). */
int uh_session_find_tasks(struct uh_machine *machine, const char *processes, const char *threads,
			  struct uh_index_list *tasks, struct uh_error *error);

/* The processors to count on, each of which must be online; cpus NULL means all. */
int uh_session_find_cpus(struct uh_machine *machine, const char *cpus, struct uh_index_list *list,
			 struct uh_error *error);

/* Opens the directories of "NAME,NAME,..."; an empty name gives -1. */
int uh_session_open_cgroups(struct uh_machine *machine, const char *names, int **descriptors,
			    size_t *count, struct uh_error *error);

/* The name of a thread, from proc/TID/comm; "?" when it has gone. */
void uh_thread_name(struct uh_machine *machine, pid_t thread, char name[32]);

/* A zeroed frame of the session's shape: places filled in, every reading absent. */
int uh_session_frame(const struct uh_session *session, size_t places, struct uh_frame *frame);

#endif
