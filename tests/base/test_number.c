/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include "base/comma_locale.h"
#include "base/number.h"

static void whole_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} rows[] = {
	    {"0", true, 0},
	    {"007", true, 7},
	    {"0x10", true, 16},
	    {"0XfF", true, 255},
	    {"18446744073709551615", true, UINT64_MAX},
	    {"0xffffffffffffffff", true, UINT64_MAX},
	    {"18446744073709551616", false, 0},
	    {"0x10000000000000000", false, 0},
	    {"", false, 0},
	    {"0x", false, 0},
	    {"0x0x5", false, 0},
	    {"-1", false, 0},
	    {"+1", false, 0},
	    {" 1", false, 0},
	    {"1 ", false, 0},
	    {"1\n", false, 0},
	    {"0x 5", false, 0},
	    {"0x-5", false, 0},
	    {"12a", false, 0},
	    {"ff", false, 0},
	    {"1.0", false, 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 99;
		if (uh_parse_u64(rows[i].text, &value) != rows[i].good)
			fail_msg("\"%s\" was %s", rows[i].text, rows[i].good ? "refused" : "taken");
		assert_int_equal(value, rows[i].good ? rows[i].value : 99);
	}
}

static void hexadecimal_numbers(void **state)
{
	(void)state;
	uint64_t value = 0;
	assert_true(uh_parse_hex("01c2", &value));
	assert_int_equal(value, 0x1c2);
	assert_true(uh_parse_hex("0x01C2", &value));
	assert_int_equal(value, 0x1c2);
	static const char *const bad[] = {"", "0x", "0x0x1", "g", "1g", "-1", "11112222333344445"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (uh_parse_hex(bad[i], &value))
			fail_msg("\"%s\" was taken", bad[i]);
}

static void lengths_of_time(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t nanoseconds;
	} rows[] = {
	    {"100", 100000000},  {"200ms", 200000000},
	    {"2s", 2000000000},  {"50us", 50000},
	    {"7ns", 7},          {"1m", 60000000000},
	    {"0.5s", 500000000}, {".5", 500000},
	    {"1e3us", 1000000},  {"0", 0},
	    {"0.4ns", 0},        {"9e9s", 9000000000000000000},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 99;
		if (!uh_parse_duration(rows[i].text, &value))
			fail_msg("\"%s\" was refused", rows[i].text);
		assert_int_equal(value, rows[i].nanoseconds);
	}
	static const char *const bad[] = {"",     "-1",    "-1s",  "1h",   "1 s",   "s",   "1e19",
					  "0x10", "1.2.3", "infs", "nans", "1e999", "--1", "1S"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint64_t value;
		if (uh_parse_duration(bad[i], &value))
			fail_msg("\"%s\" was taken", bad[i]);
	}
}

static void real_numbers(void **state)
{
	(void)state;
	double value = 0;
	assert_true(uh_parse_double("2.3283064365386962890625e-10", &value));
	assert_true(value == 0x1p-32);
	assert_true(uh_parse_double("-0.25", &value));
	assert_true(value == -0.25);
	static const char *const bad[] = {"",    ".",    "-",     "-.",   "0x1p3", "-0x1", "inf",
					  "nan", "-inf", "1e999", "1.5 ", " 1",    "1,5",  "+1"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (uh_parse_double(bad[i], &value))
			fail_msg("\"%s\" was taken", bad[i]);
}

static void a_decimal_comma_elsewhere_changes_nothing(void **state)
{
	(void)state;
	use_comma_locale();
	double value = 0;
	bool good = uh_parse_double("0.5", &value);
	setlocale(LC_NUMERIC, "C");
	assert_true(good);
	assert_true(value == 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whole_numbers),
	    cmocka_unit_test(hexadecimal_numbers),
	    cmocka_unit_test(lengths_of_time),
	    cmocka_unit_test(real_numbers),
	    cmocka_unit_test(a_decimal_comma_elsewhere_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
