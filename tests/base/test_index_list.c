/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/index_list.h"

static void expect(const char *text, const int *items, size_t count)
{
	struct uh_index_list list = {0};
	if (uh_index_list_parse(text, &list))
		fail_msg("\"%s\" was refused", text);
	assert_int_equal(list.count, count);
	if (count)
		assert_memory_equal(list.items, items, count * sizeof(*items));
	uh_index_list_free(&list);
}

static void lists_as_the_kernel_writes_them(void **state)
{
	(void)state;
	expect("0-3,8,10-12\n", (int[]){0, 1, 2, 3, 8, 10, 11, 12}, 8);
	expect("5", (int[]){5}, 1);
	expect("7-7", (int[]){7}, 1);
	expect("", NULL, 0);
	expect("\n", NULL, 0);
	expect(" 4 \n", (int[]){4}, 1);
	expect("4194303", (int[]){4194303}, 1);
}

static void sorted_and_each_number_once(void **state)
{
	(void)state;
	expect("3,1,2,1-3,3", (int[]){1, 2, 3}, 3);
	expect("8-9,0", (int[]){0, 8, 9}, 3);
}

static void malformed_lists_leave_an_empty_one(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "a",       "1,",        ",1",         "1,,2",
	    "1-",      "-1",        "3-1",        "1-2-3",
	    "1 2",     "1;2",       "0x1",        "1-a",
	    "4194304", "0-4194304", "9999999999", "99999999999999999999",
	    "1,\n",    "1.5",       "+1",
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct uh_index_list list = {(int[]){1}, 1};
		if (uh_index_list_parse(bad[i], &list) != -EINVAL)
			fail_msg("\"%s\" was taken", bad[i]);
		assert_null(list.items);
		assert_int_equal(list.count, 0);
	}
}

static void a_list_cannot_be_made_to_eat_the_memory(void **state)
{
	(void)state;
	struct uh_index_list list = {0};
	char text[4096] = "0-4194303";
	assert_int_equal(uh_index_list_parse(text, &list), 0);
	assert_int_equal(list.count, UH_INDEX_LIMIT);
	uh_index_list_free(&list);
	for (int i = 0; i < 300; i++)
		strcat(text, ",0-4194303");
	assert_int_equal(uh_index_list_parse(text, &list), -EINVAL);
}

static void a_parsed_list_can_grow(void **state)
{
	(void)state;
	struct uh_index_list list = {0};
	assert_int_equal(uh_index_list_parse("0,0,0,0,0,1,2", &list), 0);
	assert_int_equal(list.count, 3);
	for (int i = 3; i < 1000; i++)
		assert_int_equal(uh_index_list_append(&list, i), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(list.items[i], i);
	assert_true(uh_index_list_contains(&list, 999));
	assert_false(uh_index_list_contains(&list, 1000));
	struct uh_index_list copy;
	assert_int_equal(uh_index_list_copy(&list, &copy), 0);
	assert_memory_equal(copy.items, list.items, 1000 * sizeof(int));
	uh_index_list_free(&copy);
	uh_index_list_free(&list);
	assert_false(uh_index_list_contains(&list, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lists_as_the_kernel_writes_them),
	    cmocka_unit_test(sorted_and_each_number_once),
	    cmocka_unit_test(malformed_lists_leave_an_empty_one),
	    cmocka_unit_test(a_list_cannot_be_made_to_eat_the_memory),
	    cmocka_unit_test(a_parsed_list_can_grow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
