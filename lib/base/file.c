/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A recorded tree may hold a FIFO, by malice or by accident: it must not stop us. */
static int open_file(int root, const char *path)
{
	return openat(root, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static ssize_t read_some(int descriptor, char *bytes, size_t count)
{
	ssize_t got;
	do
		got = read(descriptor, bytes, count);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

static int read_all(int descriptor, size_t limit, struct uh_text *text)
{
	char piece[4096];
	for (;;) {
		ssize_t got = read_some(descriptor, piece, sizeof(piece));
		if (got <= 0)
			return (int)got;
		if (text->length + (size_t)got > limit)
			return -EFBIG;
		uh_text_bytes(text, piece, (size_t)got);
		if (text->failed)
			return -ENOMEM;
	}
}

int uh_file_read(int root, const char *path, size_t limit, struct uh_text *text)
{
	int descriptor = open_file(root, path);
	if (descriptor < 0)
		return -errno;
	uh_text_clear(text);
	uh_text_string(text, "");
	int status = text->failed ? -ENOMEM : read_all(descriptor, limit, text);
	close(descriptor);
	return status;
}

int uh_file_line(int root, const char *path, char *line, size_t size)
{
	int descriptor = open_file(root, path);
	if (descriptor < 0)
		return -errno;
	size_t length = 0;
	ssize_t got = 0;
	while (length < size && (got = read_some(descriptor, line + length, size - length)) > 0)
		length += (size_t)got;
	close(descriptor);
	if (got < 0)
		return (int)got;
	if (length == size)
		return -EFBIG;
	line[length] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

int uh_file_number(int root, const char *path, int64_t *value)
{
	char line[32];
	int status = uh_file_line(root, path, line, sizeof(line));
	if (status)
		return status;
	char *end;
	errno = 0;
	long long number = strtoll(line, &end, 10);
	if (errno || end == line || *end)
		return -EINVAL;
	*value = number;
	return 0;
}

int uh_write_all(int descriptor, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(descriptor, bytes, count);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		bytes += written;
		count -= (size_t)written;
	}
	return 0;
}
