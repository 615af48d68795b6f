/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

static int open_fifo(const char *path, struct uh_error *error)
{
	/* For reading and writing: opening must not wait for the other side, and the
	 * FIFO must not end when a writer goes. */
	int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (descriptor < 0)
		return uh_fail_errno(error, -errno, "--control: cannot open %s", path);
	return descriptor;
}

static int take_descriptor(const char *text, struct uh_error *error)
{
	uint64_t number;
	if (!uh_parse_u64(text, &number) || number > 1 << 20 || fcntl((int)number, F_GETFD) < 0)
		return uh_fail(error, -EBADF, "--control: %s is not an open file descriptor", text);
	return (int)number;
}

int control_open(const char *text, struct control *control, struct uh_error *error)
{
	char copy[1024];
	bool fifo = !strncmp(text, "fifo:", 5);
	*control = (struct control){.commands = -1, .answers = -1};
	if (!fifo && strncmp(text, "fd:", 3) != 0)
		return uh_fail(error, -EINVAL,
			       "--control: \"%s\" is neither fifo:CTL[,ACK] nor fd:CTL[,ACK]",
			       text);
	const char *names = strchr(text, ':') + 1;
	if (strlen(names) >= sizeof(copy))
		return uh_fail(error, -EINVAL, "--control: the name is too long");
	(void)snprintf(copy, sizeof(copy), "%s", names);
	char *answers = strchr(copy, ',');
	if (answers)
		*answers++ = '\0';
	control->commands = fifo ? open_fifo(copy, error) : take_descriptor(copy, error);
	if (control->commands < 0)
		return control->commands;
	if (answers)
		control->answers =
		    fifo ? open_fifo(answers, error) : take_descriptor(answers, error);
	if (answers && control->answers < 0) {
		int code = control->answers;
		control->answers = -1;
		return code;
	}
	return 0;
}

static enum control_command meaning(const char *line)
{
	static const struct {
		const char *word;
		enum control_command command;
	} words[] = {{"enable", CONTROL_ENABLE},
		     {"disable", CONTROL_DISABLE},
		     {"ping", CONTROL_PING},
		     {"stop", CONTROL_STOP}};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(line, words[i].word))
			return words[i].command;
	return CONTROL_UNKNOWN;
}

/* Asked before each read: a descriptor that was handed to us is shared with others, so it is not
 * ours to make non-blocking. */
static bool has_bytes(int descriptor)
{
	struct pollfd file = {.fd = descriptor, .events = POLLIN};
	return poll(&file, 1, 0) > 0;
}

enum control_command control_next(struct control *control)
{
	for (;;) {
		char byte;
		if (!has_bytes(control->commands))
			return CONTROL_NOTHING;
		ssize_t got = read(control->commands, &byte, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? CONTROL_NOTHING : CONTROL_CLOSED;
		if (got == 0)
			return CONTROL_CLOSED;
		if (byte != '\n' && byte != '\0') {
			if (control->used < sizeof(control->line) - 1)
				control->line[control->used++] = byte;
			continue;
		}
		control->line[control->used] = '\0';
		control->used = 0;
		return meaning(control->line);
	}
}

void control_answer(const struct control *control)
{
	/* Whoever asked may have gone: that is no reason to end the count. */
	if (control->answers >= 0)
		(void)uh_write_all(control->answers, "ack\n", 4);
}

void control_close(struct control *control)
{
	if (control->commands > 2)
		close(control->commands);
	if (control->answers > 2)
		close(control->answers);
	control->commands = control->answers = -1;
}
