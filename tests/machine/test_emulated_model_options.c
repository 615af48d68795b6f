/* SPDX-License-Identifier: BSD-3-Clause */
/* What users write after --cache, and what sysfs shows. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine/emulated_model.h"

static void defaults_can_be_modelled(void **state)
{
	struct uh_model_options options;
	struct uh_model_shared *shared;

	(void)state;
	uh_model_options_default(&options);
	assert_int_equal(uh_model_shared_new(&options, &shared, NULL), 0);
	uh_model_shared_free(shared);
	assert_int_equal(uh_model_filter_lines(&options, 64), 64);
	assert_int_equal(uh_model_filter_pages(&options, 16), 16);
}

static void sizes_ways_and_latencies_are_taken(void **state)
{
	struct uh_model_options options;

	(void)state;
	uh_model_options_default(&options);
	uint32_t latency = options.l1d.latency;
	assert_int_equal(uh_model_options_parse(&options, "L1D=48K,12", NULL), 0);
	assert_int_equal(options.l1d.size, 48 << 10);
	assert_int_equal(options.l1d.ways, 12);
	assert_int_equal(options.l1d.latency, latency);
	assert_int_equal(
	    uh_model_options_parse(&options, " l2=1310720,20,64  L3=36M,9,64,70 ", NULL), 0);
	assert_int_equal(options.l2.size, 1310720);
	assert_int_equal(options.l2.ways, 20);
	assert_int_equal(options.l3.size, 36 << 20);
	assert_int_equal(options.l3.latency, 70);
	assert_int_equal(uh_model_options_parse(&options, "L1I=64k,8,5 L2=0", NULL), 0);
	assert_int_equal(options.l1i.latency, 5);
	assert_int_equal(options.l2.size, 0);
	/* Slices of 11 ways whose number is no power of two. */
	assert_int_equal(uh_model_options_parse(&options, "L3=36608K,11", NULL), 0);
}

struct bad {
	const char *text;
	const char *reason; /* part of it */
};

static void bad_texts_say_why_and_change_nothing(void **state)
{
	static const struct bad bad[] = {
	    {"", "empty"},
	    {"  ", "empty"},
	    {"L4=1M,8", "no such level"},
	    {"L1D", "no such level"},
	    {"=32K,8", "no such level"},
	    {"L1D=", "wanted L1D="},
	    {"L1D=32K", "wanted L1D="},
	    {"L1D=32K,", "wanted L1D="},
	    {"L1D=32Q,8", "wanted L1D="},
	    {"L1D=-32K,8", "wanted L1D="},
	    {"L1D=K,8", "wanted L1D="},
	    {"L1D=32K,8K", "wanted L1D="},
	    {"L1D=32K,8,64,4,5", "wanted L1D="},
	    {"L1D=32K,8,5,6", "wanted L1D="},
	    {"L1D=99999999999999999999,8", "wanted L1D="},
	    {"L1D=17592186044416M,8", "wanted L1D="},
	    {"L1D=32K,4294967304", "wanted L1D="},
	    {"L1D=32K,0", "0 ways"},
	    {"L1D=32K,33", "33 ways"},
	    {"L1D=0", "only L2 and L3"},
	    {"L1I=0,8", "only L2 and L3"},
	    {"L1D=1000,8", "not a multiple"},
	    {"L1D=32K,12", "not a multiple"},
	    {"L1I=24K,8", "power of two"},
	    {"L3=8192M,16", "4096M"},
	    {"L2=1M,8,2000000", "latency"},
	    {"L1D=48K,12 L2=1M,0", "0 ways"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct uh_model_options options, before;
		struct uh_error error = {0};
		memset(&options, 0, sizeof(options));
		uh_model_options_default(&options);
		options.l1d.ways = 8;
		memcpy(&before, &options, sizeof(options));
		assert_int_equal(uh_model_options_parse(&options, bad[i].text, &error), -EINVAL);
		if (!strstr(error.text, bad[i].reason))
			fail_msg("'%s': '%s' lacks '%s'", bad[i].text, error.text, bad[i].reason);
		assert_memory_equal(&options, &before, sizeof(options));
	}
}

static void a_text_too_long_is_refused(void **state)
{
	struct uh_model_options options;
	char text[5000];

	(void)state;
	uh_model_options_default(&options);
	memset(text, ' ', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(uh_model_options_parse(&options, text, NULL), -EINVAL);
}

static void impossible_options_make_no_model(void **state)
{
	struct uh_model_options options;
	struct uh_model_shared *shared;
	struct uh_error error = {0};

	(void)state;
	uh_model_options_default(&options);
	options.dtlb.ways = 0;
	assert_int_equal(uh_model_shared_new(&options, &shared, &error), -EINVAL);
	assert_non_null(strstr(error.text, "DTLB"));
	uh_model_options_default(&options);
	options.itlb = (struct uh_tlb_geometry){48, 4};
	assert_int_equal(uh_model_shared_new(&options, &shared, &error), -EINVAL);
	uh_model_options_default(&options);
	options.timing.instructions_per_100_cycles = 0;
	assert_int_equal(uh_model_shared_new(&options, &shared, &error), -EINVAL);
	uh_model_options_default(&options);
	options.l2.ways = 40;
	assert_int_equal(uh_model_shared_new(&options, &shared, &error), -EINVAL);
}

static char root[] = "/tmp/unhalted-model-XXXXXX";

static void make_directories(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0700))
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
}

static void attribute(int index, const char *name, const char *text)
{
	char path[300];

	(void)snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu0/cache/index%d/%s", root,
		       index, name);
	make_directories(path);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fprintf(file, "%s\n", text) > 0);
	assert_int_equal(fclose(file), 0);
}

static void cache(int index, const char *level, const char *type, const char *size,
		  const char *ways)
{
	attribute(index, "level", level);
	attribute(index, "type", type);
	attribute(index, "size", size);
	attribute(index, "ways_of_associativity", ways);
}

static int make_root(void **state)
{
	(void)state;
	strcpy(root + sizeof(root) - 7, "XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[100];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

static void take(struct uh_model_options *options)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY);

	assert_true(fd >= 0);
	uh_model_options_default(options);
	assert_int_equal(uh_model_options_from_machine(fd, options, NULL), 0);
	close(fd);
}

static void a_machine_shows_its_caches(void **state)
{
	struct uh_model_options options;

	(void)state;
	cache(0, "1", "Data", "48K", "12");
	cache(1, "1", "Instruction", "64K", "16");
	cache(2, "2", "Unified", "1280K", "20");
	cache(3, "3", "Unified", "36608K", "11");
	take(&options);
	assert_int_equal(options.kept, 0);
	assert_int_equal(options.l1d.size, 48 << 10);
	assert_int_equal(options.l1d.ways, 12);
	assert_int_equal(options.l1i.size, 64 << 10);
	assert_int_equal(options.l2.size, 1280 << 10);
	assert_int_equal(options.l2.ways, 20);
	assert_int_equal(options.l3.size, 36608 << 10);
	assert_int_equal(options.l3.ways, 11);
}

static void what_cannot_be_is_kept_and_said(void **state)
{
	struct uh_model_options options, defaults;

	(void)state;
	uh_model_options_default(&defaults);
	cache(0, "1", "Data", "33K", "12");       /* no whole sets */
	cache(1, "1", "Instruction", "64K", "0"); /* made up by a hypervisor */
	cache(2, "2", "Unified", "2M", "8");      /* not how the kernel writes it */
	cache(3, "3", "Unified", "99999999999999999999K", "16");
	cache(4, "4", "Unified", "64K", "16");
	cache(5, "2", "Data", "64K", "16");
	take(&options);
	assert_int_equal(options.kept, UH_CACHE_L1I | UH_CACHE_L1D | UH_CACHE_L2 | UH_CACHE_L3);
	assert_memory_equal(&options.l1i, &defaults.l1i, sizeof(defaults.l1i));
	assert_memory_equal(&options.l1d, &defaults.l1d, sizeof(defaults.l1d));
	assert_memory_equal(&options.l2, &defaults.l2, sizeof(defaults.l2));
	assert_memory_equal(&options.l3, &defaults.l3, sizeof(defaults.l3));
}

static void a_machine_without_caches_keeps_all(void **state)
{
	struct uh_model_options options;

	(void)state;
	take(&options);
	assert_int_equal(options.kept, UH_CACHE_L1I | UH_CACHE_L1D | UH_CACHE_L2 | UH_CACHE_L3);
}

static void a_root_that_is_none_is_an_error(void **state)
{
	struct uh_model_options options;
	struct uh_error error = {0};

	(void)state;
	uh_model_options_default(&options);
	assert_int_equal(uh_model_options_from_machine(-1, &options, &error), -EBADF);
	assert_non_null(strstr(error.text, "cannot read"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(defaults_can_be_modelled),
	    cmocka_unit_test(sizes_ways_and_latencies_are_taken),
	    cmocka_unit_test(bad_texts_say_why_and_change_nothing),
	    cmocka_unit_test(a_text_too_long_is_refused),
	    cmocka_unit_test(impossible_options_make_no_model),
	    cmocka_unit_test_setup_teardown(a_machine_shows_its_caches, make_root, remove_root),
	    cmocka_unit_test_setup_teardown(what_cannot_be_is_kept_and_said, make_root,
					    remove_root),
	    cmocka_unit_test_setup_teardown(a_machine_without_caches_keeps_all, make_root,
					    remove_root),
	    cmocka_unit_test(a_root_that_is_none_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
