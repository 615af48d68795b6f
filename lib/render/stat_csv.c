/* SPDX-License-Identifier: BSD-3-Clause */
/* perf stat -x: its columns in its order, behind a first line that names them. */
#include "render/stat.h"

#include <string.h>

#include "event/event.h"

static const char *place_column(enum uh_place_kind kind)
{
	static const char *const names[] = {
	    [UH_PLACE_TOTAL] = NULL,      [UH_PLACE_CPU] = "cpu",       [UH_PLACE_CORE] = "core",
	    [UH_PLACE_DIE] = "die",       [UH_PLACE_SOCKET] = "socket", [UH_PLACE_NODE] = "node",
	    [UH_PLACE_THREAD] = "thread",
	};
	return names[kind];
}

static bool has_members(enum uh_place_kind kind)
{
	return kind != UH_PLACE_TOTAL && kind != UH_PLACE_CPU && kind != UH_PLACE_THREAD;
}

void uh_stat_csv_header(const struct uh_stat_style *style, struct uh_text *out)
{
	static const char *const columns[] = {"value",        "unit",       "event",
					      "variance",     "run-time",   "percent-running",
					      "metric-value", "metric-unit"};
	const char *separator = style->separator;
	uh_text_string(out, "# ");
	if (style->interval)
		uh_text_format(out, "time%s", separator);
	if (place_column(style->places))
		uh_text_format(out, "%s%s", place_column(style->places), separator);
	if (has_members(style->places))
		uh_text_format(out, "members%s", separator);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (!style->repeated && !strcmp(columns[i], "variance"))
			continue;
		if (i)
			uh_text_string(out, separator);
		uh_text_string(out, columns[i]);
	}
	uh_text_char(out, '\n');
}

/* A cell that holds the separator or a quote is quoted; other tools leave that ambiguous. */
static void append_cell(const char *cell, const char *separator, struct uh_text *out)
{
	if (!strstr(cell, separator) && !strchr(cell, '"')) {
		uh_text_safe(out, cell);
		return;
	}
	uh_text_quoted(out, cell);
}

static void append_event(const struct uh_figure *figure, const char *separator, struct uh_text *out)
{
	struct uh_text name = {0};
	uh_figure_name(figure, &name);
	if (!name.failed)
		append_cell(name.data, separator, out);
	out->failed = out->failed || name.failed;
	uh_text_free(&name);
}

static void append_place(const struct uh_stat_style *style, const struct uh_figure *figure,
			 struct uh_text *out)
{
	if (style->places == UH_PLACE_TOTAL)
		return;
	struct uh_text place = {0};
	uh_place_text(figure->place, &place);
	append_cell(place.data ? place.data : "", style->separator, out);
	out->failed = out->failed || place.failed;
	uh_text_free(&place);
	uh_text_string(out, style->separator);
	if (has_members(style->places))
		uh_text_format(out, "%u%s", figure->place->members, style->separator);
}

static void append_value(const struct uh_figure *figure, struct uh_text *out)
{
	const char *missing = uh_figure_missing(figure);
	if (missing)
		uh_text_string(out, missing);
	else if (figure->event->scale != 1)
		uh_text_format(out, "%.2f", figure->value);
	else
		uh_figure_count(figure, false, out);
}

static void append_line(const struct uh_stat_style *style, const struct uh_figure *figure,
			struct uh_text *out)
{
	const char *separator = style->separator;
	const struct uh_derived *derived = &figure->derived;

	if (style->interval)
		uh_text_format(out, "%16.9f%s", style->time, separator);
	append_place(style, figure, out);
	append_value(figure, out);
	uh_text_string(out, separator);
	append_cell(uh_figure_missing(figure) ? "" : figure->event->unit, separator, out);
	uh_text_string(out, separator);
	append_event(figure, separator, out);
	uh_text_string(out, separator);
	if (style->repeated)
		uh_text_format(out, "%.2f%%%s", 100 * figure->relative_error, separator);
	uh_text_u64(out, figure->running);
	uh_text_format(out, "%s%.2f%s", separator, uh_figure_percent_running(figure), separator);
	if (derived->known)
		uh_text_format(out, "%.3f", derived->value);
	uh_text_string(out, separator);
	if (derived->known && derived->scale)
		uh_text_char(out, derived->scale);
	if (derived->known)
		uh_text_string(out, derived->unit);
	uh_text_char(out, '\n');
}

void uh_stat_csv(const struct uh_stat_style *style, const struct uh_figure *figures, size_t count,
		 struct uh_text *out)
{
	for (size_t i = 0; i < count; i++)
		append_line(style, &figures[i], out);
}
