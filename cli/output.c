/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static int fail_open(const char *path, int code, struct uh_error *error)
{
	return uh_fail_errno(error, code, "cannot write %s", path);
}

static int open_in_place(const char *path, bool append, struct output *output,
			 struct uh_error *error)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC);
	output->descriptor = open(path, flags, 0666);
	return output->descriptor < 0 ? fail_open(path, -errno, error) : 0;
}

static int open_beside(const char *path, mode_t mode, struct output *output, struct uh_error *error)
{
	int length = snprintf(output->temporary, sizeof(output->temporary), "%s.XXXXXX", path);
	if (length < 0 || (size_t)length >= sizeof(output->temporary)) {
		output->temporary[0] = '\0';
		return fail_open(path, -ENAMETOOLONG, error);
	}
	output->descriptor = mkostemp(output->temporary, O_CLOEXEC);
	if (output->descriptor < 0) {
		int code = -errno;
		output->temporary[0] = '\0';
		return fail_open(path, code, error);
	}
	(void)fchmod(output->descriptor, mode);
	return 0;
}

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);
	(void)umask(mask);
	return 0666 & ~mask;
}

static int open_descriptor(int descriptor, struct output *output, struct uh_error *error)
{
	int flags = fcntl(descriptor, F_GETFL);
	if (flags < 0)
		return uh_fail_errno(error, -errno, "--log-fd %d: cannot write there", descriptor);
	if ((flags & O_ACCMODE) == O_RDONLY)
		return uh_fail(error, -EBADF, "--log-fd %d: it is open for reading only",
			       descriptor);
	output->descriptor = descriptor;
	return 0;
}

int output_open(const struct output_options *options, struct output *output, struct uh_error *error)
{
	struct stat found;
	*output = (struct output){.descriptor = STDERR_FILENO, .path = options->path};
	if (options->descriptor >= 0)
		return open_descriptor(options->descriptor, output, error);
	if (!options->path)
		return 0;
	if (!*options->path)
		return uh_fail(error, -ENOENT, "-o: the name of the file is empty");
	bool exists = !lstat(options->path, &found);
	/* What a link leads to keeps its names, and a special file stays what it is. */
	bool in_place = exists && (!S_ISREG(found.st_mode) || found.st_nlink > 1);
	if (exists && S_ISLNK(found.st_mode) && stat(options->path, &found))
		exists = false;
	if (exists && S_ISDIR(found.st_mode))
		return fail_open(options->path, -EISDIR, error);
	if (exists && access(options->path, W_OK))
		return fail_open(options->path, -errno, error);
	if (options->append || options->stream || in_place)
		return open_in_place(options->path, options->append, output, error);
	return open_beside(options->path, exists ? found.st_mode & 0777 : usual_mode(), output,
			   error);
}

int output_write(struct output *output, struct uh_text *text, struct uh_error *error)
{
	if (text->failed)
		return uh_fail_memory(error);
	int status = text->length ? uh_write_all(output->descriptor, text->data, text->length) : 0;
	uh_text_clear(text);
	if (status)
		return uh_fail_errno(error, status, "cannot write %s",
				     output->path ? output->path : "the figures");
	return 0;
}

int output_close(struct output *output, bool keep, struct uh_error *error)
{
	if (!output->path)
		return 0;
	int status = close(output->descriptor) ? -errno : 0;
	if (!output->temporary[0])
		return status ? uh_fail_errno(error, status, "cannot write %s", output->path) : 0;
	if (keep && !status && rename(output->temporary, output->path))
		status = -errno;
	if (!keep || status)
		(void)unlink(output->temporary);
	output->temporary[0] = '\0';
	return status ? uh_fail_errno(error, status, "cannot write %s", output->path) : 0;
}
