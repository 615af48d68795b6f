/* SPDX-License-Identifier: BSD-3-Clause */
/* What users type becomes events: names, encodings, modifiers, groups. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "event/event.h"

static int open_server(void **state)
{
	struct uh_machine *machine = NULL;
	int status = uh_machine_open_recorded(TEST_DATA "/server", &machine, NULL);
	*state = machine;
	return status;
}

static int close_machine(void **state)
{
	uh_machine_free(*state);
	return 0;
}

static struct uh_event_list *parse(struct uh_machine *machine, const char *text)
{
	struct uh_event_list *list = NULL;
	struct uh_error error = {0};
	if (uh_event_list_parse(machine, text, &list, &error))
		fail_msg("%s: %s", text, error.text);
	return list;
}

#define ANY UINT32_MAX /* the type does not matter */

struct meaning {
	const char *text;
	enum uh_event_kind kind;
	uint32_t type;
	uint64_t config, config1, config2;
	const char *plain; /* NULL: takes part in no metric */
};

static void expect(struct uh_machine *machine, const struct meaning *wanted)
{
	struct uh_event_list *list = parse(machine, wanted->text);
	assert_int_equal(uh_event_list_count(list), 1);
	const struct uh_event *event = &list->events[0];
	assert_string_equal(uh_event_list_name(list, 0), wanted->text);
	assert_int_equal(event->kind, wanted->kind);
	if (wanted->type != ANY)
		assert_int_equal(event->attr.type, wanted->type);
	if (event->attr.config != wanted->config)
		fail_msg("%s: config %#llx, wanted %#llx", wanted->text,
			 (unsigned long long)event->attr.config,
			 (unsigned long long)wanted->config);
	assert_int_equal(event->attr.config1, wanted->config1);
	assert_int_equal(event->attr.config2, wanted->config2);
	if (wanted->plain)
		assert_string_equal(event->plain, wanted->plain);
	uh_event_list_free(list);
}

static void names_and_encodings(void **state)
{
	static const struct meaning rows[] = {
	    {"cycles", UH_EVENT_CORE, 0, 0, 0, 0, "cycles"},
	    {"cpu-cycles", UH_EVENT_CORE, 0, 0, 0, 0, "cycles"},
	    {"CYCLES", UH_EVENT_CORE, 0, 0, 0, 0, "cycles"},
	    {"instructions", UH_EVENT_CORE, 0, 1, 0, 0, "instructions"},
	    {"LLC-load-misses", UH_EVENT_CORE, 3, 0x10002, 0, 0, "LLC-load-misses"},
	    {"cs", UH_EVENT_SOFTWARE, 1, 3, 0, 0, "context-switches"},
	    {"faults", UH_EVENT_SOFTWARE, 1, 2, 0, 0, "page-faults"},
	    {"INST_RETIRED.ANY", UH_EVENT_CORE, 4, 0xc0, 0, 0, "instructions"},
	    {"cpu_clk_unhalted.ref_tsc", UH_EVENT_CORE, 4, 0x300, 0, 0, "ref-cycles"},
	    {"longest_lat_cache.miss", UH_EVENT_CORE, 4, 0x412e, 0, 0, "cache-misses"},
	    {"r01c2", UH_EVENT_CORE, 4, 0x1c2, 0, 0, NULL},
	    {"r0x5301C2", UH_EVENT_CORE, 4, 0x5301c2, 0, 0, NULL},
	    {"rffffffffffffffff", UH_EVENT_CORE, 4, UINT64_MAX, 0, 0, NULL},
	    {"mem-loads", UH_EVENT_CORE, 4, 0x1cd, 3, 0, "mem-loads"},
	    {"MEM-LOADS", UH_EVENT_CORE, 4, 0x1cd, 3, 0, "mem-loads"},
	    {"indirect", UH_EVENT_CORE, 4, 0x401cd, 3, 0, "indirect"},
	    {"cpu/event=0xc2,umask=0x1,cmask=1,inv/", UH_EVENT_CORE, 4, 0x18001c2, 0, 0, NULL},
	    {"cpu/cpu-cycles/", UH_EVENT_CORE, 4, 0x3c, 0, 0, "cycles"},
	    {"cpu//", UH_EVENT_CORE, 4, 0, 0, 0, NULL},
	    {"cpu/config=0x1234,config1=5,config2=6/", UH_EVENT_CORE, 4, 0x1234, 5, 6, NULL},
	    {"cpu/top/", UH_EVENT_CORE, 4, 0, 0, 1ull << 63, NULL},
	    {"cpu/offcore_rsp=0xffffffffffffffff/", UH_EVENT_CORE, 4, 0, UINT64_MAX, 0, NULL},
	    {"cpu/split=0x1ff/", UH_EVENT_CORE, 4, 0x2000ff, 0, 0, NULL},
	    {"cpu/split=0x100/", UH_EVENT_CORE, 4, 0x200000, 0, 0, NULL},
	    {"cpu/wide=0xffffffff/", UH_EVENT_CORE, 4, 0x00ffffff0000ff00, 0, 0, NULL},
	    {"cpu/wide=0x100/", UH_EVENT_CORE, 4, 0x100000000, 0, 0, NULL},
	    {"cpu/EVENT=1,uMask=2/", UH_EVENT_CORE, 4, 0x201, 0, 0, NULL},
	    {"cpu/event=1,event=2/", UH_EVENT_CORE, 4, 2, 0, 0, NULL},
	    {"msr/tsc/", UH_EVENT_PMU, 9, 0, 0, 0, NULL},
	    {"uncore_imc_0/clockticks/", UH_EVENT_PMU, 13, 0xff, 0, 0, NULL},
	    {"sched:sched_switch", UH_EVENT_TRACEPOINT, 2, 316, 0, 0, NULL},
	    {"duration_time", UH_EVENT_TOOL, ANY, 0, 0, 0, "duration_time"},
	    {"emulated/bytes_loaded/", UH_EVENT_EMULATED_ONLY, ANY, 0, 0, 0, "bytes_loaded"},
	    {"MEM_INST_RETIRED.ALL", UH_EVENT_EMULATED_ONLY, ANY, 0, 0, 0, NULL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect(*state, &rows[i]);
}

static void scale_unit_and_place_come_from_the_kernel(void **state)
{
	struct uh_event_list *list = parse(*state, "uncore_imc_0/cas_count_read/");
	const struct uh_event *event = &list->events[0];
	assert_int_equal(event->attr.config, 0x304);
	assert_true(event->scale == 6.103515625e-5);
	assert_string_equal(event->unit, "MiB");
	assert_int_equal(event->cpus.count, 2);
	assert_int_equal(event->cpus.items[1], 28);
	uh_event_list_free(list);
}

static void a_name_of_ones_own(void **state)
{
	struct uh_event_list *list = parse(*state, "cpu/event=1,name=mine/u");
	assert_string_equal(uh_event_list_name(list, 0), "mine");
	assert_true(list->events[0].attr.exclude_kernel);
	uh_event_list_free(list);
}

/* "ukhGHID" letters of what is left out or set: user, kernel, hv, guest, host, idle, pinned. */
static const char *exclusions(const struct perf_event_attr *attr)
{
	static char text[16];
	char *out = text;
	const struct {
		bool set;
		char letter;
	} bits[] = {
	    {attr->exclude_user, 'u'},   {attr->exclude_kernel, 'k'}, {attr->exclude_hv, 'h'},
	    {attr->exclude_guest, 'G'},  {attr->exclude_host, 'H'},   {attr->exclude_idle, 'I'},
	    {attr->pinned, 'D'},         {attr->exclusive, 'e'},      {attr->precise_ip > 0, 'p'},
	    {attr->precise_ip > 1, 'p'}, {attr->precise_ip > 2, 'p'}};
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (bits[i].set)
			*out++ = bits[i].letter;
	*out = '\0';
	return text;
}

static void modifiers(void **state)
{
	static const struct {
		const char *text, *set;
	} rows[] = {
	    {"cycles", ""},
	    {"cycles:u", "kh"},
	    {"cycles:k", "uh"},
	    {"cycles:uk", "h"},
	    {"cycles:ukh", ""},
	    {"cycles:h", "uk"},
	    {"cycles:G", "H"},
	    {"cycles:H", "G"},
	    {"cycles:GH", ""},
	    {"cycles:I", "I"},
	    {"cycles:p", "p"},
	    {"cycles:ppp", "ppp"},
	    {"cycles:upp", "khpp"},
	    {"cycles:De", "De"},
	    {"cycles:S", ""},
	    {"cpu/event=1/u", "kh"},
	    {"cpu/event=1/:k", "uh"},
	    {"r1c2:u", "kh"},
	    {"sched:sched_switch:u", "kh"},
	    {"{cycles,instructions}:u", "kh"},
	    {"{cycles:k,instructions}:u", "h"},
	    {"{cycles:k}:p", "uhp"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_event_list *list = parse(*state, rows[i].text);
		const char *found = exclusions(&list->events[0].attr);
		if (strcmp(found, rows[i].set) != 0)
			fail_msg("%s: \"%s\", wanted \"%s\"", rows[i].text, found, rows[i].set);
		uh_event_list_free(list);
	}
}

static void groups(void **state)
{
	struct uh_event_list *list = parse(
	    *state, " cycles , {instructions,branches:u}:W,{cs}, cpu/event=1,umask=2/ ,faults ");
	static const int wanted[] = {UH_NO_GROUP, 0, 0, 1, UH_NO_GROUP, UH_NO_GROUP};
	assert_int_equal(uh_event_list_count(list), 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(list->events[i].group, wanted[i]);
		assert_int_equal(list->events[i].weak_group, wanted[i] == 0);
	}
	assert_string_equal(uh_event_list_name(list, 2), "branches:u");
	assert_string_equal(uh_event_list_name(list, 4), "cpu/event=1,umask=2/");
	assert_null(uh_event_list_name(list, 6));
	uh_event_list_free(list);
}

static void unknown_names_are_told_their_neighbours(void **state)
{
	static const struct {
		const char *text, *found;
		int code;
	} rows[] = {
	    {"cycels", "did you mean cycles", -ENOENT},
	    {"mem-load", "mem-loads", -ENOENT},
	    {"INST_RETIRED.AYN", "INST_RETIRED.ANY", -ENOENT},
	    {"cpu/evnt=1/", "did you mean event?", -ENOENT},
	    {"cpu/mem-lods/", "did you mean mem-loads?", -ENOENT},
	    {"cup/event=1/", "did you mean cpu", -ENOENT},
	    {"uncore_imc_1/event=1/", "did you mean uncore_imc_0?", -ENOENT},
	    {"emulated/lods/", "did you mean emulated/loads/", -ENOENT},
	    {"sched:sched_swich", "no such tracepoint", -ENOENT},
	    {"cycles:uz", "\"uz\" are no modifiers", -EINVAL},
	    {"cpu/event=1/z", "unknown modifier \"z\"", -EINVAL},
	    {"cycles:pppp", "at most :ppp", -EINVAL},
	    {"{cycles,instructions}:z", "unknown modifier \"z\"", -EINVAL},
	    {"cpu/event=0x100/", "does not fit into config:0-7", -ERANGE},
	    {"cpu/split=0x200/", "does not fit", -ERANGE},
	    {"cpu/event=12q/", "\"12q\" is not a number", -EINVAL},
	    {"cpu/event=/", "\"\" is not a number", -EINVAL},
	    {"cpu/event=-1/", "\"-1\" is not a number", -EINVAL},
	    {"cpu/period=1000/", "counting has no sampling period", -EINVAL},
	    {"cpu/event=1,name=/", "the name is empty", -EINVAL},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_event_list *list = NULL;
		struct uh_error error = {0};
		int status = uh_event_list_parse(*state, rows[i].text, &list, &error);
		if (status != rows[i].code || !strstr(error.text, rows[i].found))
			fail_msg("%s: %d: %s", rows[i].text, status, error.text);
		assert_int_equal(error.code, status);
		assert_null(list);
	}
}

static void bad_syntax(void **state)
{
	static const char *const rows[] = {
	    ",",
	    "cycles,",
	    ",cycles",
	    "cycles,,cs",
	    "cycles cs",
	    "{",
	    "}",
	    "{}",
	    "{cycles",
	    "cycles}",
	    "{cycles,}",
	    "{,cycles}",
	    "{cycles}}",
	    "{cycles}u",
	    "{cycles}:",
	    "{cycles}x,cs",
	    "{{cycles}}",
	    "{cycles}{cs}",
	    "cycles:",
	    ":u",
	    ":",
	    "cycles::u",
	    "r",
	    "rxyz",
	    "r-1",
	    "r0x0x1",
	    "cpu/",
	    "/",
	    "//",
	    "cpu/event=1",
	    "/event=1/",
	    "cpu/event=1/,",
	    "cpu/=1/",
	    "cpu/,/",
	    "cpu/event=1,,umask=1/",
	    "../event=1/",
	    "cpu/../event/",
	    "./event=1/",
	    "cpu/event=1/u/",
	    "cpu/event=1//",
	    "sched:../x",
	    "sched:",
	    "sched:sched_switch:q",
	    "emulated/",
	    "emulated//",
	    " ",
	    "\t,\n",
	    "{cycles:uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu}:zzzzzzzzzzzzzzzzzzz",
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_event_list *list = NULL;
		struct uh_error error = {0};
		int status = uh_event_list_parse(*state, rows[i], &list, &error);
		if (status != -EINVAL && status != -ENOENT)
			fail_msg("\"%s\" gave %d", rows[i], status);
		assert_true(error.text[0] != '\0');
		assert_null(list);
	}
}

static void texts_without_end(void **state)
{
	char text[4096];
	struct uh_event_list *list = NULL;
	static const char *const starts[] = {"", "cpu/", "cpu/event=", "sched:", "r", "{"};
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		for (size_t length = 1; length < sizeof(text); length += 61) {
			memset(text, 'x', sizeof(text));
			memcpy(text, starts[i], strlen(starts[i]));
			text[length] = '\0';
			struct uh_error error = {0};
			assert_true(uh_event_list_parse(*state, text, &list, &error) < 0);
			assert_true(error.text[0] != '\0');
		}
	}
	memset(text, ',', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(uh_event_list_parse(*state, text, &list, NULL), -EINVAL);
}

static void a_failed_append_leaves_the_list_as_it_was(void **state)
{
	struct uh_event_list *list = parse(*state, "cycles,{cs,faults}");
	assert_int_equal(uh_event_list_append(list, *state, "instructions,{branches,nosuch}", NULL),
			 -ENOENT);
	assert_int_equal(uh_event_list_count(list), 3);
	assert_int_equal(uh_event_list_append(list, *state, "{branches}", NULL), 0);
	assert_int_equal(list->events[3].group, 1);
	uh_event_list_free(list);
	list = parse(*state, "");
	assert_int_equal(uh_event_list_count(list), 0);
	uh_event_list_free(list);
	uh_event_list_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_and_encodings),
	    cmocka_unit_test(scale_unit_and_place_come_from_the_kernel),
	    cmocka_unit_test(a_name_of_ones_own),
	    cmocka_unit_test(modifiers),
	    cmocka_unit_test(groups),
	    cmocka_unit_test(unknown_names_are_told_their_neighbours),
	    cmocka_unit_test(bad_syntax),
	    cmocka_unit_test(texts_without_end),
	    cmocka_unit_test(a_failed_append_leaves_the_list_as_it_was),
	};
	return cmocka_run_group_tests(tests, open_server, close_machine);
}
