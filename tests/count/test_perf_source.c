/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's counters, on a machine that refuses and counts what a test says. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "count/fake_machine.h"
#include "count/frame.h"
#include "count/perf_source.h"

#define EVENTS_MOST 8

/* One source under test, with all that must outlive it. */
struct bench {
	struct fake_machine *fake;
	struct uh_event_list *list;
	struct uh_event_state states[EVENTS_MOST];
	struct uh_index_list tasks, cpus;
	struct uh_perf_target target;
	struct uh_source *source;
	struct uh_error error;
	size_t places;
};

/* `where` is "cpus 0-1" or "tasks 11,12". */
static int open_bench(struct bench *bench, const char *events, const char *where,
		      int (*refuse)(const struct fake_opening *))
{
	memset(bench, 0, sizeof(*bench));
	bench->fake = fake_machine_open(TEST_DATA "/../event/server");
	bench->fake->refuse = refuse;
	assert_int_equal(uh_event_list_parse(bench->fake->machine, events, &bench->list, NULL), 0);
	assert_true(bench->list->count <= EVENTS_MOST);
	bool tasks = !strncmp(where, "tasks ", 6);
	struct uh_index_list *list = tasks ? &bench->tasks : &bench->cpus;
	assert_int_equal(uh_index_list_parse(strchr(where, ' '), list), 0);
	bench->places = list->count;
	bench->target.tasks = tasks ? list : NULL;
	bench->target.cpus = tasks ? NULL : list;
	return uh_perf_source_new(bench->fake->machine, bench->list, &bench->target, bench->states,
				  &bench->source, &bench->error);
}

static void close_bench(struct bench *bench)
{
	if (bench->source)
		bench->source->calls->free(bench->source);
	uh_event_list_free(bench->list);
	uh_index_list_free(&bench->tasks);
	uh_index_list_free(&bench->cpus);
	fake_machine_close(bench->fake);
}

static struct uh_frame read_frame(struct bench *bench)
{
	struct uh_frame frame;
	assert_int_equal(uh_frame_init(&frame, bench->list->count, bench->places), 0);
	for (size_t i = 0; i < frame.event_count * frame.place_count; i++)
		frame.readings[i].status = UH_ABSENT;
	assert_int_equal(bench->source->calls->read(bench->source, &frame, &bench->error), 0);
	return frame;
}

static void expect_reading(const struct uh_frame *frame, size_t event, size_t place,
			   enum uh_status status, uint64_t value)
{
	const struct uh_reading *reading = uh_frame_reading(frame, event, place);
	if (reading->status != status || reading->value != value)
		fail_msg("event %zu at place %zu: %s %llu", event, place,
			 uh_status_name(reading->status), (unsigned long long)reading->value);
}

static void expect_state(const struct bench *bench, size_t event, enum uh_status status,
			 const char *reason)
{
	const struct uh_event_state *state = &bench->states[event];
	if (state->status != status || !strstr(state->reason, reason))
		fail_msg("event %zu: %s: %s", event, uh_status_name(state->status), state->reason);
}

/* ---- reading ---- */

static void values_and_times_come_to_their_places(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(open_bench(&bench, "cycles,{instructions,branches}", "cpus 0-1", NULL), 0);
	fake_count(bench.fake, 0, 1000, 1000);
	fake_find(bench.fake, 0, 0, 1)->value = 70; /* cycles on processor 1 */
	fake_find(bench.fake, 0, 4, 0)->value = 33; /* branches on processor 0 */
	fake_find(bench.fake, 0, 1, 1)->value = 90; /* instructions on processor 1 */
	fake_find(bench.fake, 0, 0, 0)->time_running = 250;
	fake_find(bench.fake, 0, 0, 0)->value = 5;
	struct uh_frame frame = read_frame(&bench);
	expect_reading(&frame, 0, 0, UH_PARTLY_COUNTED, 5);
	assert_int_equal(uh_reading_scaled(uh_frame_reading(&frame, 0, 0)), 20);
	assert_int_equal(uh_frame_reading(&frame, 0, 0)->provenance, UH_SCALED);
	expect_reading(&frame, 0, 1, UH_COUNTED, 70);
	expect_reading(&frame, 1, 1, UH_COUNTED, 90);
	expect_reading(&frame, 2, 0, UH_COUNTED, 33);
	uh_frame_free(&frame);
	close_bench(&bench);
}

static void one_place_alone(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(open_bench(&bench, "cycles,cs", "cpus 0-2", NULL), 0);
	fake_count(bench.fake, 7, 10, 10);
	struct uh_frame frame;
	assert_int_equal(uh_frame_init(&frame, 2, 3), 0);
	for (size_t i = 0; i < 6; i++)
		frame.readings[i].status = UH_ABSENT;
	assert_int_equal(uh_perf_source_read_place(bench.source, 1, &frame, NULL), 0);
	expect_reading(&frame, 0, 1, UH_COUNTED, 7);
	expect_reading(&frame, 1, 1, UH_COUNTED, 7);
	expect_reading(&frame, 0, 0, UH_ABSENT, 0);
	expect_reading(&frame, 0, 2, UH_ABSENT, 0);
	uh_frame_free(&frame);
	close_bench(&bench);
}

static void never_run_is_not_zero(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(open_bench(&bench, "cycles", "tasks 11", NULL), 0);
	fake_count(bench.fake, 0, 1000, 0);
	struct uh_frame frame = read_frame(&bench);
	expect_reading(&frame, 0, 0, UH_NOT_COUNTED, 0);
	uh_frame_free(&frame);
	fake_count(bench.fake, 5, 1000, 1001);
	frame = read_frame(&bench);
	expect_reading(&frame, 0, 0, UH_IMPLAUSIBLE, 5);
	uh_frame_free(&frame);
	close_bench(&bench);
}

/* The kernel reads nothing from a pinned event that lost its counter: no failure of reading. */
static void a_pinned_event_that_lost_its_counter(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(open_bench(&bench, "cycles:D,{instructions:D,branches}", "cpus 0", NULL),
			 0);
	fake_count(bench.fake, 7, 10, 10);
	fake_find(bench.fake, 0, 1, 0)->lost = true;
	struct uh_frame frame = read_frame(&bench);
	expect_reading(&frame, 0, 0, UH_COUNTED, 7);
	expect_reading(&frame, 1, 0, UH_NOT_COUNTED, 0);
	expect_reading(&frame, 2, 0, UH_NOT_COUNTED, 0);
	uh_frame_free(&frame);
	close_bench(&bench);
}

/* A command's counters are inherited, and then read one by one. */
static void a_pinned_event_of_a_command(void **state)
{
	(void)state;
	struct bench bench = {.fake = fake_machine_open(TEST_DATA "/../event/server")};
	assert_int_equal(uh_event_list_parse(bench.fake->machine, "cycles:D", &bench.list, NULL),
			 0);
	assert_int_equal(uh_index_list_parse("11", &bench.tasks), 0);
	bench.places = 1;
	bench.target = (struct uh_perf_target){.tasks = &bench.tasks, .inherit = true};
	assert_int_equal(uh_perf_source_new(bench.fake->machine, bench.list, &bench.target,
					    bench.states, &bench.source, NULL),
			 0);
	bench.fake->openings[0].lost = true;
	struct uh_frame frame = read_frame(&bench);
	expect_reading(&frame, 0, 0, UH_NOT_COUNTED, 0);
	uh_frame_free(&frame);
	close_bench(&bench);
}

static void a_failed_read_names_the_event(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(open_bench(&bench, "cycles", "tasks 11", NULL), 0);
	bench.fake->read_error = -EIO;
	struct uh_frame frame;
	assert_int_equal(uh_frame_init(&frame, 1, 1), 0);
	assert_int_equal(bench.source->calls->read(bench.source, &frame, &bench.error), -EIO);
	assert_non_null(strstr(bench.error.text, "cycles"));
	uh_frame_free(&frame);
	close_bench(&bench);
}

static void leaders_are_switched_and_members_follow(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(open_bench(&bench, "{cycles,instructions},branches", "cpus 0", NULL), 0);
	assert_int_equal(bench.source->calls->enable(bench.source, NULL), 0);
	assert_true(fake_find(bench.fake, 0, 0, 0)->enabled);
	assert_false(fake_find(bench.fake, 0, 1, 0)->enabled);
	assert_true(fake_find(bench.fake, 0, 4, 0)->enabled);
	assert_int_equal(bench.source->calls->disable(bench.source, NULL), 0);
	assert_false(fake_find(bench.fake, 0, 0, 0)->enabled);
	close_bench(&bench);
}

/* ---- refusals ---- */

static int no_kernel(const struct fake_opening *opening)
{
	return opening->attr.exclude_kernel ? 0 : -EACCES;
}

static void an_ordinary_user_counts_user_mode(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(
	    open_bench(&bench, "cycles,instructions:u,branches:k", "tasks 11", no_kernel), 0);
	expect_state(&bench, 0, UH_COUNTED, "");
	assert_true(bench.states[0].user_only);
	assert_false(bench.states[1].user_only);
	expect_state(&bench, 2, UH_NOT_PERMITTED, "perf_event_paranoid is 2");
	close_bench(&bench);
	/* A context switch happens in the kernel: in user mode alone there is never one. */
	assert_int_equal(open_bench(&bench, "cs,migrations,faults", "tasks 11", no_kernel), 0);
	expect_state(&bench, 0, UH_NOT_PERMITTED, "sysctl kernel.perf_event_paranoid=1");
	expect_state(&bench, 1, UH_NOT_PERMITTED, "it happens in the kernel");
	expect_state(&bench, 2, UH_COUNTED, "");
	assert_true(bench.states[2].user_only);
	close_bench(&bench);
	/* A whole processor is not made smaller silently. */
	assert_int_equal(open_bench(&bench, "cycles", "cpus 0", no_kernel), 0);
	assert_false(bench.states[0].user_only);
	expect_state(&bench, 0, UH_NOT_PERMITTED, "counting whole processors needs 0");
	close_bench(&bench);
}

static int no_cache(const struct fake_opening *opening)
{
	return opening->attr.type == PERF_TYPE_HW_CACHE ? -ENOENT : 0;
}

static void what_the_processor_lacks(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(
	    open_bench(&bench, "cycles,LLC-loads,{branches,LLC-load-misses}", "cpus 0-1", no_cache),
	    0);
	expect_state(&bench, 0, UH_COUNTED, "");
	expect_state(&bench, 1, UH_NOT_SUPPORTED, "no such event");
	expect_state(&bench, 2, UH_NOT_SUPPORTED, "its group has LLC-load-misses: ");
	expect_state(&bench, 3, UH_NOT_SUPPORTED, "no such event");
	fake_count(bench.fake, 1, 1, 1);
	struct uh_frame frame = read_frame(&bench);
	expect_reading(&frame, 0, 1, UH_COUNTED, 1);
	expect_reading(&frame, 2, 0, UH_ABSENT, 0);
	uh_frame_free(&frame);
	close_bench(&bench);
}

static int small_groups(const struct fake_opening *opening)
{
	return opening->group >= 0 ? -EINVAL : 0;
}

static void a_group_too_large(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(
	    open_bench(&bench, "{cycles,instructions},branches", "tasks 11", small_groups), 0);
	expect_state(&bench, 0, UH_NOT_SUPPORTED, "its group has instructions");
	expect_state(&bench, 1, UH_NOT_SUPPORTED, "the group does not fit");
	expect_state(&bench, 2, UH_COUNTED, "");
	close_bench(&bench);
}

static void a_weak_group_is_taken_apart(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(open_bench(&bench, "{cycles,instructions}:W", "cpus 0-1", small_groups),
			 0);
	expect_state(&bench, 0, UH_COUNTED, "");
	expect_state(&bench, 1, UH_COUNTED, "");
	fake_count(bench.fake, 3, 10, 10);
	struct uh_frame frame = read_frame(&bench);
	for (size_t event = 0; event < 2; event++)
		for (size_t place = 0; place < 2; place++)
			expect_reading(&frame, event, place, UH_COUNTED, 3);
	uh_frame_free(&frame);
	close_bench(&bench);
}

static int small_groups_later(const struct fake_opening *opening)
{
	return opening->group >= 0 && opening->cpu > 0 ? -EINVAL : 0;
}

/* What fitted on the first processor must not be counted twice. */
static void a_weak_group_that_fits_in_some_places(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(
	    open_bench(&bench, "{cycles,instructions}:W", "cpus 0-1", small_groups_later), 0);
	fake_count(bench.fake, 3, 10, 10);
	struct uh_frame frame = read_frame(&bench);
	for (size_t event = 0; event < 2; event++)
		for (size_t place = 0; place < 2; place++)
			expect_reading(&frame, event, place, UH_COUNTED, 3);
	uh_frame_free(&frame);
	close_bench(&bench);
}

static int gone_12(const struct fake_opening *opening)
{
	return opening->pid == 12 ? -ESRCH : 0;
}

static int all_gone(const struct fake_opening *opening)
{
	(void)opening;
	return -ESRCH;
}

static void tasks_that_have_gone(void **state)
{
	(void)state;
	struct bench bench;
	assert_int_equal(open_bench(&bench, "cycles,cs", "tasks 11-13", gone_12), 0);
	expect_state(&bench, 0, UH_COUNTED, "");
	fake_count(bench.fake, 1, 1, 1);
	struct uh_frame frame = read_frame(&bench);
	expect_reading(&frame, 1, 0, UH_COUNTED, 1);
	expect_reading(&frame, 1, 1, UH_ABSENT, 0);
	expect_reading(&frame, 1, 2, UH_COUNTED, 1);
	uh_frame_free(&frame);
	close_bench(&bench);
	assert_int_equal(open_bench(&bench, "cycles", "tasks 11-13", all_gone), -ESRCH);
	assert_non_null(strstr(bench.error.text, "11 has ended"));
	close_bench(&bench);
}

static struct fake_machine *limited;

static int two_descriptors(const struct fake_opening *opening)
{
	(void)opening;
	return limited && limited->count >= 2 ? -EMFILE : 0;
}

static int no_files(const struct fake_opening *opening)
{
	(void)opening;
	return -ENFILE;
}

static int no_memory(const struct fake_opening *opening)
{
	return opening->cpu == 2 ? -ENOMEM : 0;
}

/* close_bench() checks that nothing stays open. */
static void running_out(void **state)
{
	(void)state;
	struct bench bench;
	memset(&bench, 0, sizeof(bench));
	bench.fake = fake_machine_open(TEST_DATA "/../event/server");
	limited = bench.fake;
	bench.fake->refuse = two_descriptors;
	assert_int_equal(uh_event_list_parse(bench.fake->machine, "cycles", &bench.list, NULL), 0);
	assert_int_equal(uh_index_list_parse("0-3", &bench.cpus), 0);
	bench.target.cpus = &bench.cpus;
	assert_int_equal(uh_perf_source_new(bench.fake->machine, bench.list, &bench.target,
					    bench.states, &bench.source, &bench.error),
			 -EMFILE);
	limited = NULL;
	assert_non_null(strstr(bench.error.text, "1 events at 4 places"));
	assert_non_null(strstr(bench.error.text, "ulimit -n"));
	close_bench(&bench);
	assert_int_equal(open_bench(&bench, "cycles", "cpus 0", no_files), -ENFILE);
	assert_non_null(strstr(bench.error.text, "fs.file-max"));
	close_bench(&bench);
	assert_int_equal(open_bench(&bench, "cycles", "cpus 0-3", no_memory), -ENOMEM);
	close_bench(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_and_times_come_to_their_places),
	    cmocka_unit_test(one_place_alone),
	    cmocka_unit_test(never_run_is_not_zero),
	    cmocka_unit_test(a_pinned_event_that_lost_its_counter),
	    cmocka_unit_test(a_pinned_event_of_a_command),
	    cmocka_unit_test(a_failed_read_names_the_event),
	    cmocka_unit_test(leaders_are_switched_and_members_follow),
	    cmocka_unit_test(an_ordinary_user_counts_user_mode),
	    cmocka_unit_test(what_the_processor_lacks),
	    cmocka_unit_test(a_group_too_large),
	    cmocka_unit_test(a_weak_group_is_taken_apart),
	    cmocka_unit_test(a_weak_group_that_fits_in_some_places),
	    cmocka_unit_test(tasks_that_have_gone),
	    cmocka_unit_test(running_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
