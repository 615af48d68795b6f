/* SPDX-License-Identifier: BSD-3-Clause */
#include "event/tables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "events-architectural.h"
#include "events-emulated.h"
#include "events-generic.h"
#include "quantities.h"

_Static_assert(UH_QUANTITY_COUNT <= 64, "a set of quantities is one word");

struct generic_row {
	const char *name;
	uint32_t type;
	uint64_t config;
	double scale;
	const char *unit;
	const char *alias;
};

static const struct generic_row generic[] = {
#define X(name, type, config, scale, unit, alias) {name, type, config, scale, unit, alias},
    UH_EVENTS_GENERIC_ROWS
#undef X
};

struct architectural_row {
	const char *name;
	uint64_t config;
	const char *alias;
};

static const struct architectural_row architectural[] = {
#define X(name, config, alias) {name, config, alias},
    UH_EVENTS_ARCHITECTURAL_ROWS
#undef X
};

struct emulated_row {
	const char *name;
	uint64_t quantities;
};

#define BIT(quantity) (1ull << (quantity))
static const struct emulated_row emulated[] = {
#define X(name, quantities) {name, quantities},
    UH_EVENTS_EMULATED_ROWS
#undef X
};

static const char *const quantity_names[] = {
#define X(upper, name, class, cost, text) name,
    UH_QUANTITY_ROWS
#undef X
};

static const char *const tools[] = {
    [UH_TOOL_DURATION] = "duration_time",
    [UH_TOOL_USER] = "user_time",
    [UH_TOOL_SYSTEM] = "system_time",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

uint64_t uh_event_quantities(const char *name)
{
	for (size_t i = 0; i < COUNT(emulated); i++)
		if (!strcasecmp(name, emulated[i].name))
			return emulated[i].quantities;
	return 0;
}

static void from_generic(const struct generic_row *row, struct uh_event *event)
{
	event->kind = row->type == PERF_TYPE_SOFTWARE ? UH_EVENT_SOFTWARE : UH_EVENT_CORE;
	event->plain = row->alias ? row->alias : row->name;
	event->attr.type = row->type;
	event->attr.config = row->config;
	event->scale = row->scale;
	(void)snprintf(event->unit, sizeof(event->unit), "%s", row->unit);
}

static int from_tools(const char *text, struct uh_event *event)
{
	for (size_t i = 0; i < COUNT(tools); i++) {
		if (strcasecmp(text, tools[i]) != 0)
			continue;
		event->kind = UH_EVENT_TOOL;
		event->tool = (enum uh_event_tool)i;
		event->plain = tools[i];
		(void)snprintf(event->unit, sizeof(event->unit), "ns");
		return 0;
	}
	return -ENOENT;
}

static int from_quantities(const char *text, struct uh_event *event)
{
	static const char prefix[] = UH_QUANTITY_PREFIX;
	size_t length = strlen(text);
	if (strncasecmp(text, prefix, sizeof(prefix) - 1) != 0 || text[length - 1] != '/')
		return -ENOENT;
	const char *name = text + sizeof(prefix) - 1;
	size_t name_length = length - (sizeof(prefix) - 1);
	name_length -= name_length > 0;
	for (size_t i = 0; i < COUNT(quantity_names); i++) {
		if (strlen(quantity_names[i]) != name_length ||
		    strncasecmp(name, quantity_names[i], name_length) != 0)
			continue;
		event->kind = UH_EVENT_EMULATED_ONLY;
		event->plain = quantity_names[i];
		event->quantities = BIT(i);
		return 0;
	}
	return -ENOENT;
}

int uh_event_from_tables(const char *text, struct uh_event *event)
{
	event->scale = 1;
	for (size_t i = 0; i < COUNT(generic); i++) {
		if (strcasecmp(text, generic[i].name) != 0)
			continue;
		from_generic(&generic[i], event);
		event->quantities = uh_event_quantities(event->plain);
		return 0;
	}
	for (size_t i = 0; i < COUNT(architectural); i++) {
		if (strcasecmp(text, architectural[i].name) != 0)
			continue;
		event->kind = UH_EVENT_CORE;
		event->plain =
		    architectural[i].alias ? architectural[i].alias : architectural[i].name;
		event->attr.type = PERF_TYPE_RAW;
		event->attr.config = architectural[i].config;
		event->quantities = uh_event_quantities(text);
		return 0;
	}
	if (!from_tools(text, event) || !from_quantities(text, event))
		return 0;
	for (size_t i = 0; i < COUNT(emulated); i++) {
		if (strcasecmp(text, emulated[i].name) != 0)
			continue;
		event->kind = UH_EVENT_EMULATED_ONLY;
		event->plain = emulated[i].name;
		event->quantities = emulated[i].quantities;
		return 0;
	}
	return -ENOENT;
}

void uh_event_tables_nearest(const char *wanted, struct uh_nearest *nearest)
{
	for (size_t i = 0; i < COUNT(generic); i++)
		uh_nearest_offer(nearest, wanted, generic[i].name);
	for (size_t i = 0; i < COUNT(architectural); i++)
		uh_nearest_offer(nearest, wanted, architectural[i].name);
	for (size_t i = 0; i < COUNT(emulated); i++)
		uh_nearest_offer(nearest, wanted, emulated[i].name);
	for (size_t i = 0; i < COUNT(tools); i++)
		uh_nearest_offer(nearest, wanted, tools[i]);
	for (size_t i = 0; i < COUNT(quantity_names); i++) {
		char name[UH_NEAREST_LENGTH];
		(void)snprintf(name, sizeof(name), UH_QUANTITY_PREFIX "%s/", quantity_names[i]);
		uh_nearest_offer(nearest, wanted, name);
	}
}
