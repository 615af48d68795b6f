/* SPDX-License-Identifier: BSD-3-Clause */
/* many_threads N: starts N threads, says "ready" on standard output, and waits for the end of its
 * standard input. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *wait_for_the_end(void *argument)
{
	(void)argument;
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	long wanted = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	pthread_attr_t attributes;
	char byte;

	if (wanted < 1 || wanted > 100000) {
		(void)fprintf(stderr, "usage: many_threads N\n");
		return 2;
	}
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
	for (long i = 0; i < wanted; i++) {
		pthread_t thread;
		if (pthread_create(&thread, &attributes, wait_for_the_end, NULL) != 0) {
			(void)fprintf(stderr, "only %ld threads could be started\n", i);
			return 77;
		}
	}
	(void)puts("ready");
	(void)fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
