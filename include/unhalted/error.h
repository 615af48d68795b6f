/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How libunhalted reports a failure.
 *
 * One rule for the whole library: a function that can fail returns 0 or a
 * negative errno value and, when the caller passes one, fills a struct
 * uh_error with a text a user can act on. The library never prints, never
 * exits and never changes errno to carry a result.
 */
#ifndef UNHALTED_ERROR_H
#define UNHALTED_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#define UH_ERROR_TEXT_SIZE 1024

/*
 * The reason of a failure. `code` is the negative errno that was returned; 0
 * means that nothing failed since the struct was zeroed. `text` is
 * NUL-terminated, one sentence or a few short lines, without a newline at its
 * end: what was wanted, what stood in the way, its present value, what to do.
 * Owned by the caller; nothing in it needs freeing.
 */
struct uh_error {
	int code;
	char text[UH_ERROR_TEXT_SIZE];
};

/* "MAJOR.MINOR.PATCH"; a static string. */
const char *uh_version(void);

#ifdef __cplusplus
}
#endif

#endif
