/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars of B/A on a logarithmic scale: to the right B has more, to the left fewer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/compare.h"
#include "render/svg.h"

#define WIDTH 860.0
#define LEFT 230.0  /* where the bars' field begins */
#define RIGHT 590.0 /* and ends */
#define TOP 92.0
#define ROW 28.0
#define BAR 18.0

struct scale {
	double reach; /* |log10(B/A)| at the edge of the field */
};

static bool drawn(const struct uh_comparison *row)
{
	return row->status <= UH_PARTLY_COUNTED && isfinite(row->ratio) && row->ratio > 0;
}

static struct scale make_scale(const struct uh_comparison *rows, size_t count)
{
	struct scale scale = {0.30103}; /* at least a factor of two */
	for (size_t i = 0; i < count; i++)
		if (drawn(&rows[i]) && fabs(log10(rows[i].ratio)) > scale.reach)
			scale.reach = fabs(log10(rows[i].ratio));
	scale.reach *= 1.05;
	return scale;
}

static double place(struct scale scale, double ratio)
{
	double middle = (LEFT + RIGHT) / 2;
	return middle + log10(ratio) / scale.reach * (RIGHT - LEFT) / 2;
}

static void draw_grid(struct scale scale, size_t count, struct uh_text *out)
{
	static const double ticks[] = {0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 100, 1000};
	double bottom = TOP + ROW * (double)count;
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		char label[32];
		if (fabs(log10(ticks[i])) > scale.reach)
			continue;
		double x = place(scale, ticks[i]);
		(void)snprintf(label, sizeof(label), "%gx", ticks[i]);
		uh_svg_line(out, x, TOP - 4, x, bottom, ticks[i] == 1 ? "#444444" : "#dddddd");
		uh_svg_text(out, x, TOP - 9, "middle", "small", label);
	}
}

static const char *colour(const struct uh_comparison *row)
{
	if (!row->significant)
		return "#bbbbbb";
	return row->ratio > 1 ? "#c8553d" : "#2a7f9e";
}

static void format_value(char *text, size_t size, double value)
{
	static const char *const letters[] = {"", " K", " M", " G", " T"};
	size_t step = 0;
	while (fabs(value) >= 1000 && step + 1 < sizeof(letters) / sizeof(letters[0])) {
		value /= 1000;
		step++;
	}
	(void)snprintf(text, size, "%.3g%s", value, letters[step]);
}

static void draw_row(struct scale scale, const struct uh_comparison *row, double y,
		     struct uh_text *out)
{
	char a[32];
	char b[32];
	char text[96];
	double middle = y + BAR / 2 + 4.5;
	uh_svg_text(out, LEFT - 12, middle, "end", "name", row->event->name);
	if (row->status > UH_PARTLY_COUNTED) {
		(void)snprintf(text, sizeof(text), "<%s>", uh_status_name(row->status));
		uh_svg_text(out, RIGHT + 12, middle, "start", "small", text);
		return;
	}
	if (drawn(row)) {
		double one = place(scale, 1);
		double end = place(scale, row->ratio);
		double width = fabs(end - one) < 1 ? 1 : fabs(end - one);
		uh_svg_rectangle(out, end < one ? end : one, y, width, BAR, colour(row));
	}
	format_value(a, sizeof(a), row->a.mean);
	format_value(b, sizeof(b), row->b.mean);
	uh_text_format(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"number\">%s &#8594; %s</text>\n",
		       RIGHT + 12, middle, a, b);
	if (row->provenance != UH_MEASURED)
		uh_svg_text(out, WIDTH - 14, middle, "end", "small",
			    uh_provenance_name(row->provenance));
}

static void draw_command(const char *name, char *const *command, double y, struct uh_text *out)
{
	struct uh_text line = {0};
	uh_text_string(&line, name);
	for (; *command; command++)
		uh_text_format(&line, " %s", *command);
	if (line.data) {
		if (line.length > 110)
			memcpy(line.data + 107, "...", 4);
		uh_svg_text(out, 16, y, "start", "title", line.data);
	}
	out->failed = out->failed || line.failed;
	uh_text_free(&line);
}

void uh_compare_svg(const struct uh_comparison *rows, size_t count, char *const *a, char *const *b,
		    struct uh_text *out)
{
	struct scale scale = make_scale(rows, count);
	double height = TOP + ROW * (double)count + 30;
	uh_svg_begin(out, WIDTH, height);
	draw_command("A:", a, 26, out);
	draw_command("B:", b, 48, out);
	draw_grid(scale, count, out);
	for (size_t i = 0; i < count; i++)
		draw_row(scale, &rows[i], TOP + ROW * (double)i + (ROW - BAR) / 2, out);
	uh_svg_text(out, (LEFT + RIGHT) / 2, height - 10, "middle", "small",
		    "B/A; grey: no more than chance");
	uh_svg_end(out);
}
