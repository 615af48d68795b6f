/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counting: a session counts a list of events for a command, for tasks or for
 * processors, and gives frames.
 *
 *	struct uh_session_options options = UH_SESSION_OPTIONS;
 *	uh_session_new(machine, events, &options, &session, &error);
 *	uh_session_launch(session, argv, &error);     (or nothing, with tasks or cpus)
 *	uh_session_start(session, &error);
 *	... the program runs ...
 *	uh_session_read(session, &frame, &error);
 *
 * Where the machine has no PMU and a command is to be counted, events of the
 * processor's counters are counted on the emulated machine: the readings'
 * provenance says so.
 */
#ifndef UNHALTED_COUNT_H
#define UNHALTED_COUNT_H

#include <stdbool.h>
#include <sys/resource.h>

#include "unhalted/event.h"
#include "unhalted/frame.h"

#ifdef __cplusplus
extern "C" {
#endif

enum uh_emulate {
	UH_EMULATE_IF_NEEDED, /* when the machine has no PMU and an event needs one */
	UH_EMULATE_ALWAYS,
	UH_EMULATE_NEVER,
};

/* Initialise with UH_SESSION_OPTIONS. Texts are borrowed until uh_session_new returns. */
struct uh_session_options {
	size_t size;           /* of this struct, for callers older or newer than the library */
	const char *processes; /* "PID,..." or NULL: all their threads */
	const char *threads;   /* "TID,..." or NULL */
	const char *cpus;      /* "0-3,8" or NULL */
	const char *cgroups;   /* "NAME,NAME,...": one an event, or one for all; NULL: none */
	bool all_cpus;
	bool per_thread;     /* a place for each thread, not one for all */
	bool no_inherit;     /* leave out children and threads that start later */
	bool start_disabled; /* uh_session_start does not switch the counters on */
	enum uh_emulate emulate;
	const char *cache; /* geometry for the emulated machine, "L1D=48K,12 ..." or NULL */
	const char *qemu;  /* path of qemu-x86_64, NULL: searched in PATH */
};
#define UH_SESSION_OPTIONS                                                                         \
	{                                                                                          \
		.size = sizeof(struct uh_session_options)                                          \
	}

struct uh_session;

/* `machine` and `events` must outlive the session. */
int uh_session_new(struct uh_machine *machine, const struct uh_event_list *events,
		   const struct uh_session_options *options, struct uh_session **session,
		   struct uh_error *error);
void uh_session_free(struct uh_session *session);

/*
 * Makes the process of a command; it waits until uh_session_start. argv ends with NULL.
 * With an emulated machine -ENOENT, -EACCES and -ENOEXEC are known here already.
 */
int uh_session_launch(struct uh_session *session, char *const argv[], struct uh_error *error);

/* The command's process, or 0. The caller waits for it and passes the result to
 * uh_session_ended(). */
pid_t uh_session_process(const struct uh_session *session);

/*
 * Lets the command run, or switches the counters on. -ENOENT or -EACCES and the like
 * when the program cannot be executed: its process has then ended.
 */
int uh_session_start(struct uh_session *session, struct uh_error *error);

/* Tells the session that the command's process was waited for. */
int uh_session_ended(struct uh_session *session, const struct rusage *usage,
		     struct uh_error *error);

int uh_session_enable(struct uh_session *session, struct uh_error *error);
int uh_session_disable(struct uh_session *session, struct uh_error *error);

/* Everything counted since the start. The caller frees the frame. */
int uh_session_read(struct uh_session *session, struct uh_frame *frame, struct uh_error *error);

/* Why an event is not counted, "" when it is. Valid as long as the session. */
const char *uh_session_reason(const struct uh_session *session, size_t event);
enum uh_status uh_session_status(const struct uh_session *session, size_t event);

/* True when the command runs on the emulated machine. */
bool uh_session_is_emulated(const struct uh_session *session);

#ifdef __cplusplus
}
#endif

#endif
