/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <string.h>

#include "base/comma_locale.h"
#include "base/text.h"

static void grows_and_stays_terminated(void **state)
{
	(void)state;
	struct uh_text text = {0};
	for (int i = 0; i < 10000; i++)
		uh_text_format(&text, "%d,", i % 10);
	assert_int_equal(text.length, 20000);
	assert_int_equal(strlen(text.data), 20000);
	assert_memory_equal(text.data + 19994, "7,8,9,", 6);
	uh_text_clear(&text);
	assert_string_equal(text.data, "");
	uh_text_free(&text);
	assert_null(text.data);
}

static void a_format_longer_than_the_small_buffer(void **state)
{
	(void)state;
	struct uh_text text = {0};
	char word[1001];
	memset(word, 'w', 1000);
	word[1000] = '\0';
	uh_text_format(&text, "<%s>", word);
	assert_int_equal(text.length, 1002);
	assert_int_equal(text.data[0], '<');
	assert_int_equal(text.data[1001], '>');
	uh_text_free(&text);
}

static void numbers(void **state)
{
	(void)state;
	struct uh_text text = {0};
	uh_text_u64(&text, 0);
	uh_text_char(&text, ' ');
	uh_text_u64(&text, UINT64_MAX);
	assert_string_equal(text.data, "0 18446744073709551615");
	uh_text_free(&text);
}

static void padding(void **state)
{
	(void)state;
	struct uh_text text = {0};
	uh_text_padded(&text, "ab", 4);
	uh_text_padded(&text, "cd", -4);
	uh_text_padded(&text, "longer", 3);
	uh_text_padded(&text, "|", 0);
	assert_string_equal(text.data, "  abcd  longer|");
	uh_text_free(&text);
}

static void a_failed_text_takes_nothing_more(void **state)
{
	(void)state;
	struct uh_text text = {0};
	uh_text_string(&text, "kept");
	text.failed = true;
	uh_text_string(&text, "lost");
	uh_text_format(&text, "%d", 1);
	assert_string_equal(text.data, "kept");
	uh_text_free(&text);
}

static void what_a_terminal_must_not_see(void **state)
{
	(void)state;
	static const struct {
		const char *name, *shown;
	} rows[] = {
	    {"plain name", "plain name"},
	    {"\033[31mred\n\t\177", "?[31mred???"},
	    {"Gr\xc3\xbc\xc3\x9f"
	     "e \xe2\x82\xac \xf0\x9f\x99\x82",
	     "Gr\xc3\xbc\xc3\x9f"
	     "e \xe2\x82\xac \xf0\x9f\x99\x82"},
	    {"\xc2\x9b"
	     "31m",
	     "?31m"}, /* CSI as one character of C1 */
	    {"\x9b"
	     "31m",
	     "?31m"}, /* and as a bare byte */
	    {"\xe2\x80\xae"
	     "gpj.exe",
	     "?gpj.exe"},       /* turns the direction of writing */
	    {"\xc0\xaf", "??"}, /* overlong */
	    {"\xe0\x80\xaf", "???"},
	    {"\xed\xa0\x80", "???"},      /* half of a surrogate pair */
	    {"\xf4\x90\x80\x80", "????"}, /* beyond the last code point */
	    {"\xff\xfe", "??"},
	    {"cut \xe2\x82", "cut ??"},
	    {"\xc3(", "?("},
	    {"", ""},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_text text = {0};
		uh_text_string(&text, "");
		uh_text_safe(&text, rows[i].name);
		assert_string_equal(text.data, rows[i].shown);
		uh_text_free(&text);
	}
}

static void numbers_have_a_point_in_every_locale(void **state)
{
	(void)state;
	use_comma_locale();
	struct uh_text text = {0};
	uh_text_format(&text, "%.2f", 0.5);
	setlocale(LC_NUMERIC, "C");
	assert_string_equal(text.data, "0.50");
	uh_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(grows_and_stays_terminated),
	    cmocka_unit_test(a_format_longer_than_the_small_buffer),
	    cmocka_unit_test(numbers),
	    cmocka_unit_test(padding),
	    cmocka_unit_test(a_failed_text_takes_nothing_more),
	    cmocka_unit_test(what_a_terminal_must_not_see),
	    cmocka_unit_test(numbers_have_a_point_in_every_locale),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
