/* SPDX-License-Identifier: BSD-3-Clause */
/* Whom a session counts, from what users type, on a recorded machine. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count/session.h"

static int open_tree(void **state)
{
	struct uh_machine *machine = NULL;
	int status = uh_machine_open_recorded(TEST_DATA "/tree", &machine, NULL);
	*state = machine;
	return status;
}

static int close_tree(void **state)
{
	uh_machine_free(*state);
	return 0;
}

static void expect_tasks(struct uh_machine *machine, const char *processes, const char *threads,
			 const char *wanted)
{
	struct uh_index_list found = {0};
	struct uh_index_list list = {0};
	struct uh_error error = {0};
	if (uh_session_find_tasks(machine, processes, threads, &found, &error))
		fail_msg("%s", error.text);
	assert_int_equal(uh_index_list_parse(wanted, &list), 0);
	assert_int_equal(found.count, list.count);
	assert_memory_equal(found.items, list.items, list.count * sizeof(*list.items));
	uh_index_list_free(&found);
	uh_index_list_free(&list);
}

static void processes_bring_all_their_threads(void **state)
{
	expect_tasks(*state, "42", NULL, "42,43,101");
	expect_tasks(*state, "7,42", NULL, "7,42,43,101");
	expect_tasks(*state, NULL, "43", "43");
	expect_tasks(*state, NULL, "43,7,43", "7,43");
	expect_tasks(*state, "42,42", "43,7", "7,42,43,101");
	char name[32];
	uh_thread_name(*state, 42, name);
	assert_string_equal(name, "server");
	uh_thread_name(*state, 4242, name);
	assert_string_equal(name, "?");
}

static void tasks_that_are_none(void **state)
{
	static const struct {
		const char *text;
		int code;
		const char *found;
	} rows[] = {
	    {"8", -ESRCH, "no process 8"},         {"42,8", -ESRCH, "no process 8"},
	    {"", -EINVAL, "is not the number"},    {"42,", -EINVAL, "is not the number"},
	    {",42", -EINVAL, "is not the number"}, {"0", -EINVAL, "is not the number"},
	    {"-42", -EINVAL, "\"-42\""},           {"4 2", -EINVAL, "\"4 2\""},
	    {"4194304", -EINVAL, "4194304"},       {"../42", -EINVAL, "is not the number"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_index_list list = {0};
		struct uh_error error = {0};
		int status = uh_session_find_tasks(*state, rows[i].text, NULL, &list, &error);
		if (status != rows[i].code || !strstr(error.text, rows[i].found))
			fail_msg("\"%s\": %d: %s", rows[i].text, status, error.text);
		uh_index_list_free(&list);
	}
}

static void processors_that_are_online(void **state)
{
	struct uh_index_list list = {0};
	assert_int_equal(uh_session_find_cpus(*state, NULL, &list, NULL), 0);
	assert_int_equal(list.count, 4);
	uh_index_list_free(&list);
	assert_int_equal(uh_session_find_cpus(*state, "5,0-1", &list, NULL), 0);
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[2], 5);
	uh_index_list_free(&list);
	static const struct {
		const char *text;
		int code;
	} rows[] = {
	    {"2", -ENODEV}, {"0-5", -ENODEV}, {"x", -EINVAL}, {"", -EINVAL}, {"1-0", -EINVAL}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_error error = {0};
		assert_int_equal(uh_session_find_cpus(*state, rows[i].text, &list, &error),
				 rows[i].code);
		assert_true(error.text[0] != '\0');
		uh_index_list_free(&list);
	}
}

static void control_groups(void **state)
{
	int *descriptors = NULL;
	size_t count = 0;
	struct uh_error error = {0};
	char long_name[600];
	assert_int_equal(
	    uh_session_open_cgroups(*state, "one,,one/deep", &descriptors, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_true(descriptors[0] >= 0 && descriptors[1] == -1 && descriptors[2] >= 0);
	close(descriptors[0]);
	close(descriptors[2]);
	free(descriptors);
	assert_int_equal(uh_session_open_cgroups(*state, "nosuch", &descriptors, &count, &error),
			 -ENOENT);
	assert_non_null(strstr(error.text, "nosuch"));
	free(descriptors);
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(uh_session_open_cgroups(*state, long_name, &descriptors, &count, &error),
			 -ENAMETOOLONG);
	free(descriptors);
}

/* ---- whole sessions ---- */

static int new_session(struct uh_machine *machine, const char *events,
		       const struct uh_session_options *options, struct uh_error *error)
{
	struct uh_event_list *list = NULL;
	struct uh_session *session = NULL;
	assert_int_equal(uh_event_list_parse(machine, events, &list, NULL), 0);
	int status = uh_session_new(machine, list, options, &session, error);
	uh_session_free(session);
	uh_event_list_free(list);
	return status;
}

static void options_that_contradict(void **state)
{
	struct uh_error error = {0};
	struct uh_session_options options = UH_SESSION_OPTIONS;
	options.processes = "42";
	options.all_cpus = true;
	assert_int_equal(new_session(*state, "cs", &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "not both"));
	options = (struct uh_session_options)UH_SESSION_OPTIONS;
	options.cgroups = "one";
	assert_int_equal(new_session(*state, "cs", &options, &error), -EINVAL);
	options.all_cpus = true;
	options.cgroups = "one,one";
	assert_int_equal(new_session(*state, "cs,faults,migrations", &options, &error), -EINVAL);
	assert_non_null(strstr(error.text, "2 control groups for 3 events"));
	options = (struct uh_session_options)UH_SESSION_OPTIONS;
	options.per_thread = true;
	assert_int_equal(new_session(*state, "cs", &options, &error), -EINVAL);
	options.size = sizeof(options) + 8;
	assert_int_equal(new_session(*state, "cs", &options, &error), -E2BIG);
	assert_non_null(strstr(error.text, "newer version"));
}

/* Callers that know fewer options than we do have a smaller struct: the rest is as by default. */
static void options_of_an_older_caller(void **state)
{
	struct uh_session_options options = UH_SESSION_OPTIONS;
	options.size = offsetof(struct uh_session_options, processes);
	options.processes = "8";
	assert_int_equal(new_session(*state, "cs", &options, NULL), 0);
}

static void a_recording_counts_nothing_and_says_so(void **state)
{
	struct uh_session_options options = UH_SESSION_OPTIONS;
	struct uh_event_list *list = NULL;
	struct uh_session *session = NULL;
	struct uh_frame frame;
	options.all_cpus = true;
	assert_int_equal(uh_event_list_parse(*state, "cs,faults", &list, NULL), 0);
	assert_int_equal(uh_session_new(*state, list, &options, &session, NULL), 0);
	assert_int_equal(uh_session_status(session, 0), UH_NOT_SUPPORTED);
	assert_true(uh_session_reason(session, 0)[0] != '\0');
	assert_int_equal(uh_session_start(session, NULL), 0);
	assert_int_equal(uh_session_read(session, &frame, NULL), 0);
	assert_int_equal(frame.place_count, 4);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(frame.readings[i].status, UH_NOT_SUPPORTED);
	uh_frame_free(&frame);
	uh_session_free(session);
	uh_event_list_free(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(processes_bring_all_their_threads),
	    cmocka_unit_test(tasks_that_are_none),
	    cmocka_unit_test(processors_that_are_online),
	    cmocka_unit_test(control_groups),
	    cmocka_unit_test(options_that_contradict),
	    cmocka_unit_test(options_of_an_older_caller),
	    cmocka_unit_test(a_recording_counts_nothing_and_says_so),
	};
	return cmocka_run_group_tests(tests, open_tree, close_tree);
}
