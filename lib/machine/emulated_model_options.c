/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_options.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/number.h"
#include "emulated-core.h"

#define LINE 64ull
#define LATENCY_MAX 1000000u

static const enum uh_cache_level levels[] = {UH_CACHE_L1I, UH_CACHE_L1D, UH_CACHE_L2, UH_CACHE_L3};
#define LEVEL_COUNT (sizeof(levels) / sizeof(levels[0]))

void uh_model_options_default(struct uh_model_options *options)
{
	*options = (struct uh_model_options){
	    .l1i = {UH_CORE_L1I_SIZE, UH_CORE_L1I_WAYS, UH_CORE_L1I_LATENCY},
	    .l1d = {UH_CORE_L1D_SIZE, UH_CORE_L1D_WAYS, UH_CORE_L1D_LATENCY},
	    .l2 = {UH_CORE_L2_SIZE, UH_CORE_L2_WAYS, UH_CORE_L2_LATENCY},
	    .l3 = {UH_CORE_L3_SIZE, UH_CORE_L3_WAYS, UH_CORE_L3_LATENCY},
	    .itlb = {UH_CORE_ITLB_ENTRIES, UH_CORE_ITLB_WAYS},
	    .dtlb = {UH_CORE_DTLB_ENTRIES, UH_CORE_DTLB_WAYS},
	    .timing =
		{
		    .instructions_per_100_cycles = UH_CORE_INSTRUCTIONS_PER_100_CYCLES,
		    .overlap_window = UH_CORE_OVERLAP_WINDOW,
		    .branch_miss_penalty = UH_CORE_BRANCH_MISS_PENALTY,
		    .hidden_load = UH_CORE_HIDDEN_LOAD,

		    .stream_line = UH_CORE_STREAM_LINE,
		},
	    .memory_latency = UH_CORE_MEMORY_LATENCY,
	    .caches = true,
	    .tlbs = true,
	};
}

const char *uh_cache_level_name(enum uh_cache_level level)
{
	switch (level) {
	case UH_CACHE_L1I:
		return "L1I";
	case UH_CACHE_L1D:
		return "L1D";
	case UH_CACHE_L2:
		return "L2";
	default:
		return "L3";
	}
}

struct uh_cache_geometry *uh_model_options_level(struct uh_model_options *options,
						 enum uh_cache_level level)
{
	switch (level) {
	case UH_CACHE_L1I:
		return &options->l1i;
	case UH_CACHE_L1D:
		return &options->l1d;
	case UH_CACHE_L2:
		return &options->l2;
	default:
		return &options->l3;
	}
}

static bool is_power_of_two(uint64_t number)
{
	return number && !(number & (number - 1));
}

static bool is_first(enum uh_cache_level level)
{
	return level == UH_CACHE_L1I || level == UH_CACHE_L1D;
}

int uh_cache_geometry_check(enum uh_cache_level level, const struct uh_cache_geometry *geometry,
			    struct uh_error *error)
{
	const char *name = uh_cache_level_name(level);
	unsigned long long size = geometry->size;
	uint32_t ways = geometry->ways;

	if (!size && !is_first(level))
		return 0;
	if (ways < 1 || ways > UH_CACHE_WAYS_MAX)
		return uh_fail(error, -EINVAL, "%s: %u ways; 1 to %u can be modelled", name, ways,
			       UH_CACHE_WAYS_MAX);
	if (!size)
		return uh_fail(error, -EINVAL, "%s: 0 bytes; only L2 and L3 can be taken away",
			       name);
	if (size > UH_CACHE_SIZE_MAX)
		return uh_fail(error, -EINVAL, "%s: %llu bytes; up to 4096M can be modelled", name,
			       size);
	if (size % (LINE * ways))
		return uh_fail(
		    error, -EINVAL,
		    "%s: %llu bytes are not a multiple of %u ways of 64-byte lines (%llu)", name,
		    size, ways, LINE * ways);
	if (is_first(level) && !is_power_of_two(size / (LINE * ways)))
		return uh_fail(error, -EINVAL,
			       "%s: %llu bytes in %u ways are %llu sets; "
			       "the first level needs a power of two",
			       name, size, ways, size / (LINE * ways));
	if (geometry->latency > LATENCY_MAX)
		return uh_fail(error, -EINVAL, "%s: a latency of %u cycles; up to %u are believed",
			       name, geometry->latency, LATENCY_MAX);
	return 0;
}

static int check_tlb(const char *name, const struct uh_tlb_geometry *tlb, struct uh_error *error)
{
	if (tlb->ways < 1 || tlb->ways > UH_CACHE_WAYS_MAX || tlb->entries % tlb->ways ||
	    !is_power_of_two(tlb->entries / tlb->ways))
		return uh_fail(error, -EINVAL,
			       "%s: %u entries in %u ways are not a power of two of sets", name,
			       tlb->entries, tlb->ways);
	return 0;
}

int uh_model_options_check(const struct uh_model_options *options, struct uh_error *error)
{
	struct uh_model_options copy = *options;
	int status = 0;

	for (size_t i = 0; i < LEVEL_COUNT && !status; i++)
		status = uh_cache_geometry_check(levels[i],
						 uh_model_options_level(&copy, levels[i]), error);
	status = status ? status : check_tlb("ITLB", &options->itlb, error);
	status = status ? status : check_tlb("DTLB", &options->dtlb, error);
	if (!status && !options->timing.instructions_per_100_cycles)
		return uh_fail(error, -EINVAL,
			       "a core that dispatches 0 instructions in 100 cycles");
	return status;
}

/* One number of a `--cache` argument, with K or M if `scaled`. */
static bool parse_number(char *text, bool scaled, uint64_t *value)
{
	size_t length = strlen(text);
	unsigned shift = 0;

	if (scaled && length && strchr("kKmM", text[length - 1])) {
		shift = tolower((unsigned char)text[length - 1]) == 'k' ? 10 : 20;
		text[length - 1] = '\0';
	}
	/* A sign or a blank would be taken by a lenient parser of numbers. */
	if (!isdigit((unsigned char)text[0]) || !uh_parse_u64(text, value))
		return false;
	if (*value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

static bool find_level(const char *name, enum uh_cache_level *level)
{
	for (size_t i = 0; i < LEVEL_COUNT; i++) {
		if (!strcasecmp(name, uh_cache_level_name(levels[i]))) {
			*level = levels[i];
			return true;
		}
	}
	return false;
}

#define NUMBERS_MAX 4

/* The numbers after `=`: how many there are, or -1 if one of them is none. */
static int parse_numbers(char *text, uint64_t numbers[NUMBERS_MAX])
{
	int count = 0;
	char *rest = text, *one;

	while ((one = strsep(&rest, ",")) != NULL) {
		if (count == NUMBERS_MAX || !parse_number(one, count == 0, &numbers[count]))
			return -1;
		count++;
	}
	return count;
}

/* Fills a geometry from SIZE,WAYS[,64][,LATENCY] or from a lone 0; false if it is neither. */
static bool take_numbers(struct uh_cache_geometry *geometry, const uint64_t *numbers, int count)
{
	if (count == 1 && numbers[0] == 0) {
		geometry->size = 0;
		return true;
	}
	if (count < 2 || numbers[1] > UINT32_MAX)
		return false;
	geometry->size = numbers[0];
	geometry->ways = (uint32_t)numbers[1];
	int next = count > 2 && numbers[2] == LINE ? 3 : 2;
	if (count > next) {
		if (count > next + 1 || numbers[next] > UINT32_MAX)
			return false;
		geometry->latency = (uint32_t)numbers[next];
	}
	return true;
}

static int parse_one(struct uh_model_options *options, char *text, struct uh_error *error)
{
	char whole[64];
	uint64_t numbers[NUMBERS_MAX];
	enum uh_cache_level level;
	char *numbers_text = text;

	(void)stpncpy(whole, text, sizeof(whole) - 1);
	whole[sizeof(whole) - 1] = '\0';
	char *name = strsep(&numbers_text, "=");
	if (!numbers_text || !find_level(name, &level))
		return uh_fail(error, -EINVAL,
			       "cache '%s': no such level; wanted L1I=, L1D=, L2= or L3=", whole);
	struct uh_cache_geometry geometry = *uh_model_options_level(options, level);
	int count = parse_numbers(numbers_text, numbers);
	if (count < 0 || !take_numbers(&geometry, numbers, count))
		return uh_fail(error, -EINVAL,
			       "cache '%s': wanted %s=SIZE,WAYS[,64][,LATENCY], "
			       "as in L1D=48K,12 or L2=2M,16,14",
			       whole, uh_cache_level_name(level));
	int status = uh_cache_geometry_check(level, &geometry, error);
	if (!status)
		*uh_model_options_level(options, level) = geometry;
	return status;
}

int uh_model_options_parse(struct uh_model_options *options, const char *text,
			   struct uh_error *error)
{
	struct uh_model_options changed = *options;
	char copy[512];
	int found = 0;

	if (strlen(text) >= sizeof(copy))
		return uh_fail(error, -EINVAL, "cache: a text of more than %zu bytes",
			       sizeof(copy) - 1);
	(void)stpcpy(copy, text);
	char *rest = copy, *one;
	while ((one = strsep(&rest, " \t")) != NULL) {
		if (!*one)
			continue;
		int status = parse_one(&changed, one, error);
		if (status)
			return status;
		found++;
	}
	if (!found)
		return uh_fail(error, -EINVAL,
			       "cache: an empty text; wanted L1D=32K,8 or the like");
	*options = changed;
	return 0;
}
