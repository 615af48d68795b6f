/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct uh_text *text, size_t more)
{
	if (text->failed)
		return false;
	if (more < text->capacity - text->length)
		return true;
	size_t wanted = text->length + more + 1;
	size_t capacity = text->capacity ? text->capacity : 256;
	while (capacity < wanted)
		capacity *= 2;
	char *data = realloc(text->data, capacity);
	if (!data) {
		text->failed = true;
		return false;
	}
	text->data = data;
	text->capacity = capacity;
	return true;
}

void uh_text_bytes(struct uh_text *text, const char *bytes, size_t count)
{
	if (!reserve(text, count))
		return;
	memcpy(text->data + text->length, bytes, count);
	text->length += count;
	text->data[text->length] = '\0';
}

void uh_text_string(struct uh_text *text, const char *string)
{
	uh_text_bytes(text, string, strlen(string));
}

void uh_text_char(struct uh_text *text, char byte)
{
	uh_text_bytes(text, &byte, 1);
}

/* vsnprintf with a decimal point, whatever the locale of the program that uses the library. */
__attribute__((format(printf, 3, 0))) static int format_plain(char *buffer, size_t size,
							      const char *format, va_list arguments)
{
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (plain == (locale_t)0)
		return -1;
	locale_t before = uselocale(plain);
	int length = vsnprintf(buffer, size, format, arguments);
	uselocale(before);
	freelocale(plain);
	return length;
}

void uh_text_format(struct uh_text *text, const char *format, ...)
{
	char small[256];
	va_list arguments;
	va_start(arguments, format);
	int length = format_plain(small, sizeof(small), format, arguments);
	va_end(arguments);
	if (length < 0) {
		text->failed = true;
		return;
	}
	if ((size_t)length < sizeof(small)) {
		uh_text_bytes(text, small, (size_t)length);
		return;
	}
	if (!reserve(text, (size_t)length))
		return;
	va_start(arguments, format);
	(void)format_plain(text->data + text->length, (size_t)length + 1, format, arguments);
	va_end(arguments);
	text->length += (size_t)length;
}

void uh_text_u64(struct uh_text *text, uint64_t value)
{
	char digits[20];
	size_t first = sizeof(digits);
	do {
		digits[--first] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	uh_text_bytes(text, digits + first, sizeof(digits) - first);
}

void uh_text_padded(struct uh_text *text, const char *string, int width)
{
	size_t length = strlen(string);
	size_t wanted = (size_t)(width < 0 ? -width : width);
	size_t blanks = length < wanted ? wanted - length : 0;
	if (width < 0)
		uh_text_bytes(text, string, length);
	for (size_t i = 0; i < blanks; i++)
		uh_text_char(text, ' ');
	if (width >= 0)
		uh_text_bytes(text, string, length);
}

size_t uh_utf8_sequence(const char *bytes, unsigned *code)
{
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)bytes;
	*code = s[0];
	if (s[0] < 0x80)
		return 1;
	size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	*code &= 0x7fu >> length;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

bool uh_is_control(unsigned code)
{
	bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || turns;
}

void uh_text_safe(struct uh_text *text, const char *name)
{
	while (*name) {
		unsigned code;
		size_t length = uh_utf8_sequence(name, &code);
		if (!length || uh_is_control(code))
			uh_text_char(text, '?');
		else
			uh_text_bytes(text, name, length);
		name += length ? length : 1;
	}
}

void uh_text_clear(struct uh_text *text)
{
	text->length = 0;
	if (text->data)
		text->data[0] = '\0';
}

void uh_text_free(struct uh_text *text)
{
	free(text->data);
	*text = (struct uh_text){0};
}
