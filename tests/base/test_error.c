/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void fail_returns_the_code_and_fills_the_text(void **state)
{
	(void)state;
	struct uh_error error = {0};

	assert_int_equal(uh_fail(&error, -EINVAL, "event %s: no such %d", "x", 7), -EINVAL);
	assert_int_equal(error.code, -EINVAL);
	assert_string_equal(error.text, "event x: no such 7");
}

static void fail_without_a_struct_still_returns_the_code(void **state)
{
	(void)state;
	assert_int_equal(uh_fail(NULL, -ENOENT, "nobody reads %s", "this"), -ENOENT);
	assert_int_equal(uh_fail_errno(NULL, -EPERM, "nor this"), -EPERM);
	assert_int_equal(uh_fail_memory(NULL), -ENOMEM);
}

static void fail_errno_appends_the_words_of_the_errno(void **state)
{
	(void)state;
	struct uh_error error = {0};

	assert_int_equal(uh_fail_errno(&error, -ENOENT, "/nowhere"), -ENOENT);
	assert_string_equal(error.text, "/nowhere: No such file or directory");
}

static void a_text_too_long_is_cut_inside_the_struct(void **state)
{
	(void)state;
	struct {
		struct uh_error error;
		char guard[16];
	} holder;
	char long_text[2 * UH_ERROR_TEXT_SIZE];

	memset(&holder, 0x5a, sizeof(holder));
	memset(long_text, 'a', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	assert_int_equal(uh_fail_errno(&holder.error, -EIO, "%s", long_text), -EIO);
	assert_int_equal(strlen(holder.error.text), UH_ERROR_TEXT_SIZE - 1);
	for (size_t i = 0; i < sizeof(holder.guard); i++)
		assert_int_equal(holder.guard[i], 0x5a);
}

static void names_cannot_steer_the_terminal(void **state)
{
	(void)state;
	struct uh_error error = {0};

	(void)uh_fail(&error, -EINVAL, "%s\n%s", "a\033[2Jb",
		      "c\x9b"
		      "d\xc2\x9b"
		      "e");
	assert_string_equal(error.text, "a?[2Jb\nc?d??e");
	(void)uh_fail_errno(&error, -ENOENT, "%s", "gr\xc3\xbcn\r\xff");
	assert_string_equal(error.text, "gr\xc3\xbcn??: No such file or directory");
}

static void the_version_has_three_numbers(void **state)
{
	(void)state;
	const char *version = uh_version();
	size_t dots = 0;

	for (const char *c = version; *c; c++) {
		assert_true(*c == '.' || (*c >= '0' && *c <= '9'));
		dots += *c == '.';
	}
	assert_int_equal(dots, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fail_returns_the_code_and_fills_the_text),
	    cmocka_unit_test(fail_without_a_struct_still_returns_the_code),
	    cmocka_unit_test(fail_errno_appends_the_words_of_the_errno),
	    cmocka_unit_test(a_text_too_long_is_cut_inside_the_struct),
	    cmocka_unit_test(names_cannot_steer_the_terminal),
	    cmocka_unit_test(the_version_has_three_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
