/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main of a fuzzer where there is no libFuzzer: runs the target over every
 * file of the folders given, then over a fixed number of mutations of each.
 * The same inputs every time, so that a failure can be found again.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUTATIONS 200
#define LARGEST_INPUT (1 << 20)

static uint64_t random_state;

/* xorshift64: all that is asked of it is to be the same everywhere. */
static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Each run gets a block of exactly its size, so that reading beyond it is seen. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact) {
		fprintf(stderr, "replay: no memory for %zu bytes\n", size);
		exit(1);
	}
	memcpy(exact, data, size);
	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

/* Cuts the end off, or changes up to eight bytes: to anything, or to what parsers care for. */
static void mutate_and_run(const uint8_t *data, size_t size)
{
	static const char telling[] = "\0\n\t /:,={}-+.0189\xff\x80";
	uint8_t *changed = malloc(size);

	if (!changed) {
		fprintf(stderr, "replay: no memory for %zu bytes\n", size);
		exit(1);
	}
	for (int i = 0; i < MUTATIONS; i++) {
		size_t length = i % 4 == 0 ? next_random() % size : size;
		memcpy(changed, data, size);
		for (uint64_t changes = next_random() % 8 + 1; length > 0 && changes > 0;
		     changes--) {
			uint64_t any = next_random();
			changed[next_random() % length] =
			    any & 1 ? (uint8_t)(any >> 8)
				    : (uint8_t)telling[(any >> 8) % (sizeof(telling) - 1)];
		}
		run(changed, length);
	}
	free(changed);
}

static void replay_file(const char *path)
{
	static uint8_t data[LARGEST_INPUT];
	FILE *file = fopen(path, "rb");

	if (!file) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	size_t size = fread(data, 1, sizeof(data), file);
	if (ferror(file) || size == sizeof(data)) {
		fprintf(stderr, "replay: %s: unreadable, or not below 1 MiB\n", path);
		exit(1);
	}
	(void)fclose(file);
	run(data, size);
	random_state = 0x9e3779b97f4a7c15ull;
	if (size > 0)
		mutate_and_run(data, size);
}

static size_t replay_folder(const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);
	size_t replayed = 0;

	if (count < 0) {
		fprintf(stderr, "replay: %s: %s\n", folder, strerror(errno));
		exit(1);
	}
	for (int i = 0; i < count; i++) {
		char path[4096];
		if (entries[i]->d_name[0] != '.') {
			(void)snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
			replay_file(path);
			replayed++;
		}
		free(entries[i]);
	}
	free(entries);
	return replayed;
}

int main(int argc, char **argv)
{
	size_t replayed = 0;

	for (int i = 1; i < argc; i++)
		replayed += replay_folder(argv[i]);
	run((const uint8_t *)"", 0);
	printf("%zu inputs and %d mutations of each\n", replayed, MUTATIONS);
	return replayed > 0 ? 0 : 1;
}
