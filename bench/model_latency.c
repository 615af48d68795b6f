/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures, on the processor it runs on, the parameters of data/emulated-core.tsv
 * that can be measured without counters. All times are in core cycles, whose length is
 * that of one addition in a chain of dependent additions.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define LINE 64
#define ROUNDS 20

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_number(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Seconds of the fastest of some rounds. */
static double fastest(double (*round)(void *), void *what)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double took = round(what);
		best = took < best ? took : best;
	}
	return best;
}

/* Nanoseconds of a core cycle. */
static double chain_round(void *unused)
{
	uint64_t sum = 1;
	double start = now();

	(void)unused;
	for (int i = 0; i < 500000; i++) {
		__asm__ volatile("add $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\t"
				 "add $1, %0\n\tadd $1, %0\n\tadd $1, %0\n\tadd $1, %0"
				 : "+r"(sum));
	}
	return (now() - start) / 4e6;
}

struct chase {
	void **at;
	size_t lines;
};

static double chase_round(void *what)
{
	struct chase *chase = (struct chase *)what;
	void **at = chase->at;
	const size_t steps = 500000;
	double start = now();

	for (size_t i = 0; i < steps; i++)
		__asm__ volatile("mov (%0), %0" : "+r"(at) : : "memory");
	double took = now() - start;
	chase->at = at;
	return took / (double)steps;
}

/* One cycle through all lines in random order, on huge pages where they can be had. */
static void make_chase(struct chase *chase, char *memory, size_t bytes)
{
	size_t lines = bytes / LINE;
	uint32_t *order = malloc(lines * sizeof(*order));

	if (!order)
		errx(1, "out of memory");
	for (size_t i = 0; i < lines; i++)
		order[i] = (uint32_t)i;
	for (size_t i = lines - 1; i > 0; i--) {
		size_t other = random_number() % (i + 1);
		uint32_t kept = order[i];
		order[i] = order[other];
		order[other] = kept;
	}
	for (size_t i = 0; i < lines; i++)
		*(void **)(memory + LINE * (size_t)order[i]) =
		    memory + LINE * (size_t)order[(i + 1) % lines];
	*chase = (struct chase){(void **)memory, lines};
	free(order);
}

/* Seconds a line of reading memory in order. */
static double stream_round(void *what)
{
	const struct chase *chase = (const struct chase *)what;
	const volatile uint64_t *word = (const volatile uint64_t *)chase->at;
	double start = now();

	for (size_t i = 0; i < chase->lines; i++)
		(void)word[i * (LINE / sizeof(*word))];
	return (now() - start) / (double)chase->lines;
}

#define OUTCOMES (1 << 20)

static double branch_round(void *what)
{
	const uint8_t *outcomes = (const uint8_t *)what;
	uint64_t sum = 0;
	double start = now();

	for (int i = 0; i < OUTCOMES; i++) {
		if (outcomes[i])
			__asm__ volatile("add $1, %0" : "+r"(sum));
		else
			__asm__ volatile("sub $1, %0" : "+r"(sum));
	}
	return (now() - start) / OUTCOMES;
}

static void report_branches(double cycle)
{
	static uint8_t outcomes[OUTCOMES];
	double steady = fastest(branch_round, outcomes);

	for (int i = 0; i < OUTCOMES; i++)
		outcomes[i] = (uint8_t)(random_number() >> 63);
	double random = fastest(branch_round, outcomes);
	/* Half of random outcomes are mispredicted. */
	printf("branch_miss_penalty %17.1f cycles\n", 2 * (random - steady) / cycle);
}

int main(void)
{
	static const size_t sizes[] = {16u << 10, 512u << 10, 8u << 20, 256u << 20};
	static const char *const names[] = {"l1d_latency", "l2_latency", "l3_latency",
					    "memory_latency"};
	const size_t bytes = 256u << 20;
	double cycle = fastest(chain_round, NULL);
	struct chase chase = {0};

	char *memory =
	    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		err(1, "cannot map %zu bytes", bytes);
	(void)madvise(memory, bytes, MADV_HUGEPAGE);
	printf("core clock %26.2f GHz\n", 1e-9 / cycle);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		make_chase(&chase, memory, sizes[i]);
		printf("%-15s (%6zu KiB) %8.1f cycles\n", names[i], sizes[i] >> 10,
		       fastest(chase_round, &chase) / cycle);
	}
	chase.at = (void **)memory;
	printf("stream_line %25.1f cycles\n", fastest(stream_round, &chase) / cycle);
	report_branches(cycle);
	return munmap(memory, bytes);
}
