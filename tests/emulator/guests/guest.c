/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a measured program may do, a word each. Where counts matter, the work is
 * spin(): exactly three instructions, one of them a conditional jump, a turn.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURNS 1000000ul

static void spin(unsigned long turns)
{
	unsigned long at = 0;
	__asm__ volatile("1: add $1, %0\n\tcmp %1, %0\n\tjne 1b" : "+r"(at) : "r"(turns) : "cc");
}

static void *spin_in_thread(void *data)
{
	spin((unsigned long)data);
	return NULL;
}

static int threads(unsigned long count, unsigned long turns)
{
	pthread_t ids[64];
	for (unsigned long i = 0; i < count; i++) {
		if (pthread_create(&ids[i], NULL, spin_in_thread, (void *)turns))
			return 1;
	}
	for (unsigned long i = 0; i < count; i++)
		(void)pthread_join(ids[i], NULL);
	return 0;
}

/* Threads one after another. */
static int serial(unsigned long count, unsigned long turns)
{
	for (unsigned long i = 0; i < count; i++) {
		if (threads(1, turns))
			return 1;
	}
	return 0;
}

static int wait_for(pid_t child)
{
	int status;
	return child < 0 || waitpid(child, &status, 0) != child || status;
}

static int children(unsigned long count, unsigned long turns, int virtual)
{
	for (volatile unsigned long i = 0; i < count; i++) {
		pid_t child = virtual ? vfork() : fork();
		if (!child) {
			spin(turns);
			_exit(0);
		}
		if (wait_for(child))
			return 1;
	}
	return 0;
}

static int spawn(char **arguments)
{
	pid_t child;
	return posix_spawnp(&child, arguments[0], NULL, NULL, arguments, environ) ||
	       wait_for(child);
}

static int close_all(void)
{
	for (int i = 0; i < 1024; i++)
		(void)close(i);
	spin(TURNS);
	pid_t child = fork();
	if (!child) {
		spin(TURNS);
		_exit(0);
	}
	return wait_for(child);
}

/* Which descriptors are open: only the standard ones should be. */
static int descriptors(void)
{
	int found = 0;
	for (int i = 3; i < 1024; i++)
		found += fcntl(i, F_GETFD) >= 0;
	return found;
}

static int show(char **arguments)
{
	for (; *arguments; arguments++)
		printf("[%s]", *arguments);
	printf("\n");
	return 0;
}

static unsigned long number(const char *text)
{
	return text ? strtoul(text, NULL, 10) : 0;
}

/*
 * Branchy work without the C library, which picks its functions by the
 * processor: sorts by insertion what a generator of numbers gives.
 */
static int sort(unsigned long count)
{
	static unsigned int items[4096];
	unsigned int state = 1;
	for (unsigned long i = 0; i < count && i < 4096; i++) {
		state = state * 1664525u + 1013904223u;
		unsigned long at = i;
		for (; at > 0 && items[at - 1] > state; at--)
			items[at] = items[at - 1];
		items[at] = state;
	}
	return count > 1 && items[0] > items[1];
}

/* Work of the C library's, branchy and always the same. */
static int print(unsigned long count)
{
	char line[128];
	unsigned long sum = 0;
	for (unsigned long i = 0; i < count; i++) {
		(void)snprintf(line, sizeof(line), "%lu %x %s %.3f", i * 7919, (unsigned)i, "text",
			       (double)i / 7);
		sum += strlen(line) + number(line);
	}
	return sum == 0;
}

static int self(const char *argv0)
{
	char *const arguments[] = {(char *)argv0, (char *)"spin", (char *)"2000000", NULL};
	(void)execve("/proc/self/exe", arguments, environ);
	return 1;
}

static int by_descriptor(const char *path)
{
	char *const arguments[] = {(char *)"x", (char *)"spin", (char *)"2000000", NULL};
	int descriptor = open(path, O_PATH | O_CLOEXEC);
	(void)fexecve(descriptor, arguments, environ);
	return 1;
}

static int wait_to_be_killed(void)
{
	(void)alarm(30); /* nobody may be left to do it */
	spin(1000);
	return pause();
}

static int killed(void)
{
	spin(TURNS);
	(void)kill(getpid(), SIGKILL);
	return 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	if (!strcmp(what, "spin"))
		return (void)spin(number(argv[2])), 0;
	if (!strcmp(what, "threads") && argc > 3)
		return threads(number(argv[2]), number(argv[3]));
	if (!strcmp(what, "serial") && argc > 3)
		return serial(number(argv[2]), number(argv[3]));
	if (!strcmp(what, "wait"))
		return wait_to_be_killed();
	if (!strcmp(what, "sort"))
		return sort(number(argv[2]));
	if (!strcmp(what, "print"))
		return print(number(argv[2]));
	if (!strcmp(what, "variable") && argc > 2)
		return puts(getenv(argv[2]) ? getenv(argv[2]) : "unset") < 0;
	if (!strcmp(what, "fork"))
		return children(number(argv[2]), TURNS, 0);
	if (!strcmp(what, "vfork"))
		return children(number(argv[2]), TURNS, 1);
	if (!strcmp(what, "forks"))
		return children(number(argv[2]), 1000, 0);
	if (!strcmp(what, "spawn") && argc > 2)
		return spawn(argv + 2);
	if (!strcmp(what, "exec") && argc > 2)
		return execv(argv[2], argv + 2);
	if (!strcmp(what, "close"))
		return close_all();
	if (!strcmp(what, "descriptors"))
		return descriptors();
	if (!strcmp(what, "show"))
		return show(argv);
	if (!strcmp(what, "self"))
		return self(argv[0]);
	if (!strcmp(what, "fexecve"))
		return by_descriptor(argv[2]);
	if (!strcmp(what, "kill"))
		return killed();
	if (!strcmp(what, "exit"))
		return (int)number(argv[2]);
	return 2;
}
