/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool parse(const char *text, int base, uint64_t *value)
{
	/* strtoull would take blanks, a sign, and a second 0x. */
	if (!isxdigit((unsigned char)text[0]) || text[1] == 'x' || text[1] == 'X')
		return false;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, base);
	if (errno || *end)
		return false;
	*value = number;
	return true;
}

bool uh_parse_u64(const char *text, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	return hex ? parse(text + 2, 16, value) : parse(text, 10, value);
}

bool uh_parse_hex(const char *text, uint64_t *value)
{
	bool prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	return parse(prefix ? text + 2 : text, 16, value);
}

static bool parse_prefix(const char *text, double *value, const char **rest)
{
	const char *digits = text + (text[0] == '-');
	if (!isdigit((unsigned char)digits[0]) && digits[0] != '.')
		return false;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return false;
	/* The program that uses the library may have a locale with a decimal comma. */
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (plain == (locale_t)0)
		return false;
	char *end;
	errno = 0;
	*value = strtod_l(text, &end, plain);
	*rest = end;
	bool good = !errno && end != text && isfinite(*value);
	freelocale(plain);
	return good;
}

bool uh_parse_double(const char *text, double *value)
{
	const char *rest;
	return parse_prefix(text, value, &rest) && !*rest;
}

bool uh_parse_duration(const char *text, uint64_t *nanoseconds)
{
	static const struct {
		const char *suffix;
		double scale;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"", 1e6}, {"s", 1e9}, {"m", 60e9}};
	double value;
	const char *rest;

	if (!parse_prefix(text, &value, &rest) || value < 0)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(rest, units[i].suffix) != 0)
			continue;
		double result = value * units[i].scale;
		if (result > 9e18)
			return false;
		*nanoseconds = (uint64_t)llround(result);
		return true;
	}
	return false;
}
