/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's description of its PMUs, and what no kernel would write. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "event/sysfs.h"

static struct uh_machine *machine_of(const char *root)
{
	struct uh_machine *machine = NULL;
	assert_int_equal(uh_machine_open_recorded(root, &machine, NULL), 0);
	return machine;
}

static void placing_bits(void **state)
{
	(void)state;
	static const struct {
		const char *format;
		uint64_t value, config;
		int status;
	} rows[] = {
	    {"config:0-7", 0xc2, 0xc2, 0},
	    {"config:8-15", 0xff, 0xff00, 0},
	    {"config:0-63", UINT64_MAX, UINT64_MAX, 0},
	    {"config:0-7,21", 0x1ff, 0x2000ff, 0},
	    {"config:8-15,32-55", 0xabcdef12, 0x00abcdef00001200, 0},
	    {"config:3,2,1,0", 0x8, 0x1, 0},
	    {"config:63", 1, 1ull << 63, 0},
	    {"config:63", 2, 0, -ERANGE},
	    {"config:0-7", 0x100, 0, -ERANGE},
	    {"config:0-64", 1, 0, -EINVAL},
	    {"config:64", 1, 0, -EINVAL},
	    {"config:7-0", 1, 0, -EINVAL},
	    {"config:", 1, 0, -EINVAL},
	    {"config", 1, 0, -EINVAL},
	    {"", 1, 0, -EINVAL},
	    {":0", 1, 0, -EINVAL},
	    {"config3:0", 1, 0, -EINVAL},
	    {"conf:0", 1, 0, -EINVAL},
	    {"config:0-", 1, 0, -EINVAL},
	    {"config:0,", 1, 0, -EINVAL},
	    {"config:0x1", 1, 0, -EINVAL},
	    {"config:-1", 1, 0, -EINVAL},
	    {"config:18446744073709551616", 1, 0, -EINVAL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr attr = {0};
		int status = uh_format_place(rows[i].format, rows[i].value, &attr);
		if (status != rows[i].status || (!status && attr.config != rows[i].config))
			fail_msg("%s: %d %#llx", rows[i].format, status,
				 (unsigned long long)attr.config);
	}
	struct perf_event_attr attr = {.config1 = 0xff, .config2 = 0xff};
	assert_int_equal(uh_format_place("config1:0-3", 0, &attr), 0);
	assert_int_equal(uh_format_place("config2:4-7", 0, &attr), 0);
	assert_int_equal(attr.config1, 0xf0);
	assert_int_equal(attr.config2, 0x0f);
}

static void kinds_of_cores(void **state)
{
	(void)state;
	struct uh_machine *machine = machine_of(TEST_DATA "/hybrid");
	struct uh_event_list *list = NULL;
	assert_true(uh_pmu_exists(machine, "cpu_core"));
	assert_false(uh_pmu_exists(machine, "cpu"));
	assert_int_equal(
	    uh_event_list_parse(machine, "cpu_atom/cpu-cycles/,mem-stores", &list, NULL), 0);
	assert_int_equal(list->events[0].kind, UH_EVENT_CORE);
	assert_int_equal(list->events[0].attr.type, 8);
	assert_int_equal(list->events[0].cpus.count, 4);
	assert_int_equal(list->events[0].cpus.items[0], 4);
	assert_int_equal(list->events[1].attr.type, 4);
	assert_int_equal(list->events[1].attr.config, 0x2cd);
	uh_event_list_free(list);
	uh_machine_free(machine);
}

static void what_no_kernel_would_write(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int code;
	} rows[] = {
	    {"cpu/beyond=1/", -EINVAL},     {"cpu/backwards=1/", -EINVAL},
	    {"cpu/elsewhere=1/", -EINVAL},  {"cpu/empty=1/", -EINVAL},
	    {"cpu/open=1/", -EINVAL},       {"cpu/tail=1/", -EINVAL},
	    {"cpu/huge=1/", -EINVAL},       {"cpu/long=1/", -EFBIG},
	    {"cpu/itself/", -ELOOP},        {"cpu/ping/", -ELOOP},
	    {"cpu/nonsense/", -EINVAL},     {"cpu/unparsed/", -EINVAL},
	    {"cpu/many/", -E2BIG},          {"cpu/double/", -E2BIG},
	    {"text/event=1/", -ENOENT},     {"large/event=1/", -ENOENT},
	    {"negative/event=1/", -ENOENT}, {"nothing/event=1/", -ENOENT},
	    {"nosuch/event=1/", -ENOENT},
	};
	struct uh_machine *machine = machine_of(TEST_DATA "/malformed");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_event_list *list = NULL;
		struct uh_error error = {0};
		int status = uh_event_list_parse(machine, rows[i].text, &list, &error);
		if (status != rows[i].code || list)
			fail_msg("%s: %d: %s", rows[i].text, status, error.text);
	}
	uh_machine_free(machine);
}

static void bad_extras_do_not_spoil_an_event(void **state)
{
	(void)state;
	struct uh_machine *machine = machine_of(TEST_DATA "/malformed");
	struct uh_event_list *list = NULL;
	assert_int_equal(uh_event_list_parse(machine, "cpu/scaled/,imc/event=1/", &list, NULL), 0);
	assert_true(list->events[0].scale == 1);
	assert_int_equal(strlen(list->events[0].unit), UH_EVENT_UNIT - 1);
	assert_int_equal(list->events[1].cpus.count, 0);
	uh_event_list_free(list);
	uh_machine_free(machine);
}

static void no_root_no_machine(void **state)
{
	(void)state;
	struct uh_machine *machine = NULL;
	struct uh_error error = {0};
	assert_int_equal(uh_machine_open_recorded(TEST_DATA "/nosuch", &machine, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/nosuch"));
	assert_int_equal(uh_machine_open_recorded(TEST_DATA "/README.md", &machine, &error),
			 -ENOTDIR);
	assert_null(machine);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(placing_bits),
	    cmocka_unit_test(kinds_of_cores),
	    cmocka_unit_test(what_no_kernel_would_write),
	    cmocka_unit_test(bad_extras_do_not_spoil_an_event),
	    cmocka_unit_test(no_root_no_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
