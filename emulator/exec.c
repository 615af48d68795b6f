/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "emulator/follow.h"
#include "emulator/region.h"
#include "machine/emulated_program.h"

#define STRINGS 2097152u /* more arguments than the kernel takes */

static char program_path[UH_PROGRAM_PATH];
static struct uh_emulator emulator;

void uh_follow_emulator(const char *path, const char *plugin)
{
	emulator.path = path;
	emulator.plugin = plugin;
}

void uh_follow_program(const char *path)
{
	if (!realpath(path, program_path))
		(void)snprintf(program_path, sizeof(program_path), "%s", path);
}

/* Copies from the program's memory, which may not be there; returns how much was. */
static size_t peek(uint64_t address, void *out, size_t size)
{
	struct iovec here = {.iov_base = out, .iov_len = size};
	struct iovec there = {.iov_base = (void *)address, .iov_len = size};
	ssize_t done = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
	return done < 0 ? 0 : (size_t)done;
}

/* Whether a string ends within `size` bytes of readable memory; `out` may be NULL. */
static bool peek_string(uint64_t address, char *out, size_t size)
{
	char piece[256];
	for (size_t done = 0; done < size;) {
		/* Never across a page: the next one may be missing. */
		size_t wanted = 4096 - (address + done) % 4096;
		wanted = wanted < sizeof(piece) ? wanted : sizeof(piece);
		wanted = wanted < size - done ? wanted : size - done;
		if (peek(address + done, piece, wanted) != wanted)
			return false;
		if (out)
			memcpy(out + done, piece, wanted);
		if (memchr(piece, 0, wanted))
			return true;
		done += wanted;
	}
	return false;
}

/* Whether a list of strings, NULL at its end, can be read; NULL itself is an empty list. */
static bool list_readable(uint64_t list)
{
	uint64_t word;
	for (uint64_t i = 0; list && i < STRINGS; i++) {
		if (peek(list + 8 * i, &word, sizeof(word)) != sizeof(word))
			return false;
		if (!word)
			return true;
		if (!peek_string(word, NULL, 32 * 4096))
			return false;
	}
	return !list;
}

static bool is_own_link(const char *path)
{
	char numbered[64];
	(void)snprintf(numbered, sizeof(numbered), "/proc/%d/exe", (int)getpid());
	return !strcmp(path, "/proc/self/exe") || !strcmp(path, "/proc/thread-self/exe") ||
	       !strcmp(path, numbered);
}

/* What an open file is called; its /proc name when it has none any more. */
static bool name_of_descriptor(int descriptor, char *out)
{
	char link[64];
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	ssize_t length = readlink(link, out, UH_PROGRAM_PATH - 1);
	if (length <= 0)
		return false;
	out[length] = '\0';
	if (access(out, F_OK) != 0)
		(void)strcpy(out, link);
	return true;
}

/* The path as this process can open it. */
static bool locate(int directory, uint64_t address, int flags, char *out)
{
	char path[UH_PROGRAM_PATH];
	if (flags & AT_SYMLINK_NOFOLLOW || !peek_string(address, path, sizeof(path)))
		return false;
	int length;
	/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch): peeking has filled it */
	if (!*path && (flags & AT_EMPTY_PATH))
		return name_of_descriptor(directory, out);
	if (is_own_link(path))
		length = snprintf(out, UH_PROGRAM_PATH, "%s", program_path);
	else if (*path == '/' || directory == AT_FDCWD)
		length = snprintf(out, UH_PROGRAM_PATH, "%s", path);
	else
		length = snprintf(out, UH_PROGRAM_PATH, "/proc/self/fd/%d/%s", directory, path);
	return length < UH_PROGRAM_PATH;
}

/* The next process image needs the emulator and the watcher's file; see that they are there. */
static bool can_emulate(void)
{
	char shared[64];
	(void)snprintf(shared, sizeof(shared), "/proc/%d/fd/%d", (int)uh_attachment.watcher,
		       uh_attachment.descriptor);
	return emulator.path && !access(emulator.path, X_OK) && !access(shared, R_OK | W_OK);
}

static void launch(struct uh_program *program, uint64_t arguments, uint64_t environment)
{
	struct uh_launch launch;
	if (uh_launch_build(&emulator, program, (char *const *)arguments,
			    (char *const *)environment, &launch)) {
		uh_note("%s ran natively, uncounted: out of memory", program->path);
		return;
	}
	(void)execve(launch.path, launch.arguments, launch.environment);
	uh_note("%s ran natively, uncounted: %s", program->path, strerror(errno));
	uh_launch_free(&launch);
}

void uh_exec(int directory, uint64_t path, uint64_t arguments, uint64_t environment, int flags)
{
	char wanted[UH_PROGRAM_PATH];
	struct uh_program program;

	if (!locate(directory, path, flags, wanted))
		return;
	uh_program_resolve(wanted, &program);
	if (program.kind == UH_PROGRAM_FAILS || program.kind == UH_PROGRAM_UNKNOWN)
		return;
	if (program.kind != UH_PROGRAM_RUNS)
		uh_note("%s ran natively, uncounted: it %s", wanted,
			uh_program_obstacle(program.kind));
	else if (!can_emulate())
		uh_note("%s ran natively, uncounted: the emulator is out of its reach", wanted);
	else if (list_readable(arguments) && list_readable(environment))
		launch(&program, arguments, environment);
}
