/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "config.h"

const char *uh_version(void)
{
	return UH_VERSION;
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
	}
	return code;
}

int uh_fail_memory(struct uh_error *error)
{
	return uh_fail(error, -ENOMEM, "out of memory");
}
