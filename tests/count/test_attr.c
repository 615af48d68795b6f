/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a command line of `unhalted stat` to what perf_event_open is asked for, without counters:
 * attr/NAME.txt names the machine, the command line and, opening by opening, what
 * differs from attr/base. See attr/README.md.
 */
#include "unit.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stat.h"
#include "count/fake_machine.h"
#include "count/session.h"

#define FIELDS_MOST 64
#define CHILD (-2) /* the program's process */

struct field {
	char name[32];
	long long value;
};

struct fields {
	struct field items[FIELDS_MOST];
	size_t count;
};

static long long *value_of(struct fields *fields, const char *name)
{
	for (size_t i = 0; i < fields->count; i++)
		if (!strcmp(fields->items[i].name, name))
			return &fields->items[i].value;
	fail_msg("attr/base has no field \"%s\"", name);
	return NULL;
}

static void add(struct fields *fields, const char *name, long long value)
{
	assert_true(fields->count < FIELDS_MOST);
	struct field *field = &fields->items[fields->count++];
	(void)snprintf(field->name, sizeof(field->name), "%.31s", name);
	field->value = value;
}

/* Everything of an opening that a case may speak of. */
static void fields_of(const struct fake_opening *opening, pid_t child, struct fields *fields)
{
	const struct perf_event_attr *attr = &opening->attr;
	fields->count = 0;
	add(fields, "pid", opening->pid > 0 && opening->pid == child ? CHILD : opening->pid);
	add(fields, "cpu", opening->cpu);
	add(fields, "flags", (long long)opening->flags);
#define FIELD(name) add(fields, #name, (long long)attr->name)
	FIELD(type);
	FIELD(config);
	FIELD(config1);
	FIELD(config2);
	FIELD(sample_period);
	FIELD(sample_type);
	FIELD(read_format);
	FIELD(disabled);
	FIELD(inherit);
	FIELD(pinned);
	FIELD(exclusive);
	FIELD(exclude_user);
	FIELD(exclude_kernel);
	FIELD(exclude_hv);
	FIELD(exclude_idle);
	FIELD(exclude_host);
	FIELD(exclude_guest);
	FIELD(enable_on_exec);
	FIELD(precise_ip);
	FIELD(mmap);
	FIELD(comm);
	FIELD(freq);
	FIELD(task);
	FIELD(inherit_stat);
#undef FIELD
}

/* ---- one case ---- */

struct attr_case {
	const char *name;
	char machine[64];
	char command[512];
	struct fields base;
	struct fields *wanted;
	int *leaders; /* which opening's group each joins, or -1 */
	size_t count;
};

static void take_field(struct attr_case *test, const char *name, const char *text)
{
	long long value = strcmp(text, "child") ? (long long)strtoull(text, NULL, 0) : CHILD;
	if (!test->count)
		fail_msg("%s: \"%s\" stands before the first open", test->name, name);
	if (!strcmp(name, "leader"))
		test->leaders[test->count - 1] = (int)value;
	else
		*value_of(&test->wanted[test->count - 1], name) = value;
}

static void take_line(struct attr_case *test, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	char *rest = line + strcspn(line, " ");
	if (!*line || *line == '#')
		return;
	if (*rest)
		*rest++ = '\0';
	if (!strcmp(line, "machine")) {
		(void)snprintf(test->machine, sizeof(test->machine), "%s", rest);
	} else if (!strcmp(line, "command")) {
		(void)snprintf(test->command, sizeof(test->command), "%s", rest);
	} else if (!strcmp(line, "open")) {
		test->wanted = realloc(test->wanted, (test->count + 1) * sizeof(*test->wanted));
		test->leaders = realloc(test->leaders, (test->count + 1) * sizeof(int));
		assert_true(test->wanted && test->leaders);
		test->wanted[test->count] = test->base;
		test->leaders[test->count++] = -1;
	} else {
		take_field(test, line, rest);
	}
}

static void read_file(const char *name, void (*take)(void *, char *), void *context)
{
	char path[512];
	char line[512];
	(void)snprintf(path, sizeof(path), TEST_DATA "/attr/%s", name);
	FILE *stream = fopen(path, "r");
	assert_non_null(stream);
	while (fgets(line, sizeof(line), stream))
		take(context, line);
	(void)fclose(stream);
}

static void take_base(void *context, char *line)
{
	struct attr_case *test = context;
	char *rest = line + strcspn(line, " ");
	if (*line == '#' || !*rest)
		return;
	*rest++ = '\0';
	add(&test->base, line, strtoll(rest, NULL, 0));
}

static void take_case(void *context, char *line)
{
	take_line(context, line);
}

static void compare(const struct attr_case *test, const struct fake_machine *fake, pid_t child)
{
	for (size_t i = 0; i < fake->count && i < test->count; i++) {
		const struct fake_opening *opening = &fake->openings[i];
		struct fields found;
		fields_of(opening, child, &found);
		assert_int_equal(opening->attr.size, sizeof(opening->attr));
		assert_int_equal(found.count, test->base.count);
		for (size_t j = 0; j < found.count; j++) {
			const struct field *field = &found.items[j];
			long long wanted = *value_of(&test->wanted[i], field->name);
			if (field->value != wanted)
				fail_msg("%s: opening %zu: %s is %#llx, wanted %#llx", test->name,
					 i, field->name, field->value, wanted);
		}
		int leader = test->leaders[i];
		int group = leader < 0 ? -1 : fake->openings[leader].descriptor;
		if (opening->group != group)
			fail_msg("%s: opening %zu joins another group", test->name, i);
	}
	if (fake->count != test->count)
		fail_msg("%s: %zu openings, wanted %zu", test->name, fake->count, test->count);
}

static size_t split(char *command, char **words, size_t most)
{
	size_t count = 0;
	for (char *word = strtok(command, " "); word && count < most; word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
	return count;
}

static void run_case(struct attr_case *test)
{
	char root[128];
	char *words[64];
	struct stat_config config;
	struct uh_error error = {0};
	(void)snprintf(root, sizeof(root), TEST_DATA "/../event/%s", test->machine);
	struct fake_machine *fake = fake_machine_open(root);
	size_t count = split(test->command, words, 63);
	if (stat_parse((int)count, words, &config) != CLI_CONTINUE)
		fail_msg("%s: the command line was refused", test->name);
	struct stat_run run = {.config = &config, .machine = fake->machine};
	int status = stat_events(&run, &error);
	if (!status)
		status = uh_session_new(fake->machine, run.events, &config.session, &run.session,
					&error);
	if (!status && config.command)
		status = uh_session_launch(run.session, config.command, &error);
	if (status)
		fail_msg("%s: %s", test->name, error.text);
	compare(test, fake, uh_session_process(run.session));
	uh_session_free(run.session);
	uh_event_list_free(run.events);
	stat_config_free(&config);
	fake_machine_close(fake);
}

static int is_case(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');
	return dot && !strcmp(dot, ".txt");
}

static void every_case(void **state)
{
	(void)state;
	struct dirent **entries;
	int count = scandir(TEST_DATA "/attr", &entries, is_case, alphasort);
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		struct attr_case test = {.name = entries[i]->d_name};
		read_file("base", take_base, &test);
		read_file(test.name, take_case, &test);
		run_case(&test);
		free(test.wanted);
		free(test.leaders);
		free(entries[i]);
	}
	free(entries);
	print_message("%d command lines\n", count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_case),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
