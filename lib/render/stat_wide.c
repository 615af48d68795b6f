/* SPDX-License-Identifier: BSD-3-Clause */
/* One row an interval: the densest form for long collections. */
#include "event/event.h"
#include "render/json.h"
#include "render/stat.h"

static void column_name(const struct uh_figure *figure, struct uh_text *name)
{
	uh_text_clear(name);
	uh_place_text(figure->place, name);
	if (name->length)
		uh_text_char(name, ' ');
	uh_figure_name(figure, name);
	if (figure->event->unit[0])
		uh_text_format(name, " (%s)", figure->event->unit);
}

void uh_stat_wide_header(const struct uh_stat_style *style, const struct uh_figure *figures,
			 size_t count, bool json, struct uh_text *out)
{
	struct uh_text name = {0};
	uh_text_string(out, json ? "{\"schema\" : 1, \"columns\" : [" : "# time");
	for (size_t i = 0; i < count; i++) {
		column_name(&figures[i], &name);
		if (name.failed)
			break;
		if (json) {
			uh_text_string(out, i ? ", " : "");
			uh_json_string(out, name.data);
		} else {
			uh_text_string(out, style->separator);
			uh_text_quoted(out, name.data);
		}
	}
	uh_text_string(out, json ? "]}\n" : "\n");
	out->failed = out->failed || name.failed;
	uh_text_free(&name);
}

static void append_value(const struct uh_figure *figure, bool json, struct uh_text *out)
{
	if (uh_figure_missing(figure))
		uh_text_string(out, json ? "null" : "");
	else if (figure->event->scale == 1)
		uh_figure_count(figure, false, out);
	else
		uh_text_format(out, "%.6g", figure->value);
}

void uh_stat_wide(const struct uh_stat_style *style, const struct uh_figure *figures, size_t count,
		  bool json, struct uh_text *out)
{
	uh_text_format(out, json ? "{\"interval\" : %.6f, \"values\" : [" : "%.6f", style->time);
	for (size_t i = 0; i < count; i++) {
		if (json)
			uh_text_string(out, i ? "," : "");
		else
			uh_text_string(out, style->separator);
		append_value(&figures[i], json, out);
	}
	uh_text_string(out, json ? "]}\n" : "\n");
}
