/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/json.h"

#include <math.h>

void uh_json_string(struct uh_text *out, const char *string)
{
	const char *s = string;
	uh_text_char(out, '"');
	while (*s) {
		unsigned code;
		size_t length = uh_utf8_sequence(s, &code);
		if (!length) {
			uh_text_string(out, "\\ufffd");
			length = 1;
		} else if (*s == '"' || *s == '\\') {
			uh_text_char(out, '\\');
			uh_text_char(out, *s);
		} else if (code < 0x20 || (code >= 0x7f && code < 0xa0)) {
			uh_text_format(out, "\\u%04x", code);
		} else {
			uh_text_bytes(out, s, length);
		}
		s += length;
	}
	uh_text_char(out, '"');
}

void uh_json_number(struct uh_text *out, double value, int digits)
{
	if (!isfinite(value))
		uh_text_string(out, "null");
	else if (value == floor(value) && fabs(value) < 9007199254740992.0)
		uh_text_format(out, "%.0f", value);
	else
		uh_text_format(out, "%.*g", digits, value);
}
