/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/json.h"

#include <math.h>

/* Length of the valid UTF-8 sequence at `s`, or 0. */
static size_t sequence(const unsigned char *s)
{
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	if (s[0] < 0x80)
		return 1;
	size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	unsigned code = s[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	return length;
}

void uh_json_string(struct uh_text *out, const char *string)
{
	const unsigned char *s = (const unsigned char *)string;
	uh_text_char(out, '"');
	while (*s) {
		size_t length = sequence(s);
		if (!length) {
			uh_text_string(out, "\\ufffd");
			length = 1;
		} else if (*s == '"' || *s == '\\') {
			uh_text_char(out, '\\');
			uh_text_char(out, (char)*s);
		} else if (*s < 0x20 || *s == 0x7f) {
			uh_text_format(out, "\\u%04x", *s);
		} else {
			uh_text_bytes(out, (const char *)s, length);
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
