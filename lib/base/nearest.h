/* SPDX-License-Identifier: BSD-3-Clause */
/* "Did you mean": the names nearest to one that is not known. */
#ifndef UH_BASE_NEAREST_H
#define UH_BASE_NEAREST_H

#include <stddef.h>

#define UH_NEAREST_MOST 3
#define UH_NEAREST_LENGTH 96

/* Zero-initialise, offer names, then take what is in `names`, best first. */
struct uh_nearest {
	size_t count;
	unsigned distance[UH_NEAREST_MOST];
	char names[UH_NEAREST_MOST][UH_NEAREST_LENGTH];
};

/* Edits (insertion, deletion, change, swap of neighbours; case is free) that turn one name
 * into the other; a name longer than UH_NEAREST_LENGTH - 1 is cut. */
unsigned uh_edit_distance(const char *left, const char *right);

/* Keeps `candidate` if it is near enough to `wanted` to be worth showing. */
void uh_nearest_offer(struct uh_nearest *nearest, const char *wanted, const char *candidate);

/* " (did you mean a, b or c?)" or an empty text, into `buffer`; returns `buffer`. */
const char *uh_nearest_text(const struct uh_nearest *nearest, char *buffer, size_t size);

#endif
