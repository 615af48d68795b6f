/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* A scratch directory below TMPDIR, and its descriptor. */
struct place {
	char path[64];
	int root;
};

static int setup(void **state)
{
	static struct place place;
	(void)snprintf(place.path, sizeof(place.path), "/tmp/unhalted-test-XXXXXX");
	if (!mkdtemp(place.path))
		return -1;
	place.root = open(place.path, O_PATH | O_DIRECTORY);
	*state = &place;
	return place.root < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	struct place *place = *state;
	static const char *const names[] = {"line", "long", "fifo", "number"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		(void)unlinkat(place->root, names[i], 0);
	close(place->root);
	return rmdir(place->path);
}

static void put(const struct place *place, const char *name, const char *bytes, size_t count)
{
	int descriptor = openat(place->root, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(descriptor >= 0);
	assert_int_equal(uh_write_all(descriptor, bytes, count), 0);
	close(descriptor);
}

static void one_line(void **state)
{
	struct place *place = *state;
	char line[8];
	put(place, "line", "event=1\n", 8);
	assert_int_equal(uh_file_line(place->root, "line", line, sizeof(line)), -EFBIG);
	put(place, "line", "abc\nrest", 8);
	char larger[16];
	assert_int_equal(uh_file_line(place->root, "line", larger, sizeof(larger)), 0);
	assert_string_equal(larger, "abc");
	put(place, "line", "", 0);
	assert_int_equal(uh_file_line(place->root, "line", line, sizeof(line)), 0);
	assert_string_equal(line, "");
	assert_int_equal(uh_file_line(place->root, "nosuch", line, sizeof(line)), -ENOENT);
	assert_int_equal(uh_file_line(place->root, ".", line, sizeof(line)), -EISDIR);
}

static void whole_files_up_to_a_limit(void **state)
{
	struct place *place = *state;
	char bytes[10000];
	memset(bytes, 'b', sizeof(bytes));
	put(place, "long", bytes, sizeof(bytes));
	struct uh_text text = {0};
	uh_text_string(&text, "what it held before");
	assert_int_equal(uh_file_read(place->root, "long", 10000, &text), 0);
	assert_int_equal(text.length, 10000);
	assert_int_equal(uh_file_read(place->root, "long", 9999, &text), -EFBIG);
	assert_int_equal(uh_file_read(place->root, "nosuch", 9999, &text), -ENOENT);
	uh_text_free(&text);
}

static void numbers_and_nothing_else(void **state)
{
	struct place *place = *state;
	static const struct {
		const char *text;
		int status;
		int64_t value;
	} rows[] = {
	    {"-1\n", 0, -1},      {"42", 0, 42},
	    {"", -EINVAL, 0},     {"\n", -EINVAL, 0},
	    {"4x\n", -EINVAL, 0}, {"99999999999999999999\n", -EINVAL, 0},
	    {"4 \n", -EINVAL, 0}, {"0123456789012345678901234567890123\n", -EFBIG, 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t value = 0;
		put(place, "number", rows[i].text, strlen(rows[i].text));
		assert_int_equal(uh_file_number(place->root, "number", &value), rows[i].status);
		assert_int_equal(value, rows[i].value);
	}
}

/* Should this one hang, the time limit of the test ends it. */
static void a_fifo_in_a_recording_does_not_stop_us(void **state)
{
	struct place *place = *state;
	char line[8];
	assert_int_equal(mkfifoat(place->root, "fifo", 0600), 0);
	assert_int_equal(uh_file_line(place->root, "fifo", line, sizeof(line)), 0);
	assert_string_equal(line, "");
}

static void writing_reports_what_fails(void **state)
{
	(void)state;
	int full = open("/dev/full", O_WRONLY);
	assert_true(full >= 0);
	assert_int_equal(uh_write_all(full, "x", 1), -ENOSPC);
	close(full);
	assert_int_equal(uh_write_all(full, "x", 1), -EBADF);
	assert_int_equal(uh_write_all(full, "x", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_line),
	    cmocka_unit_test(whole_files_up_to_a_limit),
	    cmocka_unit_test(numbers_and_nothing_else),
	    cmocka_unit_test(a_fifo_in_a_recording_does_not_stop_us),
	    cmocka_unit_test(writing_reports_what_fails),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
