/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page of `unhalted stat`: text for people, and the forms for programs. CSV and
 * JSON have perf stat's columns and keys; what they leave unsaid is added behind.
 */
#ifndef UH_RENDER_STAT_H
#define UH_RENDER_STAT_H

#include "base/text.h"
#include "metric/figure.h"

struct uh_stat_style {
	enum uh_place_kind places; /* how places are named; UH_PLACE_TOTAL: not at all */
	bool interval;             /* lines begin with `time` */
	double time;               /* seconds since the start */
	bool repeated;             /* figures are means of several runs */
	bool big_numbers;          /* 1,234,567 (text only) */
	bool provenance;           /* say emulated or modelled (text only) */
	const char *separator;     /* of CSV */
};

void uh_stat_text(const struct uh_stat_style *style, const struct uh_figure *figures, size_t count,
		  struct uh_text *out);

/* The line that begins with '#' and names the columns. */
void uh_stat_csv_header(const struct uh_stat_style *style, struct uh_text *out);
void uh_stat_csv(const struct uh_stat_style *style, const struct uh_figure *figures, size_t count,
		 struct uh_text *out);

/* One object a line. */
void uh_stat_json(const struct uh_stat_style *style, const struct uh_figure *figures, size_t count,
		  struct uh_text *out);

/*
 * One row an interval: the names stand once, in the header. A value that is missing is
 * an empty cell (CSV) or null (JSON).
 */
void uh_stat_wide_header(const struct uh_stat_style *style, const struct uh_figure *figures,
			 size_t count, bool json, struct uh_text *out);
void uh_stat_wide(const struct uh_stat_style *style, const struct uh_figure *figures, size_t count,
		  bool json, struct uh_text *out);

/* "CPU3", "S0-D0-C2", "S1", "N0", "name-1234", or "" for the total. */
void uh_place_text(const struct uh_place *place, struct uh_text *out);

/* The event's name; where the kernel part had to be left out, with perf's modifier for it. Not yet
 * safe for a terminal. */
void uh_figure_name(const struct uh_figure *figure, struct uh_text *out);

/* The figure of an event whose unit is its count: all digits, with commas or without. */
void uh_figure_count(const struct uh_figure *figure, bool grouped, struct uh_text *out);

/* A cell of CSV in quotes, safe for a terminal; quotes inside are doubled. */
void uh_text_quoted(struct uh_text *out, const char *cell);

/* An integer with a comma between thousands. */
void uh_text_grouped(struct uh_text *out, double value);

#endif
