/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

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

void uh_text_format(struct uh_text *text, const char *format, ...)
{
	char small[256];
	va_list arguments;
	va_start(arguments, format);
	int length = vsnprintf(small, sizeof(small), format, arguments);
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
	(void)vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
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

void uh_text_safe(struct uh_text *text, const char *name)
{
	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;
		uh_text_char(text, byte < 0x20 || byte == 0x7f ? '?' : *name);
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
