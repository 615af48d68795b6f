/* SPDX-License-Identifier: BSD-3-Clause */
/* How to run a program emulated. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/emulated_own.h"

static int try_path(const char *directory, size_t length, const char *name, char *path, size_t size)
{
	struct stat status;
	int used = length ? snprintf(path, size, "%.*s/%s", (int)length, directory, name)
			  : snprintf(path, size, "%s", name);
	if (used < 0 || (size_t)used >= size)
		return -ENAMETOOLONG;
	if (stat(path, &status))
		return errno == EACCES ? -EACCES : -ENOENT;
	return S_ISREG(status.st_mode) && !access(path, X_OK) ? 0 : -EACCES;
}

int uh_path_search(const char *name, char *path, size_t size)
{
	if (strchr(name, '/') || !*name)
		return try_path("", 0, name, path, size);
	const char *directory = getenv("PATH");
	int code = -ENOENT;
	if (!directory)
		directory = "/bin:/usr/bin"; /* what execvp takes then */
	for (bool more = true; more; directory++) {
		size_t length = strcspn(directory, ":");
		const char *where = length ? directory : "."; /* an empty entry is here */
		int tried = try_path(where, length ? length : 1, name, path, size);
		if (!tried)
			return 0;
		if (tried == -EACCES)
			code = -EACCES;
		directory += length;
		more = *directory == ':';
	}
	return code;
}

/* What is neither ELF nor script is given to the shell, as execvp does. */
struct parts {
	struct uh_program program;
	struct uh_launch launch;
	char found[UH_PROGRAM_PATH];
	char **shell; /* the arguments when the shell runs it; NULL else */
};

static int use_shell(struct parts *parts, char *const arguments[])
{
	size_t count = 0;
	while (arguments[count])
		count++;
	parts->shell = calloc(count + 2, sizeof(char *));
	if (!parts->shell)
		return -ENOMEM;
	parts->shell[0] = (char *)"sh";
	parts->shell[1] = parts->found;
	for (size_t i = 1; i < count; i++)
		parts->shell[i + 1] = arguments[i];
	uh_program_resolve("/bin/sh", &parts->program);
	return 0;
}

static int resolve(struct parts *parts, char *const arguments[], struct uh_error *error)
{
	const char *name = arguments[0];
	int code = uh_path_search(name, parts->found, sizeof(parts->found));
	if (code)
		return uh_fail_errno(error, code, "%s cannot be run", name);
	uh_program_resolve(parts->found, &parts->program);
	if (parts->program.kind == UH_PROGRAM_UNKNOWN && use_shell(parts, arguments))
		return uh_fail_memory(error);
	if (parts->program.kind == UH_PROGRAM_FAILS)
		return uh_fail_errno(error, parts->program.code, "%s cannot be run", name);
	if (parts->program.kind != UH_PROGRAM_RUNS)
		return uh_fail(error, -ENOEXEC, "%s cannot be emulated: it %s", name,
			       uh_program_obstacle(parts->program.kind));
	return 0;
}

static void free_parts(struct parts *parts)
{
	uh_launch_free(&parts->launch);
	free(parts->shell);
	free(parts);
}

int uh_emulated_command(struct uh_emulated *emulated, char *const arguments[],
			char *const environment[], struct uh_emulated_command *command,
			struct uh_error *error)
{
	struct uh_emulator emulator = {.path = emulated->qemu, .plugin = emulated->option};
	if (!arguments[0])
		return uh_fail(error, -EINVAL, "no program was named");
	struct parts *parts = calloc(1, sizeof(*parts));
	if (!parts)
		return uh_fail_memory(error);
	int code = resolve(parts, arguments, error);
	if (!code &&
	    uh_launch_build(&emulator, &parts->program, parts->shell ? parts->shell : arguments,
			    environment ? environment : environ, &parts->launch))
		code = uh_fail_memory(error);
	if (code) {
		free_parts(parts);
		return code;
	}
	command->path = parts->launch.path;
	command->arguments = parts->launch.arguments;
	command->environment = parts->launch.environment;
	command->storage = parts;
	return 0;
}

void uh_emulated_command_free(struct uh_emulated_command *command)
{
	if (command->storage)
		free_parts(command->storage);
	memset(command, 0, sizeof(*command));
}

void uh_emulated_in_child(void)
{
	int now = personality(0xffffffff);
	if (now >= 0)
		(void)personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}
