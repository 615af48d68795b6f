/* SPDX-License-Identifier: BSD-3-Clause */
/* Number first, then the event, then '#' and the derived value, as perf stat prints it. */
#include "render/stat.h"

#include <stdio.h>
#include <string.h>

#include "event/event.h"

#define VALUE_WIDTH 18
#define NAME_WIDTH 32
#define UNIT_WIDTH 4
#define PLACE_WIDTH 16

static void append_value(const struct uh_stat_style *style, const struct uh_figure *figure,
			 struct uh_text *out)
{
	struct uh_text value = {0};
	const char *missing = uh_figure_missing(figure);
	if (missing)
		uh_text_string(&value, missing);
	else if (figure->event->scale != 1)
		uh_text_format(&value, "%.2f", figure->value);
	else
		uh_figure_count(figure, style->big_numbers, &value);
	if (value.failed)
		out->failed = true;
	else
		uh_text_padded(out, value.data, VALUE_WIDTH);
	uh_text_free(&value);
}

/* Blanks up to a column, counted from `start`. */
static void pad_to(struct uh_text *out, size_t start, size_t column)
{
	while (!out->failed && out->length - start < column)
		uh_text_char(out, ' ');
}

/* A name from outside, left-aligned. */
static void append_column(const char *name, size_t width, struct uh_text *out)
{
	size_t start = out->length;
	uh_text_safe(out, name);
	pad_to(out, start, width);
}

static void append_name(const struct uh_stat_style *style, const struct uh_figure *figure,
			struct uh_text *out)
{
	struct uh_text name = {0};
	uh_figure_name(figure, &name);
	uh_text_char(out, ' ');
	append_column(uh_figure_missing(figure) ? "" : figure->event->unit, UNIT_WIDTH, out);
	uh_text_char(out, ' ');
	if (!name.failed)
		append_column(name.data, NAME_WIDTH, out);
	out->failed = out->failed || name.failed;
	uh_text_free(&name);
	if (!style->provenance)
		return;
	bool show = figure->provenance >= UH_EMULATED && !uh_figure_missing(figure);
	uh_text_char(out, ' ');
	uh_text_padded(out, show ? uh_provenance_name(figure->provenance) : "", -9);
}

static void append_derived(const struct uh_derived *derived, struct uh_text *out)
{
	if (!derived->known)
		return;
	uh_text_format(out, derived->percent ? " # %7.2f%% " : " # %8.3f ", derived->value);
	if (derived->scale)
		uh_text_char(out, derived->scale);
	uh_text_string(out, derived->unit);
}

static void append_place(const struct uh_stat_style *style, const struct uh_figure *figure,
			 struct uh_text *out)
{
	if (style->places == UH_PLACE_TOTAL)
		return;
	size_t start = out->length;
	uh_place_text(figure->place, out);
	pad_to(out, start, PLACE_WIDTH);
	if (style->places != UH_PLACE_CPU && style->places != UH_PLACE_THREAD)
		uh_text_format(out, " %4u", figure->place->members);
}

static void append_line(const struct uh_stat_style *style, const struct uh_figure *figure,
			struct uh_text *out)
{
	if (style->interval)
		uh_text_format(out, "%15.9f ", style->time);
	append_place(style, figure, out);
	size_t start = out->length;
	append_value(style, figure, out);
	append_name(style, figure, out);
	append_derived(&figure->derived, out);
	if (figure->repeated && figure->relative_error > 0) {
		pad_to(out, start, VALUE_WIDTH + NAME_WIDTH + UNIT_WIDTH + 2 + 35);
		uh_text_format(out, " ( +- %6.2f%% )", 100 * figure->relative_error);
	}
	if (figure->status == UH_PARTLY_COUNTED)
		uh_text_format(out, "  (%.2f%%)", uh_figure_percent_running(figure));
	while (!out->failed && out->length > start && out->data[out->length - 1] == ' ')
		out->data[--out->length] = '\0';
	uh_text_char(out, '\n');
}

void uh_stat_text(const struct uh_stat_style *style, const struct uh_figure *figures, size_t count,
		  struct uh_text *out)
{
	for (size_t i = 0; i < count; i++)
		append_line(style, &figures[i], out);
}
