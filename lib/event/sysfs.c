/* SPDX-License-Identifier: BSD-3-Clause */
#include "event/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "machine/machine.h"

#define DEVICES "sys/bus/event_source/devices"
#define PATH_SIZE 256
#define LINE_SIZE 512
#define ALIAS_DEPTH 4 /* an alias that names an alias ... ends here */
#define TERMS_MOST 64 /* of one event, those of its aliases included */

static const char *const core_pmus[] = {"cpu", "cpu_core"};

/* A name that would leave the PMU's directory is not a name. */
static bool plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < UH_PMU_NAME;
}

static int pmu_line(struct uh_machine *machine, const char *pmu, const char *file, char *line,
		    size_t size)
{
	char path[PATH_SIZE];
	int length = snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, file);
	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	return uh_file_line(machine->root, path, line, size);
}

bool uh_pmu_exists(struct uh_machine *machine, const char *pmu)
{
	char line[32];
	return plain_name(pmu) && !pmu_line(machine, pmu, "type", line, sizeof(line));
}

/* Finds the real spelling of an entry of a directory of the PMU, case ignored. */
static int find_entry(struct uh_machine *machine, const char *pmu, const char *directory,
		      const char *wanted, char found[UH_PMU_NAME])
{
	char path[PATH_SIZE];
	(void)snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, directory);
	int descriptor = openat(machine->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (descriptor < 0)
		return -errno;
	DIR *stream = fdopendir(descriptor);
	if (!stream) {
		int code = -errno;
		close(descriptor);
		return code;
	}
	int status = -ENOENT;
	for (struct dirent *entry; (entry = readdir(stream));) {
		if (strcasecmp(entry->d_name, wanted) != 0 || !plain_name(entry->d_name))
			continue;
		(void)snprintf(found, UH_PMU_NAME, "%.*s", UH_PMU_NAME - 1, entry->d_name);
		status = 0;
		break;
	}
	closedir(stream);
	return status;
}

static void offer_entries(struct uh_machine *machine, const char *pmu, const char *directory,
			  const char *wanted, struct uh_nearest *nearest)
{
	char path[PATH_SIZE];
	(void)snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, directory);
	int descriptor = openat(machine->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = descriptor < 0 ? NULL : fdopendir(descriptor);
	if (!stream) {
		if (descriptor >= 0)
			close(descriptor);
		return;
	}
	for (struct dirent *entry; (entry = readdir(stream));)
		if (plain_name(entry->d_name) && !strstr(entry->d_name, ".scale") &&
		    !strstr(entry->d_name, ".unit"))
			uh_nearest_offer(nearest, wanted, entry->d_name);
	closedir(stream);
}

void uh_pmu_nearest(struct uh_machine *machine, const char *wanted, struct uh_nearest *nearest)
{
	for (size_t i = 0; i < sizeof(core_pmus) / sizeof(core_pmus[0]); i++)
		offer_entries(machine, core_pmus[i], "events", wanted, nearest);
}

/* ---- format fields ---- */

static __u64 *config_word(struct perf_event_attr *attr, const char *format, size_t length)
{
	if (length == 6 && !strncmp(format, "config", 6))
		return &attr->config;
	if (length == 7 && !strncmp(format, "config1", 7))
		return &attr->config1;
	if (length == 7 && !strncmp(format, "config2", 7))
		return &attr->config2;
	return NULL;
}

static bool bit_number(const char **cursor, unsigned *bit)
{
	if (**cursor < '0' || **cursor > '9')
		return false;
	char *end;
	unsigned long value = strtoul(*cursor, &end, 10);
	*cursor = end;
	*bit = (unsigned)value;
	return value < 64;
}

int uh_format_place(const char *format, uint64_t value, struct perf_event_attr *attr)
{
	const char *colon = strchr(format, ':');
	__u64 *word = colon ? config_word(attr, format, (size_t)(colon - format)) : NULL;
	if (!word)
		return -EINVAL;
	const char *cursor = colon + 1;
	for (;;) {
		unsigned first;
		if (!bit_number(&cursor, &first))
			return -EINVAL;
		unsigned last = first;
		if (*cursor == '-') {
			cursor++;
			if (!bit_number(&cursor, &last) || last < first)
				return -EINVAL;
		}
		unsigned width = last - first + 1;
		uint64_t mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;
		*word = (*word & ~(mask << first)) | ((value & mask) << first);
		value = width == 64 ? 0 : value >> width;
		if (*cursor != ',')
			break;
		cursor++;
	}
	if (*cursor)
		return -EINVAL;
	return value ? -ERANGE : 0;
}

/* ---- terms ---- */

struct encoding {
	struct uh_event_list *list;
	struct uh_machine *machine;
	const char *pmu;
	struct uh_event *event;
	unsigned depth;
	unsigned terms;
};

static int encode_terms(struct encoding *encoding, const char *terms, struct uh_error *error);

static void alias_extras(struct encoding *encoding, const char *alias)
{
	char file[UH_PMU_NAME + 32];
	char line[64];
	double scale;
	(void)snprintf(file, sizeof(file), "events/%s.scale", alias);
	if (!pmu_line(encoding->machine, encoding->pmu, file, line, sizeof(line)) &&
	    uh_parse_double(line, &scale))
		encoding->event->scale = scale;
	(void)snprintf(file, sizeof(file), "events/%s.unit", alias);
	if (!pmu_line(encoding->machine, encoding->pmu, file, line, sizeof(line)))
		(void)snprintf(encoding->event->unit, sizeof(encoding->event->unit), "%.*s",
			       UH_EVENT_UNIT - 1, line);
}

static int encode_alias(struct encoding *encoding, const char *alias, struct uh_error *error)
{
	char file[UH_PMU_NAME + 32];
	char terms[LINE_SIZE];
	if (encoding->depth >= ALIAS_DEPTH)
		return uh_fail(error, -ELOOP, "%s/%s/: the kernel's alias names itself",
			       encoding->pmu, alias);
	(void)snprintf(file, sizeof(file), "events/%s", alias);
	int status = pmu_line(encoding->machine, encoding->pmu, file, terms, sizeof(terms));
	if (status)
		return uh_fail_errno(error, status, "%s/%s/: cannot read the kernel's alias",
				     encoding->pmu, alias);
	encoding->depth++;
	status = encode_terms(encoding, terms, error);
	encoding->depth--;
	if (!status)
		alias_extras(encoding, alias);
	return status;
}

static int unknown_term(struct encoding *encoding, const char *term, struct uh_error *error)
{
	struct uh_nearest nearest = {0};
	char hint[UH_NEAREST_MOST * UH_NEAREST_LENGTH + 32];
	offer_entries(encoding->machine, encoding->pmu, "events", term, &nearest);
	offer_entries(encoding->machine, encoding->pmu, "format", term, &nearest);
	return uh_fail(error, -ENOENT, "%s/%s/: this PMU has no event or field \"%s\"%s",
		       encoding->pmu, term, term, uh_nearest_text(&nearest, hint, sizeof(hint)));
}

static int encode_field(struct encoding *encoding, const char *term, const char *value_text,
			struct uh_error *error)
{
	uint64_t value = 1;
	char field[UH_PMU_NAME];
	char file[UH_PMU_NAME + 32];
	char format[LINE_SIZE];

	if (value_text && !uh_parse_u64(value_text, &value))
		return uh_fail(error, -EINVAL, "%s/%s=%s/: \"%s\" is not a number", encoding->pmu,
			       term, value_text, value_text);
	if (!strcmp(term, "config") || !strcmp(term, "config1") || !strcmp(term, "config2")) {
		*config_word(&encoding->event->attr, term, strlen(term)) = value;
		return 0;
	}
	int status = find_entry(encoding->machine, encoding->pmu, "format", term, field);
	if (status)
		return unknown_term(encoding, term, error);
	(void)snprintf(file, sizeof(file), "format/%s", field);
	status = pmu_line(encoding->machine, encoding->pmu, file, format, sizeof(format));
	if (!status)
		status = uh_format_place(format, value, &encoding->event->attr);
	if (status == -ERANGE)
		return uh_fail(error, -ERANGE, "%s/%s=%s/: the value does not fit into %s",
			       encoding->pmu, term, value_text ? value_text : "1", format);
	if (status)
		return uh_fail_errno(error, status, "%s/%s/: cannot use the kernel's format",
				     encoding->pmu, term);
	return 0;
}

static int encode_term(struct encoding *encoding, char *term, struct uh_error *error)
{
	char alias[UH_PMU_NAME];
	char *value = strchr(term, '=');
	if (value)
		*value++ = '\0';
	if (++encoding->terms > TERMS_MOST)
		return uh_fail(error, -E2BIG, "%s//: more than %d fields", encoding->pmu,
			       TERMS_MOST);
	if (!plain_name(term))
		return uh_fail(error, -EINVAL, "%s//: \"%s\" is not a name of a field",
			       encoding->pmu, term);
	if (value && !strcmp(term, "name")) {
		if (!*value)
			return uh_fail(error, -EINVAL, "%s/name=/: the name is empty",
				       encoding->pmu);
		char *copy = strdup(value);
		if (!copy)
			return uh_fail_memory(error);
		free(encoding->event->name);
		encoding->event->name = copy;
		return 0;
	}
	if (!strcmp(term, "period") || !strcmp(term, "freq"))
		return uh_fail(error, -EINVAL,
			       "%s/%s/: counting has no sampling period; leave the term out",
			       encoding->pmu, term);
	if (!value && !find_entry(encoding->machine, encoding->pmu, "events", term, alias))
		return encode_alias(encoding, alias, error);
	return encode_field(encoding, term, value, error);
}

static int encode_terms(struct encoding *encoding, const char *terms, struct uh_error *error)
{
	char copy[LINE_SIZE];
	if (strlen(terms) >= sizeof(copy))
		return uh_fail(error, -EINVAL, "%s//: the list of fields is too long",
			       encoding->pmu);
	(void)snprintf(copy, sizeof(copy), "%s", terms);
	char *rest = copy;
	while (rest && *rest) {
		char *term = strsep(&rest, ",");
		term += strspn(term, " ");
		int status = encode_term(encoding, term, error);
		if (status)
			return status;
	}
	return 0;
}

static void pmu_cpus(struct uh_machine *machine, const char *pmu, struct uh_event *event)
{
	char line[LINE_SIZE];
	if (pmu_line(machine, pmu, "cpumask", line, sizeof(line)) &&
	    pmu_line(machine, pmu, "cpus", line, sizeof(line)))
		return;
	if (uh_index_list_parse(line, &event->cpus))
		uh_index_list_free(&event->cpus);
}

static bool is_core_pmu(const char *pmu)
{
	return !strncmp(pmu, "cpu", 3) && (!pmu[3] || pmu[3] == '_');
}

int uh_pmu_encode(struct uh_event_list *list, struct uh_machine *machine, const char *pmu,
		  const char *terms, struct uh_event *event, struct uh_error *error)
{
	char type[32];
	uint64_t number;
	if (!plain_name(pmu))
		return uh_fail(error, -EINVAL, "\"%s\" is not a name of a PMU", pmu);
	int status = pmu_line(machine, pmu, "type", type, sizeof(type));
	if (status || !uh_parse_u64(type, &number) || number > UINT32_MAX) {
		struct uh_nearest nearest = {0};
		char hint[UH_NEAREST_MOST * UH_NEAREST_LENGTH + 32];
		offer_entries(machine, ".", ".", pmu, &nearest);
		return uh_fail(error, -ENOENT, "%s/%s/: this machine has no PMU \"%s\"%s", pmu,
			       terms, pmu, uh_nearest_text(&nearest, hint, sizeof(hint)));
	}
	event->kind = is_core_pmu(pmu) ? UH_EVENT_CORE : UH_EVENT_PMU;
	event->attr.type = (uint32_t)number;
	event->scale = 1;
	struct encoding encoding = {list, machine, pmu, event, 0, 0};
	status = encode_terms(&encoding, terms, error);
	if (!status)
		pmu_cpus(machine, pmu, event);
	return status;
}

int uh_pmu_core_alias(struct uh_event_list *list, struct uh_machine *machine, const char *alias,
		      struct uh_event *event, struct uh_error *error)
{
	char found[UH_PMU_NAME];
	for (size_t i = 0; i < sizeof(core_pmus) / sizeof(core_pmus[0]); i++) {
		if (!plain_name(alias) ||
		    find_entry(machine, core_pmus[i], "events", alias, found) != 0)
			continue;
		event->plain = uh_event_list_keep(list, found);
		if (!event->plain)
			return uh_fail_memory(error);
		return uh_pmu_encode(list, machine, core_pmus[i], found, event, error);
	}
	return -ENOENT;
}
