/* SPDX-License-Identifier: BSD-3-Clause */
/* Every refusal of the kernel, line by line, in words. */
#include "unit.h"

#include <errno.h>
#include <string.h>

#include "count/explain.h"
#include "count/fake_machine.h"

static struct uh_event_state explain(struct uh_machine *machine, const char *event, int code,
				     bool system_wide, bool in_group)
{
	struct uh_event_list *list = NULL;
	struct uh_event_state state = {0};
	assert_int_equal(uh_event_list_parse(machine, event, &list, NULL), 0);
	const struct uh_attempt attempt = {.event = &list->events[0],
					   .code = code,
					   .system_wide = system_wide,
					   .in_group = in_group};
	uh_explain_open(machine, &attempt, &state);
	uh_event_list_free(list);
	return state;
}

static void with_a_pmu(void **state)
{
	(void)state;
	static const struct {
		const char *event;
		int code;
		bool system_wide, in_group;
		enum uh_status status;
		const char *found;
	} rows[] = {
	    {"cycles", -EACCES, true, false, UH_NOT_PERMITTED,
	     "sysctl kernel.perf_event_paranoid=0"},
	    {"cycles", -EPERM, true, false, UH_NOT_PERMITTED, "is 2, counting whole processors"},
	    {"cycles", -EACCES, false, false, UH_NOT_PERMITTED, "another user's process"},
	    {"sched:sched_switch", -EACCES, false, false, UH_NOT_PERMITTED, "tracepoints need -1"},
	    {"cycles", -ENOENT, false, false, UH_NOT_SUPPORTED, "no such event"},
	    {"cs", -ENOENT, false, false, UH_NOT_SUPPORTED, "no such event"},
	    {"cycles", -EOPNOTSUPP, false, false, UH_NOT_SUPPORTED, "no such event"},
	    {"cycles", -EINVAL, false, true, UH_NOT_SUPPORTED, "the group does not fit"},
	    {"cycles:pp", -EINVAL, false, false, UH_NOT_SUPPORTED, "leave :p out"},
	    {"cycles", -EINVAL, false, false, UH_NOT_SUPPORTED, "refuses this encoding"},
	    {"uncore_imc_0/clockticks/", -EINVAL, false, false, UH_NOT_SUPPORTED, "add -a"},
	    {"uncore_imc_0/clockticks/", -EINVAL, true, false, UH_NOT_SUPPORTED, "this encoding"},
	    {"cycles", -ENOSPC, false, false, UH_NOT_SUPPORTED, "ENOSPC"},
	    {"cycles", -EBUSY, false, false, UH_NOT_SUPPORTED, "exclusively"},
	    {"cycles", -ENOSYS, false, false, UH_NOT_SUPPORTED, "built without perf_event"},
	    {"cycles", -ESRCH, false, false, UH_NOT_COUNTED, "has ended"},
	    {"cycles", -EIO, false, false, UH_NOT_SUPPORTED, "Input/output error"},
	};
	struct fake_machine *fake = fake_machine_open(TEST_DATA "/../event/server");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_event_state result = explain(fake->machine, rows[i].event, rows[i].code,
						       rows[i].system_wide, rows[i].in_group);
		if (result.status != rows[i].status || !strstr(result.reason, rows[i].found))
			fail_msg("%s %d: %s: %s", rows[i].event, rows[i].code,
				 uh_status_name(result.status), result.reason);
	}
	char reason[160] = "untouched";
	assert_false(uh_machine_lacks_pmu(fake->machine, reason, sizeof(reason)));
	assert_string_equal(reason, "untouched");
	fake_machine_close(fake);
}

static void without_a_pmu(void **state)
{
	(void)state;
	struct fake_machine *fake = fake_machine_open(TEST_DATA "/../event/bare");
	char reason[160];
	fake->pmu_version = 0;
	fake->hypervisor = true;
	assert_true(uh_machine_lacks_pmu(fake->machine, reason, sizeof(reason)));
	assert_string_equal(reason, "this guest has no PMU (CPUID leaf 0xA reports version 0)");
	assert_string_equal(explain(fake->machine, "cycles", -ENOENT, false, false).reason, reason);
	fake->hypervisor = false;
	fake->pmu_version = -1;
	assert_true(uh_machine_lacks_pmu(fake->machine, reason, sizeof(reason)));
	assert_non_null(strstr(reason, "this machine has no PMU (the kernel shows none"));
	/* The kernel's own events do not need one. */
	assert_null(strstr(explain(fake->machine, "cs", -ENOENT, false, false).reason, "PMU ("));
	struct uh_event_state all = explain(fake->machine, "cs", -EACCES, false, false);
	assert_int_equal(all.status, UH_NOT_PERMITTED);
	assert_non_null(strstr(all.reason, "is 4, which refuses every event"));
	fake_machine_close(fake);
}

static void an_unreadable_paranoid_level_is_the_kernels_default(void **state)
{
	(void)state;
	struct fake_machine *fake = fake_machine_open(TEST_DATA "/../event/hybrid");
	assert_int_equal(uh_machine_paranoid(fake->machine), 2);
	fake_machine_close(fake);
	fake = fake_machine_open(TEST_DATA "/../event/bare");
	assert_int_equal(uh_machine_paranoid(fake->machine), 4);
	fake_machine_close(fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(with_a_pmu),
	    cmocka_unit_test(without_a_pmu),
	    cmocka_unit_test(an_unreadable_paranoid_level_is_the_kernels_default),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
