/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "config.h"

const char *uh_version(void)
{
	return UH_VERSION;
}

/* Names of files and users stand in these texts, and they are shown on terminals. */
static void make_safe(struct uh_error *error)
{
	unsigned code;
	size_t length;
	for (char *byte = error->text; *byte; byte += length) {
		length = uh_utf8_sequence(byte, &code);
		if (length && (*byte == '\n' || !uh_is_control(code)))
			continue;
		length = length ? length : 1;
		memset(byte, '?', length);
	}
}

static void fill(struct uh_error *error, int code, const char *format, va_list arguments)
{
	error->code = code;
	if (vsnprintf(error->text, sizeof(error->text), format, arguments) < 0)
		error->text[0] = '\0';
}

int uh_fail(struct uh_error *error, int code, const char *format, ...)
{
	if (error) {
		va_list arguments;
		va_start(arguments, format);
		fill(error, code, format, arguments);
		va_end(arguments);
		make_safe(error);
	}
	return code;
}

int uh_fail_errno(struct uh_error *error, int code, const char *format, ...)
{
	if (error) {
		va_list arguments;
		va_start(arguments, format);
		fill(error, code, format, arguments);
		va_end(arguments);
		size_t used = strlen(error->text);
		(void)snprintf(error->text + used, sizeof(error->text) - used, ": %s",
			       strerror(-code));
		make_safe(error);
	}
	return code;
}

int uh_fail_memory(struct uh_error *error)
{
	return uh_fail(error, -ENOMEM, "out of memory");
}
