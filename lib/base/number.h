/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that users type. All are independent of the locale. */
#ifndef UH_BASE_NUMBER_H
#define UH_BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal, or hexadecimal after 0x. The whole text must be the number. */
bool uh_parse_u64(const char *text, uint64_t *value);

/* Hexadecimal digits, with or without 0x. */
bool uh_parse_hex(const char *text, uint64_t *value);

/*
 * A length of time in nanoseconds: a number with ns, us, ms, s or m behind it; a
 * bare number is milliseconds, as perf takes it. Fractions are allowed ("0.5s").
 */
bool uh_parse_duration(const char *text, uint64_t *nanoseconds);

/* A decimal number with an optional fraction and exponent. */
bool uh_parse_double(const char *text, double *value);

#endif
