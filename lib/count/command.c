/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/command.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static _Noreturn void child(int cork, int failure, const char *path, char *const argv[],
			    uh_in_child in_child, void *context)
{
	char go;
	ssize_t got;
	do
		got = read(cork, &go, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(125);
	if (in_child)
		in_child(context);
	execvp(path, argv);
	int code = errno;
	/* The parent is told; if even that fails the exit status still says what happened. */
	(void)uh_write_all(failure, (const char *)&code, sizeof(code));
	_exit(code == ENOENT ? 127 : 126);
}

int uh_command_fork(struct uh_command *command, const char *path, char *const argv[],
		    uh_in_child in_child, void *context, struct uh_error *error)
{
	int cork[2];
	int failure[2];
	if (pipe2(cork, O_CLOEXEC))
		return uh_fail_errno(error, -errno, "cannot make a pipe");
	if (pipe2(failure, O_CLOEXEC)) {
		int code = -errno;
		close(cork[0]);
		close(cork[1]);
		return uh_fail_errno(error, code, "cannot make a pipe");
	}
	pid_t pid = fork();
	if (pid == 0) {
		close(cork[1]);
		close(failure[0]);
		child(cork[0], failure[1], path, argv, in_child, context);
	}
	int code = -errno;
	close(cork[0]);
	close(failure[1]);
	if (pid < 0) {
		close(cork[1]);
		close(failure[0]);
		return uh_fail_errno(error, code, "cannot start a process");
	}
	*command = (struct uh_command){pid, cork[1], failure[0]};
	return 0;
}

int uh_command_run(struct uh_command *command, const char *name, struct uh_error *error)
{
	int code = 0;
	ssize_t got;
	int status = uh_write_all(command->cork, "g", 1);
	close(command->cork);
	command->cork = -1;
	do
		got = read(command->failure, &code, sizeof(code));
	while (got < 0 && errno == EINTR);
	close(command->failure);
	command->failure = -1;
	if (status)
		return uh_fail_errno(error, status, "cannot start %s", name);
	if (got == (ssize_t)sizeof(code)) {
		(void)waitpid(command->pid, NULL, 0);
		command->pid = 0;
		return uh_fail_errno(error, -code, "cannot run %s", name);
	}
	return 0;
}

void uh_command_close(struct uh_command *command)
{
	if (command->cork >= 0 && command->pid) {
		close(command->cork);
		close(command->failure);
		(void)waitpid(command->pid, NULL, 0);
	}
	command->pid = 0;
}
