/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts events for a program through the library:
 *
 *	count EVENTS PROGRAM [ARGUMENTS]
 *	count task-clock,page-faults,instructions ls -l
 *
 * On a machine without a PMU the events of the processor come from an emulated run; the
 * provenance that is printed behind each value says so.
 */
#include <stdio.h>
#include <sys/wait.h>

#include <unhalted/count.h>

static void print(const struct uh_event_list *events, const struct uh_session *session,
		  const struct uh_frame *frame)
{
	for (size_t i = 0; i < frame->event_count; i++) {
		const struct uh_reading *reading = uh_frame_reading(frame, i, 0);
		if (reading->status <= UH_PARTLY_COUNTED)
			printf("%-24s %16llu  %s\n", uh_event_list_name(events, i),
			       (unsigned long long)uh_reading_scaled(reading),
			       uh_provenance_name(reading->provenance));
		else
			printf("%-24s %16s  %s\n", uh_event_list_name(events, i),
			       uh_status_name(reading->status), uh_session_reason(session, i));
	}
}

static int count(struct uh_session *session, const struct uh_event_list *events, char **program,
		 struct uh_error *error)
{
	struct uh_frame frame;
	struct rusage usage;
	int child;
	int status = uh_session_launch(session, program, error);
	if (!status)
		status = uh_session_start(session, error);
	if (status)
		return status;
	wait4(uh_session_process(session), &child, 0, &usage);
	status = uh_session_ended(session, &usage, error);
	if (!status)
		status = uh_session_read(session, &frame, error);
	if (status)
		return status;
	print(events, session, &frame);
	uh_frame_free(&frame);
	return 0;
}

int main(int argc, char **argv)
{
	struct uh_machine *machine = NULL;
	struct uh_event_list *events = NULL;
	struct uh_session *session = NULL;
	struct uh_session_options options = UH_SESSION_OPTIONS;
	struct uh_error error = {0};

	if (argc < 3) {
		fprintf(stderr, "usage: count EVENTS PROGRAM [ARGUMENTS]\n");
		return 2;
	}
	int status = uh_machine_open(&machine, &error);
	if (!status)
		status = uh_event_list_parse(machine, argv[1], &events, &error);
	if (!status)
		status = uh_session_new(machine, events, &options, &session, &error);
	if (!status)
		status = count(session, events, argv + 2, &error);
	if (status)
		fprintf(stderr, "count: %s\n", error.text);
	uh_session_free(session);
	uh_event_list_free(events);
	uh_machine_free(machine);
	return status ? 1 : 0;
}
