/* SPDX-License-Identifier: BSD-3-Clause */
/* The few statistics that repeated runs and comparisons need. */
#ifndef UH_BASE_STATISTICS_H
#define UH_BASE_STATISTICS_H

#include <stddef.h>

/* Running mean and variance by Welford's method. Zero-initialise. */
struct uh_sample {
	size_t count;
	double mean;
	double squares; /* sum of squared deviations from the mean */
	double least, most;
};

void uh_sample_add(struct uh_sample *sample, double value);

/* The sample of the same values, each multiplied by `factor`. */
struct uh_sample uh_sample_scaled(const struct uh_sample *sample, double factor);

/* Sample variance (n - 1 in the denominator); 0 below two values. */
double uh_sample_variance(const struct uh_sample *sample);

/* Standard error of the mean; 0 below two values. */
double uh_sample_error(const struct uh_sample *sample);

/*
 * The quantile of Student's t distribution: the t for which a variable with
 * `freedom` degrees of freedom (need not be whole, > 0) is below it with `probability`
 * (0 < probability < 1). Accurate to about 1e-9 relative.
 */
double uh_student_quantile(double probability, double freedom);

/* Welch's comparison of two means: right minus left. */
struct uh_welch {
	double difference;
	double half_width; /* of the 95 % interval of the difference */
	double freedom;
};

/* Needs two values on each side; fewer give a half-width of infinity. */
void uh_welch(const struct uh_sample *left, const struct uh_sample *right, struct uh_welch *out);

#endif
