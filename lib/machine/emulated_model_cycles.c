/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_model_cycles.h"

/* No line of user space has this number, nor its neighbour. */
#define NO_LINE (1ull << 62)

static uint32_t beyond(uint32_t latency, uint32_t hidden)
{
	return latency > hidden ? latency - hidden : 0;
}

void uh_cycles_start(struct uh_cycles *cycles, const struct uh_model_options *options)
{
	const struct uh_core_timing *timing = &options->timing;
	const uint32_t latency[UH_FOUND_PLACES] = {
	    [UH_FOUND_L2] = options->l2.latency,
	    [UH_FOUND_L3] = options->l3.latency,
	    [UH_FOUND_MEMORY] = options->memory_latency,
	};

	*cycles = (struct uh_cycles){
	    .stream_line = timing->stream_line,
	    .overlap_window = timing->overlap_window,
	    .branch_miss_penalty = timing->branch_miss_penalty,
	    .instructions_per_100_cycles = timing->instructions_per_100_cycles,
	    .last_fetch = NO_LINE,
	};
	for (int place = 0; place < UH_FOUND_PLACES; place++) {
		cycles->load_stall[place] = beyond(latency[place], timing->hidden_load);
		cycles->fetch_stall[place] = latency[place];
	}
	for (uint32_t i = 0; i < UH_STREAMS; i++)
		cycles->streams[i] = NO_LINE;
}

static uint64_t *stream_of(struct uh_cycles *cycles, uint64_t line)
{
	return &cycles->streams[(line >> 6) % UH_STREAMS];
}

/* Whether the line is next to the last one of a stream, which it then continues. */
static bool foreseen(struct uh_cycles *cycles, uint64_t line)
{
	bool ahead = *stream_of(cycles, line - 1) == line - 1;
	bool back = *stream_of(cycles, line + 1) == line + 1;

	*stream_of(cycles, line) = line;
	return ahead | back;
}

static void load_miss(struct uh_cycles *cycles, uint64_t position, uint32_t stall)
{
	if (!stall)
		return;
	if (position - cycles->group_start >= cycles->overlap_window) {
		cycles->stalls += cycles->group_longest;
		cycles->group_longest = 0;
	}
	if (!cycles->group_longest)
		cycles->group_start = position;
	if (stall > cycles->group_longest)
		cycles->group_longest = stall;
}

static void fetch_miss(struct uh_cycles *cycles, uint64_t line, uint32_t stall)
{
	if (line != cycles->last_fetch + 1)
		cycles->stalls += stall;
	cycles->last_fetch = line;
}

void uh_cycles_miss(struct uh_cycles *cycles, uint64_t position, uint64_t line,
		    enum uh_request request, enum uh_found found)
{
	if (request == UH_REQUEST_FETCH) {
		fetch_miss(cycles, line, cycles->fetch_stall[found]);
		return;
	}
	if (foreseen(cycles, line)) {
		if (found == UH_FOUND_MEMORY)
			cycles->stalls += cycles->stream_line;
		return;
	}
	if (request == UH_REQUEST_LOAD)
		load_miss(cycles, position, cycles->load_stall[found]);
}

uint64_t uh_cycles_total(const struct uh_cycles *cycles, uint64_t instructions,
			 uint64_t branch_misses)
{
	/* Split, because instructions * 100 may overflow in a run of weeks. */
	uint64_t rate = cycles->instructions_per_100_cycles;
	uint64_t dispatch = instructions / rate * 100 + instructions % rate * 100 / rate;

	return dispatch + branch_misses * cycles->branch_miss_penalty + cycles->stalls +
	       cycles->group_longest;
}
