/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A growing text. Appending never fails on the spot: when memory runs out the
 * text is marked `failed` and further appends do nothing, so a writer checks once at
 * its end.
 */
#ifndef UH_BASE_TEXT_H
#define UH_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialise to start. `data` is NUL-terminated once anything was
 * appended; it may be NULL before. Owner frees with uh_text_free(). */
struct uh_text {
	char *data;
	size_t length;
	size_t capacity;
	bool failed;
};

void uh_text_bytes(struct uh_text *text, const char *bytes, size_t count);
void uh_text_string(struct uh_text *text, const char *string);
void uh_text_char(struct uh_text *text, char byte);
/* As printf of the C locale: a number has a point, never a comma. */
void uh_text_format(struct uh_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The decimal digits of a number, without the cost of a format. */
void uh_text_u64(struct uh_text *text, uint64_t value);

/* As uh_text_string, right-aligned in `width` columns (left-aligned when negative). */
void uh_text_padded(struct uh_text *text, const char *string, int width);

/*
 * Length of the valid UTF-8 sequence at `bytes`, with its code point, or 0. A NUL is a sequence
 * of one byte; reading stops at the first byte that does not belong to the sequence.
 */
size_t uh_utf8_sequence(const char *bytes, unsigned *code);

/* Whether a terminal could obey the character instead of showing it: C0, DEL, C1, and the marks
 * that turn the direction of writing. */
bool uh_is_control(unsigned code);

/*
 * Appends a name that came from outside, so that it can be shown on a terminal: controls and
 * bytes that are not UTF-8 become '?'.
 */
void uh_text_safe(struct uh_text *text, const char *name);

/* Empties the text and keeps its memory. */
void uh_text_clear(struct uh_text *text);
void uh_text_free(struct uh_text *text);

#endif
