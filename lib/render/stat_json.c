/* SPDX-License-Identifier: BSD-3-Clause */
/* perf stat -j: its keys, with numbers as numbers, and status and reason behind. */
#include "event/event.h"
#include "render/json.h"
#include "render/stat.h"

static const char *place_key(enum uh_place_kind kind)
{
	static const char *const keys[] = {
	    [UH_PLACE_TOTAL] = NULL,      [UH_PLACE_CPU] = "cpu",       [UH_PLACE_CORE] = "core",
	    [UH_PLACE_DIE] = "die",       [UH_PLACE_SOCKET] = "socket", [UH_PLACE_NODE] = "node",
	    [UH_PLACE_THREAD] = "thread",
	};
	return keys[kind];
}

static void append_place(const struct uh_stat_style *style, const struct uh_place *place,
			 struct uh_text *out)
{
	if (style->places == UH_PLACE_TOTAL)
		return;
	struct uh_text text = {0};
	uh_place_text(place, &text);
	/* perf writes a processor as its bare number. */
	const char *value = text.data ? text.data : "";
	if (style->places == UH_PLACE_CPU && place->kind == UH_PLACE_CPU)
		value += 3;
	uh_text_format(out, "\"%s\" : ", place_key(style->places));
	uh_json_string(out, value);
	uh_text_string(out, ", ");
	out->failed = out->failed || text.failed;
	uh_text_free(&text);
	if (style->places != UH_PLACE_CPU && style->places != UH_PLACE_THREAD)
		uh_text_format(out, "\"aggregate-number\" : %u, ", place->members);
}

static void append_name(const struct uh_figure *figure, struct uh_text *out)
{
	struct uh_text name = {0};
	uh_figure_name(figure, &name);
	if (!name.failed)
		uh_json_string(out, name.data);
	out->failed = out->failed || name.failed;
	uh_text_free(&name);
}

static void append_object(const struct uh_stat_style *style, const struct uh_figure *figure,
			  struct uh_text *out)
{
	bool missing = uh_figure_missing(figure) != NULL;
	uh_text_char(out, '{');
	if (style->interval)
		uh_text_format(out, "\"interval\" : %.9f, ", style->time);
	append_place(style, figure->place, out);
	uh_text_string(out, "\"counter-value\" : ");
	if (missing)
		uh_text_string(out, "null");
	else if (figure->event->scale == 1 && !figure->repeated)
		uh_text_u64(out, figure->count);
	else
		uh_json_number(out, figure->value, 15);
	uh_text_string(out, ", \"unit\" : ");
	uh_json_string(out, missing ? "" : figure->event->unit);
	uh_text_string(out, ", \"event\" : ");
	append_name(figure, out);
	if (style->repeated)
		uh_text_format(out, ", \"variance\" : %.2f", 100 * figure->relative_error);
	uh_text_format(out, ", \"event-runtime\" : %llu, \"pcnt-running\" : %.2f",
		       (unsigned long long)figure->running, uh_figure_percent_running(figure));
	if (figure->derived.known) {
		uh_text_string(out, ", \"metric-value\" : ");
		uh_json_number(out, figure->derived.value, 9);
		uh_text_string(out, ", \"metric-unit\" : \"");
		if (figure->derived.scale)
			uh_text_char(out, figure->derived.scale);
		uh_text_format(out, "%s\"", figure->derived.unit);
	} else {
		uh_text_string(out, ", \"metric-value\" : null, \"metric-unit\" : \"\"");
	}
	uh_text_format(out, ", \"status\" : \"%s\"", uh_status_name(figure->status));
	if (!missing)
		uh_text_format(out, ", \"provenance\" : \"%s\"",
			       uh_provenance_name(figure->provenance));
	if (missing && figure->state->reason[0]) {
		uh_text_string(out, ", \"reason\" : ");
		uh_json_string(out, figure->state->reason);
	}
	uh_text_format(out, ", \"enabled\" : %llu, \"running\" : %llu",
		       (unsigned long long)figure->enabled, (unsigned long long)figure->running);
	if (figure->repeated) {
		uh_text_string(out, ", \"uncertainty\" : ");
		uh_json_number(out, figure->relative_error * figure->value, 9);
	} else if (figure->status == UH_PARTLY_COUNTED) {
		uh_text_string(out, ", \"uncertainty\" : null");
	}
	uh_text_string(out, "}\n");
}

void uh_stat_json(const struct uh_stat_style *style, const struct uh_figure *figures, size_t count,
		  struct uh_text *out)
{
	for (size_t i = 0; i < count; i++)
		append_object(style, &figures[i], out);
}
