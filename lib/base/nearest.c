/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned uh_edit_distance(const char *left, const char *right)
{
	/* Three rows of the optimal string alignment table. */
	unsigned rows[3][UH_NEAREST_LENGTH];
	size_t rows_wanted = strnlen(left, UH_NEAREST_LENGTH - 1);
	size_t columns = strnlen(right, UH_NEAREST_LENGTH - 1);
	unsigned *before = rows[0];
	unsigned *above = rows[1];
	unsigned *row = rows[2];

	for (size_t j = 0; j <= columns; j++)
		above[j] = (unsigned)j;
	for (size_t i = 1; i <= rows_wanted; i++) {
		int a = tolower((unsigned char)left[i - 1]);
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= columns; j++) {
			int b = tolower((unsigned char)right[j - 1]);
			unsigned best = least(above[j], row[j - 1]) + 1;
			best = least(best, above[j - 1] + (a != b));
			if (i > 1 && j > 1 && a == tolower((unsigned char)right[j - 2]) &&
			    b == tolower((unsigned char)left[i - 2]))
				best = least(best, before[j - 2] + 1);
			row[j] = best;
		}
		unsigned *spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[columns];
}

void uh_nearest_offer(struct uh_nearest *nearest, const char *wanted, const char *candidate)
{
	unsigned distance = uh_edit_distance(wanted, candidate);
	unsigned limit = (unsigned)(strnlen(wanted, UH_NEAREST_LENGTH) / 3 + 1);
	/* A name that contains what was typed is worth showing even when it is much longer. */
	if (distance > limit && strlen(wanted) >= 4 && strcasestr(candidate, wanted))
		distance = limit;
	if (distance > limit)
		return;
	size_t at = 0;
	while (at < nearest->count && nearest->distance[at] <= distance) {
		if (!strcmp(nearest->names[at], candidate))
			return;
		at++;
	}
	if (at == UH_NEAREST_MOST)
		return;
	if (nearest->count < UH_NEAREST_MOST)
		nearest->count++;
	for (size_t i = nearest->count - 1; i > at; i--) {
		nearest->distance[i] = nearest->distance[i - 1];
		memcpy(nearest->names[i], nearest->names[i - 1], UH_NEAREST_LENGTH);
	}
	nearest->distance[at] = distance;
	(void)snprintf(nearest->names[at], UH_NEAREST_LENGTH, "%s", candidate);
}

const char *uh_nearest_text(const struct uh_nearest *nearest, char *buffer, size_t size)
{
	static const char *const formats[] = {"", " (did you mean %s?)",
					      " (did you mean %s or %s?)",
					      " (did you mean %s, %s or %s?)"};
	/* Unused arguments of a shorter format are ignored, as the C standard says. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	(void)snprintf(buffer, size, formats[nearest->count], nearest->names[0], nearest->names[1],
		       nearest->names[2]);
#pragma GCC diagnostic pop
	return buffer;
}
