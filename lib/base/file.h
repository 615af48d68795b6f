/* SPDX-License-Identifier: BSD-3-Clause */
/* Small files, read relative to a root descriptor. */
#ifndef UH_BASE_FILE_H
#define UH_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/*
 * Reads a file below `root` (a directory descriptor) into `text`, replacing what
 * it held. `path` has no leading slash. At most `limit` bytes are taken; a longer
 * file gives -EFBIG. Returns 0 or a negative errno.
 */
int uh_file_read(int root, const char *path, size_t limit, struct uh_text *text);

/*
 * Reads a file that holds one short line (a sysfs attribute) into `line`, without its
 * newline. Returns 0, a negative errno, or -EFBIG when it does not fit.
 */
int uh_file_line(int root, const char *path, char *line, size_t size);

/* Reads a file that holds one decimal number. -EINVAL when it holds anything else. */
int uh_file_number(int root, const char *path, int64_t *value);

/* Writes all of `count` bytes, going on after short writes and signals. */
int uh_write_all(int descriptor, const char *bytes, size_t count);

#endif
