/* SPDX-License-Identifier: BSD-3-Clause */
/* What the forms of a page have in common: names and numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "event/event.h"
#include "render/stat.h"

void uh_figure_name(const struct uh_figure *figure, struct uh_text *out)
{
	const char *name = figure->event->name;
	uh_text_string(out, name);
	if (!figure->state->user_only)
		return;
	/* "cycles:p" becomes "cycles:pu", "cpu/cycles/" becomes "cpu/cycles/u". */
	const char *slash = strrchr(name, '/');
	uh_text_string(out, slash || strchr(name, ':') ? "u" : ":u");
}

void uh_text_quoted(struct uh_text *out, const char *cell)
{
	struct uh_text safe = {0};
	uh_text_safe(&safe, cell);
	uh_text_char(out, '"');
	for (const char *byte = safe.data; byte && *byte; byte++) {
		if (*byte == '"')
			uh_text_char(out, '"');
		uh_text_char(out, *byte);
	}
	uh_text_char(out, '"');
	out->failed = out->failed || safe.failed;
	uh_text_free(&safe);
}

static void append_grouped(const char *digits, struct uh_text *out)
{
	size_t length = strlen(digits);
	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
			uh_text_char(out, ',');
		uh_text_char(out, digits[i]);
	}
}

void uh_text_grouped(struct uh_text *out, double value)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%.0f", value);
	if (length < 0 || (size_t)length >= sizeof(digits))
		uh_text_format(out, "%g", value);
	else
		append_grouped(digits, out);
}

void uh_figure_count(const struct uh_figure *figure, bool grouped, struct uh_text *out)
{
	char digits[32];
	if (figure->repeated && grouped)
		uh_text_grouped(out, figure->value);
	else if (figure->repeated)
		uh_text_format(out, "%.0f", figure->value);
	else if (!grouped)
		uh_text_u64(out, figure->count);
	else {
		(void)snprintf(digits, sizeof(digits), "%" PRIu64, figure->count);
		append_grouped(digits, out);
	}
}
