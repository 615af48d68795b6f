/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <string.h>

#include "base/nearest.h"

static void edits(void **state)
{
	(void)state;
	assert_int_equal(uh_edit_distance("", ""), 0);
	assert_int_equal(uh_edit_distance("cycles", "CYCLES"), 0);
	assert_int_equal(uh_edit_distance("", "abc"), 3);
	assert_int_equal(uh_edit_distance("abc", ""), 3);
	assert_int_equal(uh_edit_distance("kitten", "sitting"), 3);
	assert_int_equal(uh_edit_distance("cycels", "cycles"), 1);
	assert_int_equal(uh_edit_distance("cylce", "cycles"), 2);
}

static void long_names_are_cut_not_overrun(void **state)
{
	(void)state;
	char a[500];
	char b[500];
	memset(a, 'a', sizeof(a));
	memset(b, 'b', sizeof(b));
	a[499] = b[499] = '\0';
	assert_int_equal(uh_edit_distance(a, b), UH_NEAREST_LENGTH - 1);
	struct uh_nearest nearest = {0};
	uh_nearest_offer(&nearest, a, a);
	assert_int_equal(nearest.count, 1);
	assert_int_equal(strlen(nearest.names[0]), UH_NEAREST_LENGTH - 1);
}

static const char *hint(const char *wanted, const char *const *names, size_t count, char *buffer,
			size_t size)
{
	struct uh_nearest nearest = {0};
	for (size_t i = 0; i < count; i++)
		uh_nearest_offer(&nearest, wanted, names[i]);
	return uh_nearest_text(&nearest, buffer, size);
}

static void the_best_three_in_order(void **state)
{
	(void)state;
	static const char *const names[] = {"branches", "bus-cycles", "cycle-s", "cycles",
					    "cyclesx",  "cycles",     "cycl"};
	char buffer[400];
	assert_string_equal(hint("cycles", names, 7, buffer, sizeof(buffer)),
			    " (did you mean cycles, cycle-s or cyclesx?)");
	assert_string_equal(hint("brunches", names, 7, buffer, sizeof(buffer)),
			    " (did you mean branches?)");
	assert_string_equal(hint("zzzzzz", names, 7, buffer, sizeof(buffer)), "");
}

static void a_part_of_a_long_name_is_near(void **state)
{
	(void)state;
	static const char *const names[] = {"CPU_CLK_UNHALTED.THREAD", "instructions"};
	char buffer[400];
	assert_string_equal(hint("unhalted", names, 2, buffer, sizeof(buffer)),
			    " (did you mean CPU_CLK_UNHALTED.THREAD?)");
}

static void a_small_buffer_is_not_overrun(void **state)
{
	(void)state;
	static const char *const names[] = {"cycles"};
	char buffer[8];
	memset(buffer, 'x', sizeof(buffer));
	hint("cycle", names, 1, buffer, 4);
	assert_memory_equal(buffer, " (d\0xxxx", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(edits),
	    cmocka_unit_test(long_names_are_cut_not_overrun),
	    cmocka_unit_test(the_best_three_in_order),
	    cmocka_unit_test(a_part_of_a_long_name_is_near),
	    cmocka_unit_test(a_small_buffer_is_not_overrun),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
