/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From one event's text to its encoding. The order: forms that say what they mean
 * (raw, pmu/terms/, tracepoint), then the kernel's aliases of the core's PMU, then the
 * tables. An alias that is also a generic name keeps the generic encoding, which is
 * what perf counts under that name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "event/event.h"
#include "event/sysfs.h"
#include "event/tables.h"
#include "machine/machine.h"

static int resolve_raw(const char *text, struct uh_event *event)
{
	uint64_t config;
	if (text[0] != 'r' || !uh_parse_hex(text + 1, &config))
		return -ENOENT;
	event->kind = UH_EVENT_CORE;
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = config;
	event->scale = 1;
	return 0;
}

static int resolve_pmu(struct uh_event_list *list, struct uh_machine *machine, const char *text,
		       struct uh_event *event, struct uh_error *error)
{
	char pmu[UH_PMU_NAME];
	const char *slash = strchr(text, '/');
	size_t length = (size_t)(slash - text);
	const char *end = strrchr(text, '/');
	if (!length || length >= sizeof(pmu) || end == slash || end[1])
		return uh_fail(error, -EINVAL,
			       "%s: an event of a PMU is written pmu/term=value,.../", text);
	memcpy(pmu, text, length);
	pmu[length] = '\0';
	char *terms = strndup(slash + 1, (size_t)(end - slash - 1));
	if (!terms)
		return uh_fail_memory(error);
	int status = uh_pmu_encode(list, machine, pmu, terms, event, error);
	/* cpu/cycles/ means cycles: it takes part in the same metrics. */
	struct uh_event named = {0};
	if (!status && event->kind == UH_EVENT_CORE && !strpbrk(terms, ",=") &&
	    !uh_event_from_tables(terms, &named)) {
		event->plain = named.plain;
		event->quantities = named.quantities;
	}
	free(terms);
	return status;
}

#define KNOWN_MODIFIERS " (known: u k h G H I p P S D W e)"

/* Whether a table knows the first `length` bytes: what follows a colon are then modifiers. */
static bool known_event(const char *text, size_t length)
{
	struct uh_event event = {0};
	char *name = strndup(text, length);
	bool known = name && *name && !uh_event_from_tables(name, &event);
	free(name);
	return known;
}

static const char *const trace_roots[] = {"sys/kernel/tracing", "sys/kernel/debug/tracing"};

static int resolve_tracepoint(struct uh_machine *machine, const char *text, struct uh_event *event,
			      struct uh_error *error)
{
	char path[512];
	int64_t id;
	const char *colon = strchr(text, ':');
	int status = -ENOENT;

	if (strchr(text, '/') || strstr(text, ".."))
		return uh_fail(error, -EINVAL, "%s: not the name of a tracepoint", text);
	for (size_t i = 0; i < sizeof(trace_roots) / sizeof(trace_roots[0]); i++) {
		int length = snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", trace_roots[i],
				      (int)(colon - text), text, colon + 1);
		if (length < 0 || (size_t)length >= sizeof(path))
			break;
		status = uh_file_number(machine->root, path, &id);
		if (!status)
			break;
	}
	if (status == -EACCES || status == -EPERM)
		return uh_fail(
		    error, status,
		    "%s: the tracepoints of /sys/kernel/tracing are readable by root only; "
		    "run as root",
		    text);
	if (status && known_event(text, (size_t)(colon - text)))
		return uh_fail(error, -EINVAL, "%s: \"%s\" are no modifiers" KNOWN_MODIFIERS, text,
			       colon + 1);
	if (status)
		return uh_fail(error, -ENOENT,
			       "%s: the kernel has no such tracepoint, or tracefs is not mounted "
			       "(mount -t tracefs none /sys/kernel/tracing)",
			       text);
	event->kind = UH_EVENT_TRACEPOINT;
	event->attr.type = PERF_TYPE_TRACEPOINT;
	event->attr.config = (uint64_t)id;
	event->scale = 1;
	return 0;
}

static int unknown(struct uh_machine *machine, const char *text, struct uh_error *error)
{
	struct uh_nearest nearest = {0};
	char hint[UH_NEAREST_MOST * UH_NEAREST_LENGTH + 32];
	uh_event_tables_nearest(text, &nearest);
	uh_pmu_nearest(machine, text, &nearest);
	return uh_fail(error, -ENOENT, "%s: no event of that name is known%s", text,
		       uh_nearest_text(&nearest, hint, sizeof(hint)));
}

static bool wants_quantity(const char *text)
{
	return !strncasecmp(text, UH_QUANTITY_PREFIX, strlen(UH_QUANTITY_PREFIX));
}

int uh_event_resolve(struct uh_event_list *list, struct uh_machine *machine, const char *text,
		     struct uh_event *event, struct uh_error *error)
{
	if (!resolve_raw(text, event) || !uh_event_from_tables(text, event))
		return 0;
	if (strchr(text, '/') && !wants_quantity(text))
		return resolve_pmu(list, machine, text, event, error);
	int status = uh_pmu_core_alias(list, machine, text, event, error);
	if (status != -ENOENT)
		return status;
	if (strchr(text, ':') && !strchr(text, '/'))
		return resolve_tracepoint(machine, text, event, error);
	return unknown(machine, text, error);
}

int uh_event_modify(struct uh_event *event, const char *modifiers, struct uh_error *error)
{
	struct perf_event_attr *attr = &event->attr;
	bool levels = strpbrk(modifiers, "ukh") != NULL;
	unsigned precise = 0;
	if (levels) {
		/* A group's levels join those of its member, as perf has it: {a:k,b}:u counts a
		 * in both. */
		bool some = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv;
		attr->exclude_user = (!some || attr->exclude_user) && !strchr(modifiers, 'u');
		attr->exclude_kernel = (!some || attr->exclude_kernel) && !strchr(modifiers, 'k');
		attr->exclude_hv = (!some || attr->exclude_hv) && !strchr(modifiers, 'h');
	}
	for (const char *letter = modifiers; *letter; letter++) {
		switch (*letter) {
		case 'u':
		case 'k':
		case 'h':
			break;
		case 'G':
			attr->exclude_host = !strchr(modifiers, 'H');
			break;
		case 'H':
			attr->exclude_guest = !strchr(modifiers, 'G');
			break;
		case 'I':
			attr->exclude_idle = 1;
			break;
		case 'p':
			if (++precise > 3)
				return uh_fail(error, -EINVAL, "%s: at most :ppp", event->name);
			break;
		case 'P':
			event->precise_wanted = true;
			break;
		case 'S': /* concerns sampling only */
			break;
		case 'D':
			attr->pinned = 1;
			break;
		case 'W':
			event->weak_group = true;
			break;
		case 'e':
			attr->exclusive = 1;
			break;
		default:
			return uh_fail(error, -EINVAL,
				       "%s: unknown modifier \"%c\"" KNOWN_MODIFIERS, event->name,
				       *letter);
		}
	}
	if (precise)
		attr->precise_ip = precise & 3;
	return 0;
}
