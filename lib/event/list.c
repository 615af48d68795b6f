/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of events: reading its text, groups, ownership. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event/event.h"

#define EVENT_TEXT 512

const char *uh_event_list_keep(struct uh_event_list *list, const char *text)
{
	char **strings = realloc(list->strings, (list->string_count + 1) * sizeof(*strings));
	if (!strings)
		return NULL;
	list->strings = strings;
	char *copy = strdup(text);
	if (copy)
		strings[list->string_count++] = copy;
	return copy;
}

static void event_free(struct uh_event *event)
{
	free(event->name);
	uh_index_list_free(&event->cpus);
}

static int append(struct uh_event_list *list, const struct uh_event *event)
{
	struct uh_event *events = realloc(list->events, (list->count + 1) * sizeof(*events));
	if (!events)
		return -ENOMEM;
	list->events = events;
	events[list->count++] = *event;
	return 0;
}

/*
 * Cuts one event's text at a comma or brace that is not inside slashes, and splits off its
 * modifiers: what follows the second slash, or the last colon of a name that is not
 * a tracepoint's "system:name".
 */
static size_t event_length(const char *text)
{
	bool inside = false;
	size_t length = 0;
	for (; text[length]; length++) {
		if (text[length] == '/')
			inside = !inside;
		else if (!inside && (text[length] == ',' || text[length] == '}'))
			break;
	}
	return length;
}

static bool is_modifiers(const char *text)
{
	return *text && strspn(text, "ukhGHIpPSDWe") == strlen(text);
}

static char *split_modifiers(char *text)
{
	char *slash = strrchr(text, '/');
	if (slash) {
		char *modifiers = slash + 1;
		if (*modifiers == ':')
			modifiers++;
		if (!*modifiers)
			return NULL;
		char *copy = modifiers;
		/* The name keeps its closing slash; the modifiers move behind a NUL. */
		memmove(slash + 2, copy, strlen(copy) + 1);
		slash[1] = '\0';
		return slash + 2;
	}
	char *colon = strrchr(text, ':');
	if (!colon || colon == text)
		return NULL;
	bool single = strchr(text, ':') == colon;
	if (single && !is_modifiers(colon + 1))
		return NULL;
	*colon = '\0';
	return colon + 1;
}

static int add_event(struct uh_event_list *list, struct uh_machine *machine, const char *text,
		     size_t length, int group, struct uh_error *error)
{
	char copy[EVENT_TEXT + 2];
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	while (length && isspace((unsigned char)*text)) {
		text++;
		length--;
	}
	if (!length)
		return uh_fail(error, -EINVAL, "an event's name is missing between the commas");
	if (length > EVENT_TEXT - 1)
		return uh_fail(error, -EINVAL, "an event's text is longer than %d bytes",
			       EVENT_TEXT - 1);
	memcpy(copy, text, length);
	copy[length] = '\0';

	struct uh_event event = {.group = group, .scale = 1, .cgroup = -1};
	event.name = strdup(copy);
	if (!event.name)
		return uh_fail_memory(error);
	char *modifiers = split_modifiers(copy);
	int status = uh_event_resolve(list, machine, copy, &event, error);
	if (!status && modifiers)
		status = uh_event_modify(&event, modifiers, error);
	if (!status) {
		status = append(list, &event);
		if (status)
			(void)uh_fail_memory(error);
	}
	if (status)
		event_free(&event);
	return status;
}

/* "{a,b}:modifiers"; `text` stands behind the opening brace. */
static int add_group(struct uh_event_list *list, struct uh_machine *machine, const char **text,
		     struct uh_error *error)
{
	size_t first = list->count;
	int group = list->groups++;
	const char *cursor = *text;
	for (;;) {
		size_t length = event_length(cursor);
		int status = add_event(list, machine, cursor, length, group, error);
		if (status)
			return status;
		cursor += length;
		if (*cursor != ',')
			break;
		cursor++;
	}
	if (*cursor != '}')
		return uh_fail(error, -EINVAL, "the group {%.60s has no closing brace", *text);
	cursor++;
	if (*cursor == ':') {
		char modifiers[16];
		size_t length = strcspn(++cursor, ",");
		if (!length || length >= sizeof(modifiers))
			return uh_fail(error, -EINVAL, "bad modifiers behind the group {%.60s",
				       *text);
		memcpy(modifiers, cursor, length);
		modifiers[length] = '\0';
		for (size_t i = first; i < list->count; i++) {
			int status = uh_event_modify(&list->events[i], modifiers, error);
			if (status)
				return status;
		}
		cursor += length;
	}
	*text = cursor;
	return 0;
}

static int read_list(struct uh_event_list *list, struct uh_machine *machine, const char *text,
		     struct uh_error *error)
{
	const char *cursor = text;
	for (;;) {
		cursor += strspn(cursor, " \t\n");
		int status;
		if (*cursor == '{') {
			cursor++;
			status = add_group(list, machine, &cursor, error);
		} else {
			size_t length = event_length(cursor);
			status = add_event(list, machine, cursor, length, UH_NO_GROUP, error);
			cursor += length;
		}
		if (status)
			return status;
		cursor += strspn(cursor, " \t\n");
		if (!*cursor)
			return 0;
		if (*cursor != ',')
			return uh_fail(error, -EINVAL, "expected a comma before \"%.40s\"", cursor);
		cursor++;
	}
}

int uh_event_list_append(struct uh_event_list *list, struct uh_machine *machine, const char *text,
			 struct uh_error *error)
{
	size_t count = list->count;
	int groups = list->groups;
	int status = read_list(list, machine, text, error);
	if (!status)
		return 0;
	while (list->count > count)
		event_free(&list->events[--list->count]);
	list->groups = groups;
	return status;
}

int uh_event_list_parse(struct uh_machine *machine, const char *text, struct uh_event_list **list,
			struct uh_error *error)
{
	struct uh_event_list *result = calloc(1, sizeof(*result));
	if (!result)
		return uh_fail_memory(error);
	int status = *text ? uh_event_list_append(result, machine, text, error) : 0;
	if (status) {
		uh_event_list_free(result);
		return status;
	}
	*list = result;
	return 0;
}

void uh_event_list_free(struct uh_event_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < list->count; i++)
		event_free(&list->events[i]);
	for (size_t i = 0; i < list->string_count; i++)
		free(list->strings[i]);
	free(list->strings);
	free(list->events);
	free(list);
}

size_t uh_event_list_count(const struct uh_event_list *list)
{
	return list->count;
}

const char *uh_event_list_name(const struct uh_event_list *list, size_t index)
{
	return index < list->count ? list->events[index].name : NULL;
}
