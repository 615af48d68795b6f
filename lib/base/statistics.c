/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/statistics.h"

#include <math.h>

void uh_sample_add(struct uh_sample *sample, double value)
{
	if (!sample->count || value < sample->least)
		sample->least = value;
	if (!sample->count || value > sample->most)
		sample->most = value;
	sample->count++;
	double deviation = value - sample->mean;
	sample->mean += deviation / (double)sample->count;
	sample->squares += deviation * (value - sample->mean);
}

struct uh_sample uh_sample_scaled(const struct uh_sample *sample, double factor)
{
	return (struct uh_sample){.count = sample->count,
				  .mean = sample->mean * factor,
				  .squares = sample->squares * factor * factor,
				  .least = sample->least * factor,
				  .most = sample->most * factor};
}

double uh_sample_variance(const struct uh_sample *sample)
{
	return sample->count < 2 ? 0 : sample->squares / (double)(sample->count - 1);
}

double uh_sample_error(const struct uh_sample *sample)
{
	return sample->count < 2 ? 0 : sqrt(uh_sample_variance(sample) / (double)sample->count);
}

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1;
	double d = 1 - (a + b) * x / (a + 1);
	if (fabs(d) < tiny)
		d = tiny;
	d = 1 / d;
	double result = d;
	for (int m = 1; m <= 500; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step = 1;
		for (int half = 0; half < 2; half++) {
			double term = half ? odd : even;
			d = 1 + term * d;
			c = 1 + term / c;
			if (fabs(d) < tiny)
				d = tiny;
			if (fabs(c) < tiny)
				c = tiny;
			d = 1 / d;
			step = d * c;
			result *= step;
		}
		if (fabs(step - 1) < 1e-15)
			break;
	}
	return result;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* The probability that |T| exceeds t. */
static double student_tails(double t, double freedom)
{
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double uh_student_quantile(double probability, double freedom)
{
	if (probability == 0.5)
		return 0;
	double tails = 2 * (probability < 0.5 ? probability : 1 - probability);
	double low = 0;
	double high = 1;
	while (student_tails(high, freedom) > tails && high < 1e300)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-13 * high; i++) {
		double middle = (low + high) / 2;
		if (student_tails(middle, freedom) > tails)
			low = middle;
		else
			high = middle;
	}
	double t = (low + high) / 2;
	return probability < 0.5 ? -t : t;
}

void uh_welch(const struct uh_sample *left, const struct uh_sample *right, struct uh_welch *out)
{
	out->difference = right->mean - left->mean;
	out->freedom = 0;
	out->half_width = INFINITY;
	if (left->count < 2 || right->count < 2)
		return;
	double a = uh_sample_variance(left) / (double)left->count;
	double b = uh_sample_variance(right) / (double)right->count;
	if (a + b == 0) {
		out->freedom = (double)(left->count + right->count - 2);
		out->half_width = 0;
		return;
	}
	out->freedom = (a + b) * (a + b) /
		       (a * a / (double)(left->count - 1) + b * b / (double)(right->count - 1));
	out->half_width = uh_student_quantile(0.975, out->freedom) * sqrt(a + b);
}
