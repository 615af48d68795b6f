/* SPDX-License-Identifier: BSD-3-Clause */
/* The models' cache geometry as the kernel shows it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "machine/emulated_model_options.h"

#define DIRECTORY "sys/devices/system/cpu/cpu0/cache"
/* Linux numbers them without gaps; no known machine has more. */
#define INDICES_MAX 16

/* Reads one attribute of one index directory: 0 or a negative errno. */
static int read_attribute(int root, int index, const char *name, char *line, size_t size)
{
	char path[128];

	(void)snprintf(path, sizeof(path), DIRECTORY "/index%d/%s", index, name);
	return uh_file_line(root, path, line, size);
}

static bool which_level(int root, int index, enum uh_cache_level *level)
{
	char number[16], type[32];

	if (read_attribute(root, index, "level", number, sizeof(number)) ||
	    read_attribute(root, index, "type", type, sizeof(type)))
		return false;
	bool unified = !strcmp(type, "Unified");
	if (!strcmp(number, "1") && !strcmp(type, "Instruction"))
		*level = UH_CACHE_L1I;
	else if (!strcmp(number, "1") && !strcmp(type, "Data"))
		*level = UH_CACHE_L1D;
	else if (!strcmp(number, "2") && unified)
		*level = UH_CACHE_L2;
	else if (!strcmp(number, "3") && unified)
		*level = UH_CACHE_L3;
	else
		return false;
	return true;
}

/* The kernel writes sizes as a number of KiB and a K. */
static bool read_size(int root, int index, uint64_t *size)
{
	char line[32];

	if (read_attribute(root, index, "size", line, sizeof(line)))
		return false;
	size_t length = strlen(line);
	if (length < 2 || line[length - 1] != 'K')
		return false;
	line[length - 1] = '\0';
	if (!uh_parse_u64(line, size) || *size > UH_CACHE_SIZE_MAX >> 10)
		return false;
	*size <<= 10;
	return true;
}

static bool read_ways(int root, int index, uint32_t *ways)
{
	char line[32];
	uint64_t number;

	if (read_attribute(root, index, "ways_of_associativity", line, sizeof(line)) ||
	    !uh_parse_u64(line, &number) || number > UINT32_MAX)
		return false;
	*ways = (uint32_t)number;
	return true;
}

/* Takes one level over if all of it can be read and can be; clears its bit in `kept`. */
static void take_level(int root, int index, struct uh_model_options *options)
{
	enum uh_cache_level level;

	if (!which_level(root, index, &level))
		return;
	struct uh_cache_geometry geometry = *uh_model_options_level(options, level);
	if (!read_size(root, index, &geometry.size) || !geometry.size ||
	    !read_ways(root, index, &geometry.ways) ||
	    uh_cache_geometry_check(level, &geometry, NULL))
		return;
	*uh_model_options_level(options, level) = geometry;
	options->kept &= ~(uint32_t)level;
}

int uh_model_options_from_machine(int root_fd, struct uh_model_options *options,
				  struct uh_error *error)
{
	char line[16];
	int status = read_attribute(root_fd, 0, "level", line, sizeof(line));

	options->kept = UH_CACHE_L1I | UH_CACHE_L1D | UH_CACHE_L2 | UH_CACHE_L3;
	/* A kernel that knows no caches has no such directory; that is no failure. */
	if (status && status != -ENOENT && status != -ENOTDIR)
		return uh_fail_errno(error, status, "cannot read %s/index0/level", DIRECTORY);
	for (int index = 0; index < INDICES_MAX; index++)
		take_level(root_fd, index, options);
	return 0;
}
