/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <math.h>

#include "render/json.h"

static void strings_of_any_bytes(void **state)
{
	(void)state;
	static const struct {
		const char *string, *json;
	} rows[] = {
	    {"", "\"\""},
	    {"plain", "\"plain\""},
	    {"\"\\/", "\"\\\"\\\\/\""},
	    {"\b\f\n\r\t\x01\x7f", "\"\\u0008\\u000c\\u000a\\u000d\\u0009\\u0001\\u007f\""},
	    {"gr\xc3\xbc\xf0\x9f\x99\x82", "\"gr\xc3\xbc\xf0\x9f\x99\x82\""},
	    {"\xff", "\"\\ufffd\""},
	    {"\xc3", "\"\\ufffd\""},
	    {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
	    {"\xc2\x9b", "\"\\u009b\""},
	    {"</script>", "\"</script>\""},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_text out = {0};
		uh_json_string(&out, rows[i].string);
		assert_string_equal(out.data, rows[i].json);
		uh_text_free(&out);
	}
}

static void numbers(void **state)
{
	(void)state;
	static const struct {
		double value;
		int digits;
		const char *json;
	} rows[] = {
	    {0, 9, "0"},
	    {-7, 9, "-7"},
	    {1e15, 9, "1000000000000000"},
	    {0.5, 9, "0.5"},
	    {1.0 / 3, 9, "0.333333333"},
	    {1e300, 9, "1e+300"},
	    {NAN, 9, "null"},
	    {INFINITY, 9, "null"},
	    {-INFINITY, 9, "null"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uh_text out = {0};
		uh_json_number(&out, rows[i].value, rows[i].digits);
		assert_string_equal(out.data, rows[i].json);
		uh_text_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(strings_of_any_bytes),
	    cmocka_unit_test(numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
