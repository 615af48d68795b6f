/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One matrix multiplication, two orders of its loops.
 *
 *     matmul row [N]       the innermost loop walks along rows: memory in order
 *     matmul column [N]    the innermost loop walks down columns: N doubles apart
 *
 * Both run the same instructions the same number of times: the innermost loop is
 * one function, told how far apart the elements are. Each element of the product
 * is the same sum in the same order, so the checksums are equal to the last bit.
 * All that differs is the order in which memory is touched, and that is what the
 * counters are to show.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE 320
#define LARGEST_SIZE 8192

/* Small whole numbers: every product and every sum is exact. */
static void fill(double *matrix, size_t n, size_t step)
{
	for (size_t i = 0; i < n * n; i++)
		matrix[i] = (double)(i * step % 17) - 8.0;
}

/* Not inlined, or the compiler would make a shorter loop for the step of one. */
__attribute__((noinline)) static void add_scaled(double *to, const double *from, double factor,
						 size_t n, size_t step)
{
	for (size_t i = 0; i < n * step; i += step)
		to[i] += factor * from[i];
}

/* A row of the product is the sum of the rows of b, each times an element of a. */
static void multiply_by_rows(double *c, const double *a, const double *b, size_t n, size_t step)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			add_scaled(&c[i * n], &b[k * n], a[i * n + k], n, step);
}

/* A column of the product is the sum of the columns of a, each times an element of b. */
static void multiply_by_columns(double *c, const double *a, const double *b, size_t n, size_t step)
{
	for (size_t j = 0; j < n; j++)
		for (size_t k = 0; k < n; k++)
			add_scaled(&c[j], &a[k], b[k * n + j], n, step);
}

/* Weighted by place, so that a wrong element cannot hide behind another. */
static double checksum(const double *matrix, size_t n)
{
	double sum = 0.0;

	for (size_t i = 0; i < n * n; i++)
		sum += matrix[i] * (double)(i % 101 + 1);
	return sum;
}

static void multiply(double *a, double *b, double *c, size_t n, int by_rows)
{
	fill(a, n, 3);
	fill(b, n, 5);
	if (by_rows)
		multiply_by_rows(c, a, b, n, 1);
	else
		multiply_by_columns(c, a, b, n, n);
	printf("%zu x %zu, checksum %.0f\n", n, n, checksum(c, n));
}

static int usage(void)
{
	fprintf(stderr, "usage: matmul row|column [N]    (N from 1 to %d, default %d)\n",
		LARGEST_SIZE, DEFAULT_SIZE);
	return 2;
}

int main(int argc, char **argv)
{
	size_t n = DEFAULT_SIZE;

	if (argc < 2 || argc > 3)
		return usage();
	int by_rows = strcmp(argv[1], "row") == 0;
	if (!by_rows && strcmp(argv[1], "column") != 0)
		return usage();
	if (argc == 3) {
		char *end;
		unsigned long wanted = strtoul(argv[2], &end, 10);
		if (end == argv[2] || *end != '\0' || wanted < 1 || wanted > LARGEST_SIZE)
			return usage();
		n = wanted;
	}

	double *a = malloc(n * n * sizeof(*a));
	double *b = malloc(n * n * sizeof(*b));
	double *c = calloc(n * n, sizeof(*c));
	int ready = a && b && c;

	if (ready)
		multiply(a, b, c, n, by_rows);
	else
		fprintf(stderr, "matmul: no memory for three matrices of %zu x %zu\n", n, n);
	free(a);
	free(b);
	free(c);
	return ready ? 0 : 1;
}
