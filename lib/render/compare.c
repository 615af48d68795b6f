/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/json.h"
#include "render/stat.h"

#define NAME_WIDTH 28
#define VALUE_WIDTH 17

static bool counted(const struct uh_comparison *row)
{
	return row->status <= UH_PARTLY_COUNTED;
}

static void append_value(const struct uh_comparison *row, double value, struct uh_text *out)
{
	struct uh_text cell = {0};
	if (row->event->scale != 1)
		uh_text_format(&cell, "%.2f", value);
	else
		uh_text_grouped(&cell, value);
	if (cell.data)
		uh_text_padded(out, cell.data, VALUE_WIDTH);
	out->failed = out->failed || cell.failed;
	uh_text_free(&cell);
}

static void append_ratio(const struct uh_comparison *row, struct uh_text *out)
{
	if (isinf(row->ratio))
		uh_text_string(out, "  only in B");
	else
		uh_text_format(out, " %10.4f", row->ratio);
}

static void append_interval(const struct uh_comparison *row, struct uh_text *out)
{
	char text[64];
	if (row->exact)
		(void)snprintf(text, sizeof(text), "%s", row->significant ? "differs" : "the same");
	else if (row->known_interval)
		(void)snprintf(text, sizeof(text), "%.4f .. %.4f", row->low, row->high);
	else
		(void)snprintf(text, sizeof(text), "one run: none");
	uh_text_string(out, "   ");
	uh_text_padded(out, text, -22);
}

static void append_row(const struct uh_comparison *row, struct uh_text *out)
{
	struct uh_text name = {0};
	uh_text_safe(&name, row->event->name);
	if (row->event->unit[0])
		uh_text_format(&name, " (%s)", row->event->unit);
	uh_text_string(out, row->significant ? " * " : "   ");
	if (name.data)
		uh_text_padded(out, name.data, -NAME_WIDTH);
	out->failed = out->failed || name.failed;
	uh_text_free(&name);
	if (!counted(row)) {
		uh_text_format(out, " <%s>\n", uh_status_name(row->status));
		return;
	}
	append_value(row, row->a.mean, out);
	append_value(row, row->b.mean, out);
	append_ratio(row, out);
	append_interval(row, out);
	if (row->provenance != UH_MEASURED)
		uh_text_format(out, " %s", uh_provenance_name(row->provenance));
	while (!out->failed && out->length && out->data[out->length - 1] == ' ')
		out->data[--out->length] = '\0';
	uh_text_char(out, '\n');
}

void uh_compare_text(const struct uh_comparison *comparisons, size_t count, struct uh_text *out)
{
	bool intervals = false;
	uh_text_string(out, "   ");
	uh_text_padded(out, "", -NAME_WIDTH);
	uh_text_padded(out, "A", VALUE_WIDTH);
	uh_text_padded(out, "B", VALUE_WIDTH);
	uh_text_padded(out, "B/A", 11);
	for (size_t i = 0; i < count; i++)
		intervals = intervals || comparisons[i].known_interval;
	uh_text_string(out, intervals ? "   95 % interval\n" : "\n");
	for (size_t i = 0; i < count; i++)
		append_row(&comparisons[i], out);
}

static void append_sample(const char *key, const struct uh_sample *sample, struct uh_text *out)
{
	uh_text_format(out, ", \"%s\" : ", key);
	uh_json_number(out, sample->mean, 17);
	uh_text_format(out, ", \"%s-runs\" : %zu, \"%s-error\" : ", key, sample->count, key);
	uh_json_number(out, sample->count > 1 ? uh_sample_error(sample) : NAN, 9);
}

void uh_compare_json(const struct uh_comparison *comparisons, size_t count, struct uh_text *out)
{
	for (size_t i = 0; i < count; i++) {
		const struct uh_comparison *row = &comparisons[i];
		uh_text_string(out, "{\"event\" : ");
		uh_json_string(out, row->event->name);
		uh_text_string(out, ", \"unit\" : ");
		uh_json_string(out, row->event->unit);
		uh_text_format(out, ", \"status\" : \"%s\"", uh_status_name(row->status));
		if (counted(row)) {
			uh_text_format(out, ", \"provenance\" : \"%s\"",
				       uh_provenance_name(row->provenance));
			append_sample("a", &row->a, out);
			append_sample("b", &row->b, out);
			uh_text_string(out, ", \"ratio\" : ");
			uh_json_number(out, row->ratio, 9);
			uh_text_string(out, ", \"low\" : ");
			uh_json_number(out, row->known_interval ? row->low : NAN, 9);
			uh_text_string(out, ", \"high\" : ");
			uh_json_number(out, row->known_interval ? row->high : NAN, 9);
			uh_text_format(out, ", \"significant\" : %s, \"exact\" : %s",
				       row->significant ? "true" : "false",
				       row->exact ? "true" : "false");
		}
		uh_text_string(out, "}\n");
	}
}

/* ---- the sentence ---- */

static const struct uh_comparison *find(const struct uh_comparison *comparisons, size_t count,
					const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (comparisons[i].event->plain && !strcmp(comparisons[i].event->plain, name) &&
		    counted(&comparisons[i]))
			return &comparisons[i];
	return NULL;
}

/* "3.21 times the", "4.2 % more", "the same" and so on. */
static void append_change(const struct uh_comparison *row, struct uh_text *out)
{
	double ratio = row->ratio;
	if (!row->significant)
		uh_text_string(out, row->exact ? "exactly as many" : "no measurably different");
	else if (isinf(ratio))
		uh_text_string(out, "(unlike A)");
	else if (fabs(ratio - 1) < 0.001)
		uh_text_string(out, "as many (to 0.1 %)");
	else if (ratio >= 1.995)
		uh_text_format(out, "%.3g times the", ratio);
	else if (ratio >= 1)
		uh_text_format(out, "%.2g %% more", 100 * (ratio - 1));
	else if (ratio > 0)
		uh_text_format(out, "%.2g %% fewer", 100 * (1 - ratio));
	else
		uh_text_string(out, "no");
	uh_text_char(out, ' ');
	if (row->provenance == UH_MODELLED)
		uh_text_string(out, "modelled ");
	uh_text_safe(out, row->event->name);
}

void uh_compare_sentence(const struct uh_comparison *comparisons, size_t count, struct uh_text *out)
{
	static const char *const costs[] = {"cycles", "duration_time", "task-clock",
					    "instructions"};
	const struct uh_comparison *cost = NULL;
	const struct uh_comparison *most = count && comparisons[0].significant ? comparisons : NULL;
	const struct uh_comparison *work = find(comparisons, count, "instructions");
	for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]) && !cost; i++)
		cost = find(comparisons, count, costs[i]);
	if (!cost && !most) {
		uh_text_string(out, "Nothing that was counted differs between A and B.\n");
		return;
	}
	uh_text_string(out, "B takes ");
	append_change(cost ? cost : most, out);
	if (work && work != cost) {
		uh_text_string(out, " with ");
		append_change(work, out);
	}
	if (most && most != cost && most != work) {
		uh_text_string(out, "; what changed most: ");
		append_change(most, out);
	}
	uh_text_string(out, ".\n");
}
