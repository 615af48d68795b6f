/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <math.h>

#include "base/statistics.h"

static void expect_near(double value, double wanted, double relative)
{
	if (!(fabs(value - wanted) <= relative * fabs(wanted)))
		fail_msg("%.12g, wanted %.12g", value, wanted);
}

static struct uh_sample sample_of(const double *values, size_t count)
{
	struct uh_sample sample = {0};
	for (size_t i = 0; i < count; i++)
		uh_sample_add(&sample, values[i]);
	return sample;
}

static void mean_and_spread(void **state)
{
	(void)state;
	const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct uh_sample sample = sample_of(values, 8);
	assert_int_equal(sample.count, 8);
	expect_near(sample.mean, 5, 1e-15);
	expect_near(uh_sample_variance(&sample), 32.0 / 7, 1e-14);
	expect_near(uh_sample_error(&sample), sqrt(32.0 / 7 / 8), 1e-14);
	assert_true(sample.least == 2 && sample.most == 9);
}

static void fewer_than_two_values_have_no_spread(void **state)
{
	(void)state;
	struct uh_sample sample = {0};
	assert_true(uh_sample_variance(&sample) == 0 && uh_sample_error(&sample) == 0);
	uh_sample_add(&sample, -3);
	assert_true(uh_sample_variance(&sample) == 0 && uh_sample_error(&sample) == 0);
	assert_true(sample.least == -3 && sample.most == -3);
}

/* The textbook formula, sum of squares less square of the sum, loses all digits here. */
static void a_large_offset_does_not_drown_the_spread(void **state)
{
	(void)state;
	const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
	struct uh_sample sample = sample_of(values, 4);
	expect_near(uh_sample_variance(&sample), 30, 1e-9);
}

/* Tables of Student's t, two sides 95 % and 99 %, to the digits that they print. */
static void student_as_in_the_tables(void **state)
{
	(void)state;
	static const struct {
		double probability, freedom, t;
	} rows[] = {
	    {0.975, 1, 12.7062},  {0.975, 2, 4.30265},   {0.975, 5, 2.57058}, {0.975, 10, 2.22814},
	    {0.975, 30, 2.04227}, {0.975, 120, 1.97993}, {0.995, 1, 63.6567}, {0.995, 4, 4.60409},
	    {0.995, 20, 2.84534}, {0.95, 3, 2.35336},    {0.9, 7, 1.41492},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double t = uh_student_quantile(rows[i].probability, rows[i].freedom);
		expect_near(t, rows[i].t, 3e-6);
		expect_near(uh_student_quantile(1 - rows[i].probability, rows[i].freedom), -t,
			    1e-9);
	}
}

/* Closed forms: 1 degree tan(pi (p - 1/2)), 2 degrees (2p - 1) sqrt(2 / (1 - (2p - 1)^2)). */
static void student_as_in_the_closed_forms(void **state)
{
	(void)state;
	const double pi = acos(-1);
	for (double p = 0.51; p < 0.9999; p += 0.0173) {
		double a = 2 * p - 1;
		expect_near(uh_student_quantile(p, 1), tan(pi * (p - 0.5)), 1e-9);
		expect_near(uh_student_quantile(p, 2), a * sqrt(2 / (1 - a * a)), 1e-9);
	}
	expect_near(uh_student_quantile(0.975, 1e7), 1.959964, 1e-6);
	assert_true(uh_student_quantile(0.5, 3) == 0);
}

/* Two samples of unequal spread. The wanted numbers are Welch's formulas in 50 digits, and the
 * integral of Student's density by Simpson's rule: nothing of what the library does. */
static void welch(void **state)
{
	(void)state;
	const double a[] = {27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1,
			    21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4};
	const double b[] = {27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0,
			    24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 31.3};
	struct uh_sample left = sample_of(a, 15);
	struct uh_sample right = sample_of(b, 15);
	struct uh_welch result;
	uh_welch(&left, &right, &result);
	expect_near(result.difference, 3.2933333333333333, 1e-10);
	expect_near(result.freedom, 27.311610472220312, 1e-10);
	expect_near(result.half_width, 2.29000129864, 1e-9);
}

static void welch_with_too_little(void **state)
{
	(void)state;
	const double values[] = {1, 2};
	struct uh_sample one = sample_of(values, 1);
	struct uh_sample two = sample_of(values, 2);
	struct uh_welch result;
	uh_welch(&one, &two, &result);
	assert_true(isinf(result.half_width) && result.difference == 0.5);
	const double same[] = {4, 4, 4};
	struct uh_sample constant = sample_of(same, 3);
	uh_welch(&constant, &constant, &result);
	assert_true(result.half_width == 0 && result.difference == 0 && result.freedom == 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(mean_and_spread),
	    cmocka_unit_test(fewer_than_two_values_have_no_spread),
	    cmocka_unit_test(a_large_offset_does_not_drown_the_spread),
	    cmocka_unit_test(student_as_in_the_tables),
	    cmocka_unit_test(student_as_in_the_closed_forms),
	    cmocka_unit_test(welch),
	    cmocka_unit_test(welch_with_too_little),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
