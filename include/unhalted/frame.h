/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readings and frames. A reading is never just a number: it carries what became
 * of the event, and where the number comes from.
 */
#ifndef UNHALTED_FRAME_H
#define UNHALTED_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From best to worst: a derived value takes the worst of its inputs. */
enum uh_status {
	UH_COUNTED,
	UH_PARTLY_COUNTED, /* multiplexed, or for a part of the time: see enabled, running */
	UH_NOT_COUNTED,    /* opened, but it never ran */
	UH_NOT_SUPPORTED,
	UH_NOT_PERMITTED,
	UH_IMPLAUSIBLE, /* the numbers contradict themselves */
	UH_ABSENT,      /* the event does not belong to this place: not to be shown at all */
};

enum uh_provenance {
	UH_MEASURED,
	UH_SCALED,   /* multiplexed: the count times enabled / running */
	UH_EMULATED, /* an exact count of an emulated run */
	UH_MODELLED, /* a model's estimate */
};

/* One event at one place. Times are nanoseconds. */
struct uh_reading {
	uint64_t value;   /* what was counted, not scaled */
	uint64_t enabled; /* time during which it was wanted */
	uint64_t running; /* time during which it really counted */
	enum uh_status status;
	enum uh_provenance provenance;
};

enum uh_place_kind {
	UH_PLACE_TOTAL,
	UH_PLACE_CPU,
	UH_PLACE_CORE,
	UH_PLACE_DIE,
	UH_PLACE_SOCKET,
	UH_PLACE_NODE,
	UH_PLACE_THREAD,
};

/* Where readings belong. Which numbers have a meaning depends on `kind`. */
struct uh_place {
	enum uh_place_kind kind;
	int cpu;
	int core;
	int die;
	int socket;
	int node;
	pid_t thread;
	char name[32];    /* of a thread; from outside, may hold any bytes */
	unsigned members; /* readings that were added up into this place */
};

/*
 * All readings of one instant. `readings[event * place_count + place]`.
 * `time` is that of the machine's clock in nanoseconds, `spread` the time between the
 * first and the last reading. Owner frees with uh_frame_free().
 */
struct uh_frame {
	uint64_t time;
	uint64_t spread;
	size_t event_count;
	size_t place_count;
	struct uh_place *places;
	struct uh_reading *readings;
};

void uh_frame_free(struct uh_frame *frame);

/* The reading of an event at a place, both in range. */
const struct uh_reading *uh_frame_reading(const struct uh_frame *frame, size_t event, size_t place);

/*
 * The count a reading stands for: `value` when it counted all the time it was wanted, value
 * times enabled / running when not, rounded to the nearest; 0 when it never ran
 * (look at the status first).
 */
uint64_t uh_reading_scaled(const struct uh_reading *reading);

/* "counted", "partly counted", "not counted", "not supported", ...: static strings. */
const char *uh_status_name(enum uh_status status);
const char *uh_provenance_name(enum uh_provenance provenance);

#ifdef __cplusplus
}
#endif

#endif
