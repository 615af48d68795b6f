/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a command's page goes: standard error, a file, a descriptor. */
#ifndef UH_CLI_OUTPUT_H
#define UH_CLI_OUTPUT_H

#include <stdbool.h>

#include "base/text.h"
#include "unhalted/error.h"

struct output_options {
	const char *path; /* -o; NULL: none */
	bool append;
	int descriptor; /* --log-fd; -1: none */
	bool stream;    /* pieces must appear as they are written */
};

struct output {
	int descriptor;
	const char *path;
	char temporary[4096]; /* renamed to `path` at the end; "" when written in place */
};

/*
 * Opens the destination, so that an unwritable one is known before the program runs. A
 * regular file is written beside and renamed, unless it is appended to or streamed, or reached
 * through a link; it keeps the permissions of the file that it replaces.
 */
int output_open(const struct output_options *options, struct output *output,
		struct uh_error *error);

/* Writes the text and clears it. */
int output_write(struct output *output, struct uh_text *text, struct uh_error *error);

/* Completes the file; with `keep` false a temporary is removed and the old file stays. */
int output_close(struct output *output, bool keep, struct uh_error *error);

#endif
