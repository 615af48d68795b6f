/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms of a page, beside what perf prints, and with names from hostile hands. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count/frame.h"
#include "event/event.h"
#include "render/stat.h"

#define LINES_MOST 32

/* One figure with all that it points to. */
struct line {
	struct uh_event event;
	struct uh_event_state state;
	struct uh_place place;
};

static struct line lines[LINES_MOST];
static struct uh_figure figures[LINES_MOST];

static struct uh_figure *figure(size_t index, const char *name, uint64_t count)
{
	struct line *line = &lines[index];
	memset(line, 0, sizeof(*line));
	line->event.name = (char *)(uintptr_t)name;
	line->event.scale = 1;
	line->place.members = 1;
	figures[index] = (struct uh_figure){.event = &line->event,
					    .state = &line->state,
					    .place = &line->place,
					    .count = count,
					    .value = (double)count,
					    .enabled = 1000,
					    .running = 1000,
					    .derived = {.unit = ""}};
	return &figures[index];
}

static const struct uh_stat_style plain = {.separator = ",", .big_numbers = true};

typedef void (*render)(const struct uh_stat_style *style, const struct uh_figure *figures,
		       size_t count, struct uh_text *out);

static void expect(render form, const struct uh_stat_style *style, size_t count, const char *wanted)
{
	struct uh_text out = {0};
	form(style, figures, count, &out);
	assert_false(out.failed);
	assert_string_equal(out.data, wanted);
	uh_text_free(&out);
}

/* ---- beside perf ---- */

static char perf_line[LINES_MOST][512];

static size_t perf_lines(const char *name)
{
	char path[256];
	size_t count = 0;
	(void)snprintf(path, sizeof(path), TEST_DATA "/perf/%s", name);
	FILE *stream = fopen(path, "r");
	assert_non_null(stream);
	while (count < LINES_MOST && fgets(perf_line[count], sizeof(perf_line[0]), stream))
		count++;
	(void)fclose(stream);
	assert_true(count > 0);
	return count;
}

/* Cells of a line of CSV; commas inside cells do not occur in what perf printed. */
static size_t cells_of(char *line, char *cells[16])
{
	size_t count = 0;
	line[strcspn(line, "\n")] = '\0';
	while (line && count < 16)
		cells[count++] = strsep(&line, ",");
	return count;
}

/*
 * Makes the figure that a line of perf's stands for and wants the same line of ours. What perf
 * never counted it calls counted for 100 %: there, and only there, we differ.
 */
static void expect_perf_line(const struct uh_stat_style *style, const char *text)
{
	char copy[512];
	char wanted[600];
	char *cells[16];
	(void)snprintf(copy, sizeof(copy), "%s", text);
	size_t count = cells_of(copy, cells);
	size_t first = style->interval ? 1 : 0;
	size_t after = first + 3 + (style->repeated ? 1 : 0);
	assert_int_equal(count, after + 4);
	bool missing = cells[first][0] == '<';
	struct uh_figure *made = figure(0, cells[first + 2], 0);
	made->running = made->enabled = strtoull(cells[after], NULL, 10);
	made->value = missing ? 0 : strtod(cells[first], NULL);
	made->count = (uint64_t)made->value;
	made->status = missing ? UH_NOT_SUPPORTED : UH_COUNTED;
	(void)snprintf(lines[0].event.unit, UH_EVENT_UNIT, "%s", cells[first + 1]);
	if (cells[first + 1][0])
		lines[0].event.scale = 1e-6;
	if (style->repeated) {
		made->repeated = true;
		made->relative_error = strtod(cells[first + 3], NULL) / 100;
	}
	made->derived.known = cells[after + 2][0] != '\0';
	made->derived.value = strtod(cells[after + 2], NULL);
	const char *unit = cells[after + 3];
	bool lettered = unit[0] && strchr("KMG", unit[0]) && unit[1] == '/';
	made->derived.scale = lettered ? unit[0] : '\0';
	made->derived.unit = lettered ? unit + 1 : unit;
	(void)snprintf(wanted, sizeof(wanted), "%s", text);
	char *percent = missing ? strstr(wanted, ",100.00,") : NULL;
	if (percent)
		memmove(percent + 1, percent + 3, strlen(percent + 3) + 1);
	expect(uh_stat_csv, style, 1, wanted);
}

static void the_columns_of_perf(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct uh_stat_style style;
	} rows[] = {
	    {"csv", {.separator = ","}},
	    {"repeat-csv", {.separator = ",", .repeated = true}},
	    {"interval-csv", {.separator = ",", .interval = true}},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t count = perf_lines(rows[i].name);
		for (size_t j = 0; j < count; j++) {
			struct uh_stat_style style = rows[i].style;
			style.time = strtod(perf_line[j], NULL);
			expect_perf_line(&style, perf_line[j]);
		}
	}
}

/* Every key of perf's line stands in ours, in the same order. */
static void expect_perf_keys(const struct uh_stat_style *style, const char *perf)
{
	struct uh_text out = {0};
	uh_stat_json(style, figures, 1, &out);
	const char *ours = out.data;
	size_t keys = 0;
	for (const char *key = strstr(perf, "\""); key; key = strstr(key, "\"")) {
		const char *end = strchr(key + 1, '"') + 1;
		char wanted[64];
		(void)snprintf(wanted, sizeof(wanted), "%.*s :", (int)(end - key), key);
		if (end[0] == ' ' && end[1] == ':') {
			const char *found = strstr(ours, wanted);
			if (!found)
				fail_msg("no %s behind %s", wanted, ours);
			ours = found;
			keys++;
		}
		key = end;
	}
	assert_true(keys >= 7);
	uh_text_free(&out);
}

static void the_keys_of_perf(void **state)
{
	(void)state;
	assert_true(perf_lines("json") > 0);
	figure(0, "task-clock", 5);
	expect_perf_keys(&plain, perf_line[0]);
	assert_true(perf_lines("per-socket-json") > 0);
	figure(0, "task-clock", 5);
	lines[0].place.kind = UH_PLACE_SOCKET;
	const struct uh_stat_style socket = {.places = UH_PLACE_SOCKET, .separator = ","};
	expect_perf_keys(&socket, perf_line[0]);
}

/* ---- headers ---- */

static void the_header_has_a_name_for_every_cell(void **state)
{
	(void)state;
	for (int kind = UH_PLACE_TOTAL; kind <= UH_PLACE_THREAD; kind++) {
		for (int bits = 0; bits < 4; bits++) {
			struct uh_stat_style style = {.places = (enum uh_place_kind)kind,
						      .interval = bits & 1,
						      .repeated = bits & 2,
						      .separator = ";"};
			figure(0, "cs", 1);
			lines[0].place.kind = (enum uh_place_kind)kind;
			struct uh_text header = {0};
			struct uh_text line = {0};
			uh_stat_csv_header(&style, &header);
			uh_stat_csv(&style, figures, 1, &line);
			assert_memory_equal(header.data, "# ", 2);
			size_t names = 0;
			size_t cells = 0;
			for (const char *c = header.data; *c; c++)
				names += *c == ';';
			for (const char *c = line.data; *c; c++)
				cells += *c == ';';
			assert_int_equal(names, cells);
			uh_text_free(&header);
			uh_text_free(&line);
		}
	}
}

/* ---- values ---- */

static void large_counts_keep_every_digit(void **state)
{
	(void)state;
	figure(0, "cycles", 18446744073709551615u);
	expect(uh_stat_csv, &plain, 1, "18446744073709551615,,cycles,1000,100.00,,\n");
	figure(0, "cycles", 9007199254740993);
	struct uh_text out = {0};
	uh_stat_json(&plain, figures, 1, &out);
	assert_non_null(strstr(out.data, "\"counter-value\" : 9007199254740993,"));
	uh_text_clear(&out);
	uh_stat_text(&plain, figures, 1, &out);
	assert_non_null(strstr(out.data, "9,007,199,254,740,993 "));
	uh_text_free(&out);
}

static void thousands(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *text;
	} rows[] = {
	    {0, "0"},         {999, "999"},        {1000, "1,000"},    {-1000, "-1,000"},
	    {-100, "-100"},   {123456, "123,456"}, {1e6, "1,000,000"}, {1.5e9, "1,500,000,000"},
	    {1e300, "1e+300"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_text out = {0};
		uh_text_grouped(&out, rows[i].value);
		assert_string_equal(out.data, rows[i].text);
		uh_text_free(&out);
	}
}

static void missing_values_are_never_zero(void **state)
{
	(void)state;
	struct uh_figure *missing = figure(0, "cycles", 0);
	missing->status = UH_NOT_PERMITTED;
	missing->running = 0;
	(void)snprintf(lines[0].state.reason, UH_REASON_SIZE, "ask \"root\"");
	(void)snprintf(lines[0].event.unit, UH_EVENT_UNIT, "msec");
	expect(uh_stat_csv, &plain, 1, "<not permitted>,,cycles,0,0.00,,\n");
	expect(uh_stat_json, &plain, 1,
	       "{\"counter-value\" : null, \"unit\" : \"\", \"event\" : \"cycles\", "
	       "\"event-runtime\" : 0, \"pcnt-running\" : 0.00, \"metric-value\" : null, "
	       "\"metric-unit\" : \"\", \"status\" : \"not permitted\", "
	       "\"reason\" : \"ask \\\"root\\\"\", \"enabled\" : 1000, \"running\" : 0}\n");
	expect(uh_stat_text, &plain, 1, "   <not permitted>      cycles\n");
}

static void people_see_percent_and_provenance(void **state)
{
	(void)state;
	struct uh_figure *shown = figure(0, "branch-misses", 12345);
	shown->provenance = UH_MODELLED;
	shown->status = UH_PARTLY_COUNTED;
	shown->enabled = 4000;
	shown->derived = (struct uh_derived){
	    .known = true, .percent = true, .value = 12.319, .unit = "of all branches"};
	const struct uh_stat_style style = {
	    .separator = ",", .big_numbers = true, .provenance = true};
	expect(
	    uh_stat_text, &style, 1,
	    "            12,345      branch-misses                    modelled  #   12.32% of all "
	    "branches  (25.00%)\n");
}

static void the_name_tells_of_user_mode(void **state)
{
	(void)state;
	static const struct {
		const char *name, *shown;
	} rows[] = {{"cycles", "cycles:u"},
		    {"cycles:p", "cycles:pu"},
		    {"cpu/event=1/", "cpu/event=1/u"},
		    {"cpu/event=1/p", "cpu/event=1/pu"}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_text out = {0};
		figure(0, rows[i].name, 1);
		lines[0].state.user_only = true;
		uh_figure_name(&figures[0], &out);
		assert_string_equal(out.data, rows[i].shown);
		uh_text_free(&out);
	}
	figure(0, "cpu/a=1,b=2/", 1);
	lines[0].state.user_only = true;
	expect(uh_stat_csv, &plain, 1, "1,,\"cpu/a=1,b=2/u\",1000,100.00,,\n");
}

/* ---- hostile names ---- */

#define ESCAPE "\033[2J"

static void hostile_names(void **state)
{
	(void)state;
	struct uh_figure *evil = figure(0, "a" ESCAPE "\"b,\n\xff", 1);
	evil->derived.known = false;
	(void)snprintf(lines[0].event.unit, UH_EVENT_UNIT, ESCAPE "u,\"");
	(void)snprintf(lines[0].place.name, sizeof(lines[0].place.name), "t" ESCAPE "\"\xc2\x9b,");
	lines[0].place.kind = UH_PLACE_THREAD;
	lines[0].place.thread = 7;
	const struct uh_stat_style style = {.places = UH_PLACE_THREAD, .separator = ","};
	expect(uh_stat_csv, &style, 1,
	       "\"t?[2J\"\"?,-7\",1,\"?[2Ju,\"\"\",\"a?[2J\"\"b,??\",1000,100.00,,\n");
	struct uh_text out = {0};
	uh_stat_json(&style, figures, 1, &out);
	assert_non_null(strstr(out.data, "\"event\" : \"a\\u001b[2J\\\"b,\\u000a\\ufffd\""));
	assert_non_null(strstr(out.data, "\"unit\" : \"\\u001b[2Ju,\\\"\""));
	uh_text_clear(&out);
	uh_stat_text(&style, figures, 1, &out);
	uh_stat_wide_header(&style, figures, 1, false, &out);
	uh_stat_wide_header(&style, figures, 1, true, &out);
	assert_null(strchr(out.data, '\033'));
	assert_null(strchr(out.data, '\xff'));
	assert_non_null(strstr(out.data, "\"t?[2J\"\"?,-7 a?[2J\"\"b,?? (?[2Ju,\"\")\""));
	uh_text_free(&out);
}

static void separators_of_any_kind(void **state)
{
	(void)state;
	struct uh_stat_style style = {.separator = "::"};
	figure(0, "a::b", 1);
	expect(uh_stat_csv, &style, 1, "1::::\"a::b\"::1000::100.00::::\n");
	style.separator = "\t";
	expect(uh_stat_csv, &style, 1, "1\t\ta::b\t1000\t100.00\t\t\n");
}

/* ---- the wide form ---- */

static void a_row_an_interval(void **state)
{
	(void)state;
	struct uh_stat_style style = {.separator = ",", .interval = true, .time = 1.5};
	figure(0, "cycles", 123);
	figure(1, "task-clock", 0)->value = 12.345678;
	lines[1].event.scale = 1e-6;
	(void)snprintf(lines[1].event.unit, UH_EVENT_UNIT, "msec");
	figure(2, "cs", 0)->status = UH_NOT_COUNTED;
	struct uh_text out = {0};
	uh_stat_wide_header(&style, figures, 3, false, &out);
	uh_stat_wide(&style, figures, 3, false, &out);
	assert_string_equal(out.data, "# time,\"cycles\",\"task-clock (msec)\",\"cs\"\n"
				      "1.500000,123,12.3457,\n");
	uh_text_clear(&out);
	uh_stat_wide_header(&style, figures, 3, true, &out);
	uh_stat_wide(&style, figures, 3, true, &out);
	assert_string_equal(
	    out.data,
	    "{\"schema\" : 1, \"columns\" : [\"cycles\", \"task-clock (msec)\", \"cs\"]}\n"
	    "{\"interval\" : 1.500000, \"values\" : [123,12.3457,null]}\n");
	uh_text_free(&out);
}

/* A day of a large machine: 16 bytes a value hold counts up to a thousand billion an interval. */
static void at_most_sixteen_bytes_a_value(void **state)
{
	(void)state;
	struct uh_stat_style style = {.separator = ",", .interval = true, .time = 86400.123456};
	for (size_t i = 0; i < LINES_MOST; i++)
		figure(i, "cycles", 999999999999);
	for (int json = 0; json < 2; json++) {
		struct uh_text out = {0};
		uh_stat_wide(&style, figures, LINES_MOST, json, &out);
		assert_true(out.length <= (size_t)16 * LINES_MOST);
		uh_text_free(&out);
	}
}

static void places_have_names(void **state)
{
	(void)state;
	const struct uh_place place = {
	    .cpu = 3, .core = 2, .die = 1, .socket = 4, .node = 5, .thread = 9, .name = "sh"};
	static const char *const names[] = {"", "CPU3", "S4-D1-C2", "S4-D1", "S4", "N5", "sh-9"};
	for (int kind = UH_PLACE_TOTAL; kind <= UH_PLACE_THREAD; kind++) {
		struct uh_place one = place;
		struct uh_text out = {0};
		one.kind = (enum uh_place_kind)kind;
		uh_text_string(&out, "");
		uh_place_text(&one, &out);
		assert_string_equal(out.data, names[kind]);
		uh_text_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_columns_of_perf),
	    cmocka_unit_test(the_keys_of_perf),
	    cmocka_unit_test(the_header_has_a_name_for_every_cell),
	    cmocka_unit_test(large_counts_keep_every_digit),
	    cmocka_unit_test(thousands),
	    cmocka_unit_test(missing_values_are_never_zero),
	    cmocka_unit_test(people_see_percent_and_provenance),
	    cmocka_unit_test(the_name_tells_of_user_mode),
	    cmocka_unit_test(hostile_names),
	    cmocka_unit_test(separators_of_any_kind),
	    cmocka_unit_test(a_row_an_interval),
	    cmocka_unit_test(at_most_sixteen_bytes_a_value),
	    cmocka_unit_test(places_have_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
