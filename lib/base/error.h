/* SPDX-License-Identifier: BSD-3-Clause */
/* The one helper through which every error of the library leaves. */
#ifndef UH_BASE_ERROR_H
#define UH_BASE_ERROR_H

#include "unhalted/error.h"

/*
 * Fills `error` (may be NULL) and returns `code`, a negative errno, so that a
 * function can say `return uh_fail(error, -EINVAL, "...", ...)`.
 */
int uh_fail(struct uh_error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As uh_fail, with ": <text of the errno>" appended. */
int uh_fail_errno(struct uh_error *error, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* -ENOMEM with the library's one sentence for it. */
int uh_fail_memory(struct uh_error *error);

#endif
