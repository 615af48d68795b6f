/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The truth to compare with: runs a single-threaded program one instruction at
 * a time under ptrace and counts instructions and conditional jumps, taken ones,
 * too. A rep string instruction counts once, however many steps the
 * processor makes of it. Slow: tens of microseconds a step.
 *
 *     single_step program arguments...
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct counts {
	uint64_t instructions;
	uint64_t conditional;
	uint64_t taken;
};

static int is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0x2e || byte == 0x3e || byte == 0xf2 ||
	       byte == 0xf3;
}

static bool is_conditional(const uint8_t *bytes)
{
	while (is_prefix(*bytes))
		bytes++;
	return (bytes[0] >= 0x70 && bytes[0] <= 0x7f) || (bytes[0] >= 0xe0 && bytes[0] <= 0xe3) ||
	       (bytes[0] == 0x0f && bytes[1] >= 0x80 && bytes[1] <= 0x8f);
}

static size_t conditional_length(const uint8_t *bytes)
{
	size_t prefixes = 0;
	while (is_prefix(bytes[prefixes]))
		prefixes++;
	return prefixes + (bytes[prefixes] == 0x0f ? 6 : 2);
}

static void step_all(pid_t child, struct counts *counts, int *status)
{
	struct user_regs_struct registers;
	uint64_t jump = 0, jump_end = 0, last = 0;
	while (WIFSTOPPED(*status)) {
		uint64_t words[2];
		if (ptrace(PTRACE_GETREGS, child, 0, &registers))
			return;
		uint64_t at = registers.rip;
		counts->taken += jump && at != jump_end;
		words[0] = (uint64_t)ptrace(PTRACE_PEEKTEXT, child, at, 0);
		words[1] = (uint64_t)ptrace(PTRACE_PEEKTEXT, child, at + 8, 0);
		counts->instructions += at != last; /* the same again: a rep instruction */
		last = at;
		const uint8_t *bytes = (const uint8_t *)words;
		bool conditional = is_conditional(bytes);
		jump = conditional ? at : 0;
		jump_end = conditional ? at + conditional_length(bytes) : 0;
		counts->conditional += conditional;
		if (conditional) /* a jump to itself is no rep */
			last = 0;
		int signal = WSTOPSIG(*status) == SIGTRAP ? 0 : WSTOPSIG(*status);
		if (ptrace(PTRACE_SINGLESTEP, child, 0, signal) ||
		    waitpid(child, status, 0) != child)
			return;
	}
}

int main(int argc, char **argv)
{
	struct counts counts = {0};
	int status;
	if (argc < 2)
		return 2;
	pid_t child = fork();
	if (!child) {
		(void)personality(ADDR_NO_RANDOMIZE);
		(void)ptrace(PTRACE_TRACEME, 0, 0, 0);
		(void)execv(argv[1], argv + 1);
		_exit(126);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 125;
	step_all(child, &counts, &status);
	fprintf(
	    stderr,
	    "instructions\t%llu\nbranches_conditional\t%llu\nbranches_conditional_taken\t%llu\n",
	    (unsigned long long)counts.instructions, (unsigned long long)counts.conditional,
	    (unsigned long long)counts.taken);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}
