/* SPDX-License-Identifier: BSD-3-Clause */
/* What a reading means beside the others of its run. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "count/frame.h"
#include "event/event.h"
#include "metric/figure.h"

#define EVENTS_MOST 8

/* Events, their readings at one place, and the figures made of them. */
struct page {
	struct uh_machine *machine;
	struct uh_event_list *events;
	struct uh_event_state states[EVENTS_MOST];
	struct uh_frame frame;
	struct uh_sample samples[EVENTS_MOST];
	struct uh_figure figures[EVENTS_MOST];
	size_t count;
};

static void open_page(struct page *page, const char *events)
{
	memset(page, 0, sizeof(*page));
	assert_int_equal(
	    uh_machine_open_recorded(TEST_DATA "/../event/server", &page->machine, NULL), 0);
	assert_int_equal(uh_event_list_parse(page->machine, events, &page->events, NULL), 0);
	assert_true(page->events->count <= EVENTS_MOST);
	assert_int_equal(uh_frame_init(&page->frame, page->events->count, 1), 0);
}

static void set(struct page *page, size_t event, uint64_t value, uint64_t enabled, uint64_t running)
{
	struct uh_reading *reading = &page->frame.readings[event];
	*reading = (struct uh_reading){.value = value, .enabled = enabled, .running = running};
	uh_reading_judge(reading);
}

static void make(struct page *page, uint64_t elapsed, bool repeated)
{
	const struct uh_figures_input input = {
	    .events = page->events,
	    .states = page->states,
	    .frame = &page->frame,
	    .samples = repeated ? page->samples : NULL,
	    .elapsed = elapsed,
	};
	page->count = uh_figures_make(&input, page->figures);
}

static void close_page(struct page *page)
{
	uh_frame_free(&page->frame);
	uh_event_list_free(page->events);
	uh_machine_free(page->machine);
}

static void expect_derived(const struct page *page, size_t index, double value, char scale,
			   const char *unit)
{
	const struct uh_derived *derived = &page->figures[index].derived;
	if (!derived->known || fabs(derived->value - value) > 1e-9 * fabs(value) ||
	    derived->scale != scale || strcmp(derived->unit, unit) != 0)
		fail_msg("%s: %g %c %s", page->figures[index].event->name, derived->value,
			 derived->scale ? derived->scale : '-', derived->unit);
}

static void as_perf_derives_them(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "task-clock,cycles,instructions,branches,branch-misses,page-faults,cs");
	set(&page, 0, 500000000, 10, 10);
	set(&page, 1, 1500000000, 10, 10);
	set(&page, 2, 3000000000, 10, 10);
	set(&page, 3, 400, 10, 10);
	set(&page, 4, 10, 10, 10);
	set(&page, 5, 600000, 10, 10);
	set(&page, 6, 0, 10, 10);
	make(&page, 1000000000, false);
	assert_int_equal(page.count, 7);
	assert_true(page.figures[0].value == 500); /* milliseconds */
	expect_derived(&page, 0, 0.5, 0, "CPUs utilized");
	expect_derived(&page, 1, 3, 0, "GHz");
	expect_derived(&page, 2, 2, 0, "insn per cycle");
	expect_derived(&page, 3, 800, 0, "/sec");
	expect_derived(&page, 4, 2.5, 0, "of all branches");
	assert_true(page.figures[4].derived.percent);
	assert_false(page.figures[2].derived.percent);
	expect_derived(&page, 5, 1.2, 'M', "/sec");
	expect_derived(&page, 6, 0, 0, "/sec");
	close_page(&page);
}

static void rates_take_their_letter_at_a_thousand(void **state)
{
	(void)state;
	static const struct {
		uint64_t count;
		double value;
		char letter;
	} rows[] = {{999, 999, 0},     {1000, 1, 'K'},       {999999, 999.999, 'K'},
		    {1000000, 1, 'M'}, {1000000000, 1, 'G'}, {5000000000000, 5000, 'G'}};
	struct page page;
	open_page(&page, "page-faults,task-clock");
	set(&page, 1, 1000000000, 10, 10);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set(&page, 0, rows[i].count, 10, 10);
		make(&page, 1, false);
		expect_derived(&page, 0, rows[i].value, rows[i].letter, "/sec");
	}
	close_page(&page);
}

static void multiplexed_counts_are_scaled_and_say_so(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "cycles,instructions");
	set(&page, 0, 100, 40, 10);
	set(&page, 1, 100, 40, 20);
	make(&page, 1, false);
	assert_true(page.figures[0].value == 400 && page.figures[0].count == 400);
	assert_int_equal(page.figures[0].provenance, UH_SCALED);
	assert_true(uh_figure_percent_running(&page.figures[0]) == 25);
	expect_derived(&page, 1, 0.5, 0, "insn per cycle");
	assert_int_equal(page.figures[1].derived.status, UH_PARTLY_COUNTED);
	assert_int_equal(page.figures[1].derived.provenance, UH_SCALED);
	close_page(&page);
}

/* A derived value is no better than the worst of its inputs. */
static void the_worst_status_is_inherited(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "cycles,instructions");
	set(&page, 0, 100, 40, 10);
	set(&page, 1, 100, 40, 40);
	make(&page, 1, false);
	assert_int_equal(page.figures[1].status, UH_COUNTED);
	assert_int_equal(page.figures[1].derived.status, UH_PARTLY_COUNTED);
	assert_int_equal(page.figures[1].derived.provenance, UH_SCALED);
	page.frame.readings[0].provenance = page.frame.readings[1].provenance = UH_EMULATED;
	page.frame.readings[0].provenance = UH_MODELLED;
	make(&page, 1, false);
	assert_int_equal(page.figures[1].derived.provenance, UH_MODELLED);
	close_page(&page);
}

static void nothing_is_derived_from_what_was_not_counted(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "cycles,instructions,task-clock");
	for (int status = UH_NOT_COUNTED; status < UH_ABSENT; status++) {
		set(&page, 1, 100, 10, 10);
		set(&page, 2, 100, 10, 10);
		page.frame.readings[0] =
		    (struct uh_reading){.value = 9, .status = (enum uh_status)status};
		page.frame.readings[2].status = (enum uh_status)status;
		make(&page, 1, false);
		assert_int_equal(page.count, 3);
		assert_false(page.figures[0].derived.known);
		assert_false(page.figures[1].derived.known);
		assert_non_null(uh_figure_missing(&page.figures[0]));
		assert_true(uh_figure_percent_running(&page.figures[0]) == 0);
		assert_null(uh_figure_missing(&page.figures[1]));
	}
	assert_string_equal(uh_figure_missing(&page.figures[0]), "<implausible>");
	close_page(&page);
}

static void dividing_by_nothing(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "cycles,instructions,task-clock");
	set(&page, 0, 0, 10, 10);
	set(&page, 1, 7, 10, 10);
	set(&page, 2, 0, 10, 10);
	make(&page, 0, false);
	for (size_t i = 0; i < 3; i++)
		assert_false(page.figures[i].derived.known);
	close_page(&page);
}

/* Emulated counts say nothing about the emulator's own time, nor about the machine's counters. */
static void runs_are_not_mixed(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "task-clock,cycles,instructions,page-faults");
	for (size_t i = 0; i < 4; i++)
		set(&page, i, 1000, 10, 10);
	page.frame.readings[1].provenance = UH_MODELLED;
	page.frame.readings[2].provenance = UH_EMULATED;
	make(&page, 1000, false);
	assert_false(page.figures[1].derived.known); /* no GHz */
	expect_derived(&page, 2, 1, 0, "insn per cycle");
	expect_derived(&page, 3, 1, 'G', "/sec");
	page.frame.readings[1].provenance = UH_MEASURED;
	make(&page, 1000, false);
	assert_false(page.figures[2].derived.known);
	close_page(&page);
}

/* User mode's instructions are not divided by the cycles of both modes. */
static void modes_are_not_mixed(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "cycles,instructions:u,cycles:u");
	set(&page, 0, 1000, 10, 10);
	set(&page, 1, 100, 10, 10);
	set(&page, 2, 50, 10, 10);
	make(&page, 1, false);
	expect_derived(&page, 1, 2, 0, "insn per cycle");
	close_page(&page);
}

static void repeated_runs_are_means_throughout(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "cycles,instructions");
	const double cycles[] = {100, 300};
	const double instructions[] = {400, 600};
	for (size_t i = 0; i < 2; i++) {
		uh_sample_add(&page.samples[0], cycles[i]);
		uh_sample_add(&page.samples[1], instructions[i]);
	}
	set(&page, 0, 300, 10, 10);
	set(&page, 1, 600, 10, 10);
	make(&page, 1, true);
	assert_true(page.figures[0].repeated && page.figures[0].value == 200);
	assert_true(fabs(page.figures[0].relative_error - 0.5) < 1e-12);
	/* 500 / 200, not the last run's 600 / 300 */
	expect_derived(&page, 1, 2.5, 0, "insn per cycle");
	close_page(&page);
}

static void absent_readings_are_left_out(void **state)
{
	(void)state;
	struct page page;
	open_page(&page, "cycles,cs");
	set(&page, 0, 1, 10, 10);
	page.frame.readings[1].status = UH_ABSENT;
	make(&page, 1, false);
	assert_int_equal(page.count, 1);
	close_page(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_perf_derives_them),
	    cmocka_unit_test(rates_take_their_letter_at_a_thousand),
	    cmocka_unit_test(multiplexed_counts_are_scaled_and_say_so),
	    cmocka_unit_test(the_worst_status_is_inherited),
	    cmocka_unit_test(nothing_is_derived_from_what_was_not_counted),
	    cmocka_unit_test(dividing_by_nothing),
	    cmocka_unit_test(runs_are_not_mixed),
	    cmocka_unit_test(modes_are_not_mixed),
	    cmocka_unit_test(repeated_runs_are_means_throughout),
	    cmocka_unit_test(absent_readings_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
