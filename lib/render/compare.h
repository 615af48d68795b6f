/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of `unhalted compare`. */
#ifndef UH_RENDER_COMPARE_H
#define UH_RENDER_COMPARE_H

#include "base/text.h"
#include "metric/compare.h"

/* Rows in the order given, then the legend. */
void uh_compare_text(const struct uh_comparison *comparisons, size_t count, struct uh_text *out);

/* One object a line. */
void uh_compare_json(const struct uh_comparison *comparisons, size_t count, struct uh_text *out);

/*
 * A picture: bars of B/A on a logarithmic scale. `a` and `b` are the two commands, ended by
 * NULL.
 */
void uh_compare_svg(const struct uh_comparison *comparisons, size_t count, char *const *a,
		    char *const *b, struct uh_text *out);

/* One sentence: what it costs, and what changed most. */
void uh_compare_sentence(const struct uh_comparison *comparisons, size_t count,
			 struct uh_text *out);

#endif
