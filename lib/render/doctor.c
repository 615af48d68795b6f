/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/doctor.h"

#include <string.h>

#include "render/json.h"

#define LEAST_WIDTH 40
#define MARK_WIDTH 9   /* "limited" and two blanks */
#define TOPIC_WIDTH 14 /* "capabilities" and two blanks */

/* ---- for people ---- */

/* Words are set one after another; a line goes on at `indent`. */
struct paragraph {
	struct uh_text *out;
	size_t width, indent;
	size_t column;
	bool begun; /* a word stands on this line */
};

static void set_word(struct paragraph *paragraph, const char *word, size_t length)
{
	struct uh_text *out = paragraph->out;
	if (paragraph->begun && paragraph->column + 1 + length > paragraph->width) {
		uh_text_char(out, '\n');
		uh_text_padded(out, "", (int)paragraph->indent);
		paragraph->column = paragraph->indent;
		paragraph->begun = false;
	}
	if (paragraph->begun) {
		uh_text_char(out, ' ');
		paragraph->column++;
	}
	uh_text_bytes(out, word, length);
	paragraph->column += length;
	paragraph->begun = true;
}

/* Sets `text`, in which control bytes have become harmless. */
static void set_words(struct paragraph *paragraph, const char *text)
{
	struct uh_text safe = {0};
	uh_text_safe(&safe, text);
	for (const char *word = safe.data; word && *word;) {
		size_t length = strcspn(word, " ");
		if (length)
			set_word(paragraph, word, length);
		word += length + (word[length] == ' ');
	}
	paragraph->out->failed = paragraph->out->failed || safe.failed;
	uh_text_free(&safe);
}

static const char *or_empty(const struct uh_text *text)
{
	return text->data ? text->data : "";
}

static void append_finding(const struct uh_finding *finding, size_t width, struct uh_text *out)
{
	static const char *const marks[] = {
	    [UH_FINDING_OK] = "ok", [UH_FINDING_LIMITED] = "limited", [UH_FINDING_ABSENT] = "no"};
	size_t indent = 2 + MARK_WIDTH + TOPIC_WIDTH;
	struct paragraph paragraph = {
	    .out = out, .width = width, .indent = indent, .column = indent};
	struct uh_text both = {0};
	uh_text_string(out, "  ");
	uh_text_padded(out, marks[finding->state], -MARK_WIDTH);
	uh_text_padded(out, finding->topic, -TOPIC_WIDTH);
	uh_text_string(&both, or_empty(&finding->what));
	if (finding->why.length)
		uh_text_format(&both, ": %s", or_empty(&finding->why));
	set_words(&paragraph, or_empty(&both));
	uh_text_char(out, '\n');
	out->failed = out->failed || both.failed;
	uh_text_free(&both);
}

static bool said_before(const struct uh_diagnosis *diagnosis, size_t index)
{
	const char *todo = or_empty(&diagnosis->findings[index].todo);
	for (size_t i = 0; i < index; i++)
		if (!strcmp(or_empty(&diagnosis->findings[i].todo), todo))
			return true;
	return false;
}

static void append_todo(const struct uh_diagnosis *diagnosis, size_t width, struct uh_text *out)
{
	bool heading = false;
	for (size_t i = 0; i < diagnosis->count; i++) {
		const struct uh_finding *finding = &diagnosis->findings[i];
		if (!finding->todo.length || said_before(diagnosis, i))
			continue;
		uh_text_string(out, heading ? "" : "\nTo do:\n");
		heading = true;
		uh_text_string(out, "  ");
		uh_text_padded(out, finding->topic, -TOPIC_WIDTH);
		struct paragraph paragraph = {.out = out,
					      .width = width,
					      .indent = 2 + TOPIC_WIDTH,
					      .column = 2 + TOPIC_WIDTH};
		set_words(&paragraph, or_empty(&finding->todo));
		uh_text_char(out, '\n');
	}
}

void uh_doctor_text(const struct uh_diagnosis *diagnosis, size_t width, struct uh_text *out)
{
	if (width < LEAST_WIDTH)
		width = LEAST_WIDTH;
	struct paragraph summary = {.out = out, .width = width};
	set_words(&summary, or_empty(&diagnosis->summary));
	uh_text_string(out, "\n\n");
	for (size_t i = 0; i < diagnosis->count; i++)
		append_finding(&diagnosis->findings[i], width, out);
	append_todo(diagnosis, width, out);
}

/* ---- for programs ---- */

static void append_member(struct uh_text *out, const char *key, const struct uh_text *value)
{
	uh_text_format(out, ", \"%s\": ", key);
	if (value->length)
		uh_json_string(out, value->data);
	else
		uh_text_string(out, "null");
}

void uh_doctor_json(const struct uh_diagnosis *diagnosis, struct uh_text *out)
{
	uh_text_string(out, "{\"schema\": 1, \"version\": ");
	uh_json_string(out, uh_version());
	append_member(out, "summary", &diagnosis->summary);
	uh_text_format(out, ", \"findings\": %zu}\n", diagnosis->count);
	for (size_t i = 0; i < diagnosis->count; i++) {
		const struct uh_finding *finding = &diagnosis->findings[i];
		uh_text_format(out, "{\"topic\": \"%s\", \"state\": \"%s\"", finding->topic,
			       uh_finding_state_name(finding->state));
		append_member(out, "what", &finding->what);
		append_member(out, "why", &finding->why);
		append_member(out, "todo", &finding->todo);
		uh_text_string(out, "}\n");
	}
}
