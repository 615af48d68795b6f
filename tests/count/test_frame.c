/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <string.h>

#include "count/frame.h"

static struct uh_reading reading(uint64_t value, uint64_t enabled, uint64_t running)
{
	struct uh_reading result = {.value = value, .enabled = enabled, .running = running};
	uh_reading_judge(&result);
	return result;
}

static void judging(void **state)
{
	(void)state;
	static const struct {
		uint64_t enabled, running;
		enum uh_status status;
		enum uh_provenance provenance;
	} rows[] = {
	    {10, 10, UH_COUNTED, UH_MEASURED},     {10, 9, UH_PARTLY_COUNTED, UH_SCALED},
	    {10, 0, UH_NOT_COUNTED, UH_MEASURED},  {0, 0, UH_NOT_COUNTED, UH_MEASURED},
	    {10, 11, UH_IMPLAUSIBLE, UH_MEASURED},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_reading result = reading(1, rows[i].enabled, rows[i].running);
		assert_int_equal(result.status, rows[i].status);
		assert_int_equal(result.provenance, rows[i].provenance);
	}
}

static void scaling(void **state)
{
	(void)state;
	static const struct {
		uint64_t value, enabled, running, scaled;
	} rows[] = {
	    {7, 10, 10, 7},
	    {7, 0, 0, 7},
	    {7, 10, 0, 0},
	    {7, 10, 5, 14},
	    {1, 3, 2, 2},  /* 1.5 goes up */
	    {1, 10, 7, 1}, /* 1.43 goes down */
	    {1ull << 60, 3, 2, 3ull << 59},
	    {9007199254740993, 4, 2, 18014398509481986}, /* a double would lose the last digit */
	    {UINT64_MAX, 4, 4, UINT64_MAX},
	    {UINT64_MAX, 4, 2, UINT64_MAX},
	    {UINT64_MAX, UINT64_MAX, 1, UINT64_MAX},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_reading one = reading(rows[i].value, rows[i].enabled, rows[i].running);
		assert_int_equal(uh_reading_scaled(&one), rows[i].scaled);
	}
}

static void between_two_readings(void **state)
{
	(void)state;
	struct uh_reading before = reading(100, 1000, 1000);
	struct uh_reading now = reading(150, 3000, 2000);
	struct uh_reading delta = uh_reading_between(&before, &now);
	assert_int_equal(delta.value, 50);
	assert_int_equal(delta.enabled, 2000);
	assert_int_equal(delta.running, 1000);
	assert_int_equal(delta.status, UH_PARTLY_COUNTED);
	assert_int_equal(delta.provenance, UH_SCALED);
	now = reading(150, 3000, 1000);
	assert_int_equal(uh_reading_between(&before, &now).status, UH_NOT_COUNTED);
	now = reading(150, 2000, 2000);
	assert_int_equal(uh_reading_between(&before, &now).status, UH_COUNTED);
	now = reading(99, 2000, 2000);
	assert_int_equal(uh_reading_between(&before, &now).status, UH_IMPLAUSIBLE);
	now = reading(150, 900, 900);
	assert_int_equal(uh_reading_between(&before, &now).status, UH_IMPLAUSIBLE);
	now.status = UH_NOT_SUPPORTED;
	assert_int_equal(uh_reading_between(&before, &now).status, UH_NOT_SUPPORTED);
}

static void emulated_readings_keep_their_provenance(void **state)
{
	(void)state;
	struct uh_reading before = reading(100, 10, 10);
	struct uh_reading now = reading(130, 20, 20);
	now.provenance = UH_MODELLED;
	struct uh_reading delta = uh_reading_between(&before, &now);
	assert_int_equal(delta.value, 30);
	assert_int_equal(delta.provenance, UH_MODELLED);
	assert_int_equal(delta.status, UH_COUNTED);
}

static void adding(void **state)
{
	(void)state;
	const struct uh_reading counted = reading(5, 10, 10);
	const struct uh_reading partly = reading(5, 10, 5);
	const struct uh_reading never = reading(0, 10, 0);
	const struct uh_reading asleep = reading(0, 0, 0);
	const struct uh_reading refused = {.status = UH_NOT_PERMITTED};
	const struct uh_reading modelled = {
	    .value = 1, .enabled = 1, .running = 1, .provenance = UH_MODELLED};
	const struct {
		const struct uh_reading *a, *b;
		uint64_t value, enabled, running;
		enum uh_status status;
		enum uh_provenance provenance;
	} rows[] = {
	    {&counted, &counted, 10, 20, 20, UH_COUNTED, UH_MEASURED},
	    {&counted, &partly, 10, 20, 15, UH_PARTLY_COUNTED, UH_SCALED},
	    {&counted, &never, 5, 20, 10, UH_PARTLY_COUNTED, UH_SCALED},
	    {&counted, &asleep, 5, 10, 10, UH_COUNTED, UH_MEASURED},
	    {&counted, &refused, 5, 10, 10, UH_COUNTED, UH_MEASURED},
	    {&counted, &modelled, 6, 11, 11, UH_COUNTED, UH_MODELLED},
	    {&never, &asleep, 0, 10, 0, UH_NOT_COUNTED, UH_MEASURED},
	    {&never, &refused, 0, 10, 0, UH_NOT_PERMITTED, UH_MEASURED},
	};
	/* Neither order may tell another story. */
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_reading sum = i % 2 ? *rows[i / 2].b : *rows[i / 2].a;
		uh_reading_add(&sum, i % 2 ? rows[i / 2].a : rows[i / 2].b);
		if (sum.status != rows[i / 2].status)
			fail_msg("row %zu, order %zu: %s", i / 2, i % 2,
				 uh_status_name(sum.status));
		assert_int_equal(sum.value, rows[i / 2].value);
		assert_int_equal(sum.enabled, rows[i / 2].enabled);
		assert_int_equal(sum.running, rows[i / 2].running);
		assert_int_equal(sum.provenance, rows[i / 2].provenance);
	}
}

/* Four processors: two sockets of one core with two threads each; the event of row 1 is a socket's.
 */
static struct uh_processor processors[] = {
    {.cpu = 0, .core = 0, .socket = 0, .node = 0},
    {.cpu = 1, .core = 0, .socket = 1, .node = 1},
    {.cpu = 2, .core = 0, .socket = 0, .node = 0},
    {.cpu = 3, .core = 0, .socket = 1, .node = 1},
};
static const struct uh_topology topology = {processors, 4};

static struct uh_frame four_processors(void)
{
	struct uh_frame frame;
	assert_int_equal(uh_frame_init(&frame, 2, 4), 0);
	frame.time = 123;
	frame.spread = 4;
	for (int cpu = 0; cpu < 4; cpu++) {
		frame.places[cpu] =
		    (struct uh_place){.kind = UH_PLACE_CPU, .cpu = cpu, .members = 1};
		frame.readings[cpu] = reading(1u << cpu, 10, 10);
		frame.readings[4 + cpu].status = UH_ABSENT;
	}
	frame.readings[4] = reading(50, 10, 10);
	return frame;
}

static void folding_by_socket(void **state)
{
	(void)state;
	struct uh_frame frame = four_processors();
	struct uh_frame folded;
	assert_int_equal(uh_frame_fold(&frame, UH_PLACE_SOCKET, &topology, &folded), 0);
	assert_int_equal(folded.place_count, 2);
	assert_int_equal(folded.time, 123);
	assert_int_equal(folded.spread, 4);
	assert_int_equal(folded.places[1].kind, UH_PLACE_SOCKET);
	assert_int_equal(folded.places[1].socket, 1);
	assert_int_equal(folded.places[1].members, 2);
	assert_int_equal(uh_frame_reading(&folded, 0, 0)->value, 1 + 4);
	assert_int_equal(uh_frame_reading(&folded, 0, 1)->value, 2 + 8);
	assert_int_equal(uh_frame_reading(&folded, 1, 0)->value, 50);
	assert_int_equal(uh_frame_reading(&folded, 1, 1)->status, UH_ABSENT);
	uh_frame_free(&folded);
	uh_frame_free(&frame);
}

static void folding_otherwise(void **state)
{
	(void)state;
	static const struct {
		enum uh_place_kind kind;
		size_t places;
		uint64_t first;
	} rows[] = {{UH_PLACE_TOTAL, 1, 15},
		    {UH_PLACE_CPU, 4, 1},
		    {UH_PLACE_CORE, 2, 5},
		    {UH_PLACE_DIE, 2, 5},
		    {UH_PLACE_NODE, 2, 5}};
	struct uh_frame frame = four_processors();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_frame folded;
		assert_int_equal(uh_frame_fold(&frame, rows[i].kind, &topology, &folded), 0);
		assert_int_equal(folded.place_count, rows[i].places);
		assert_int_equal(uh_frame_reading(&folded, 0, 0)->value, rows[i].first);
		assert_int_equal(uh_frame_reading(&folded, 1, 0)->value, 50);
		uh_frame_free(&folded);
	}
	uh_frame_free(&frame);
}

static void between_frames_a_thread_may_be_born(void **state)
{
	(void)state;
	struct uh_frame before;
	struct uh_frame now;
	struct uh_frame delta;
	assert_int_equal(uh_frame_init(&before, 2, 1), 0);
	assert_int_equal(uh_frame_init(&now, 2, 2), 0);
	for (size_t event = 0; event < 2; event++) {
		before.readings[event] = reading(10, 10, 10);
		now.readings[2 * event] = reading(15, 20, 20);
		now.readings[2 * event + 1] = reading(7, 5, 5);
	}
	assert_int_equal(uh_frame_between(&before, &now, &delta), 0);
	for (size_t event = 0; event < 2; event++) {
		assert_int_equal(uh_frame_reading(&delta, event, 0)->value, 5);
		assert_int_equal(uh_frame_reading(&delta, event, 1)->value, 7);
	}
	uh_frame_free(&delta);
	uh_frame_free(&before);
	uh_frame_free(&now);
}

static void empty_frames_and_names(void **state)
{
	(void)state;
	struct uh_frame frame;
	struct uh_frame folded;
	assert_int_equal(uh_frame_init(&frame, 0, 0), 0);
	assert_int_equal(uh_frame_fold(&frame, UH_PLACE_TOTAL, NULL, &folded), 0);
	assert_int_equal(folded.place_count, 0);
	uh_frame_free(&folded);
	uh_frame_free(&frame);
	assert_int_equal(uh_frame_init(&frame, SIZE_MAX / 2, 1 << 20), -12);
	assert_string_equal(uh_status_name(UH_NOT_PERMITTED), "not permitted");
	assert_string_equal(uh_status_name(UH_ABSENT), "absent");
	assert_string_equal(uh_provenance_name(UH_MODELLED), "modelled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(judging),
	    cmocka_unit_test(scaling),
	    cmocka_unit_test(between_two_readings),
	    cmocka_unit_test(emulated_readings_keep_their_provenance),
	    cmocka_unit_test(adding),
	    cmocka_unit_test(folding_by_socket),
	    cmocka_unit_test(folding_otherwise),
	    cmocka_unit_test(between_frames_a_thread_may_be_born),
	    cmocka_unit_test(empty_frames_and_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
