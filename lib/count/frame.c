/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int uh_frame_init(struct uh_frame *frame, size_t events, size_t places)
{
	*frame = (struct uh_frame){.event_count = events, .place_count = places};
	frame->places = calloc(places ? places : 1, sizeof(*frame->places));
	size_t cells;
	if (!__builtin_mul_overflow(events, places, &cells))
		frame->readings = calloc(cells ? cells : 1, sizeof(*frame->readings));
	if (frame->places && frame->readings)
		return 0;
	uh_frame_free(frame);
	return -ENOMEM;
}

int uh_frame_copy(const struct uh_frame *from, struct uh_frame *to)
{
	int status = uh_frame_init(to, from->event_count, from->place_count);
	if (status)
		return status;
	to->time = from->time;
	to->spread = from->spread;
	memcpy(to->places, from->places, from->place_count * sizeof(*from->places));
	memcpy(to->readings, from->readings,
	       from->event_count * from->place_count * sizeof(*from->readings));
	return 0;
}

void uh_frame_free(struct uh_frame *frame)
{
	free(frame->places);
	free(frame->readings);
	*frame = (struct uh_frame){0};
}

const struct uh_reading *uh_frame_reading(const struct uh_frame *frame, size_t event, size_t place)
{
	return &frame->readings[event * frame->place_count + place];
}

uint64_t uh_reading_scaled(const struct uh_reading *reading)
{
	if (reading->running == reading->enabled)
		return reading->value;
	if (!reading->running)
		return 0;
	unsigned __int128 product = (unsigned __int128)reading->value * reading->enabled;
	unsigned __int128 scaled = (product + reading->running / 2) / reading->running;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

const char *uh_status_name(enum uh_status status)
{
	static const char *const names[] = {"counted",       "partly counted", "not counted",
					    "not supported", "not permitted",  "implausible",
					    "absent"};
	return names[status];
}

const char *uh_provenance_name(enum uh_provenance provenance)
{
	static const char *const names[] = {"measured", "scaled", "emulated", "modelled"};
	return names[provenance];
}

void uh_reading_judge(struct uh_reading *reading)
{
	if (reading->running > reading->enabled)
		reading->status = UH_IMPLAUSIBLE;
	else if (!reading->running)
		reading->status = UH_NOT_COUNTED;
	else if (reading->running < reading->enabled)
		reading->status = UH_PARTLY_COUNTED;
	else
		reading->status = UH_COUNTED;
	reading->provenance = reading->status == UH_PARTLY_COUNTED ? UH_SCALED : UH_MEASURED;
}

static bool has_value(const struct uh_reading *reading)
{
	return reading->status <= UH_PARTLY_COUNTED;
}

void uh_reading_add(struct uh_reading *sum, const struct uh_reading *reading)
{
	uint64_t enabled = sum->enabled + reading->enabled;
	if (!has_value(sum) && has_value(reading)) {
		*sum = *reading;
	} else if (has_value(reading)) {
		sum->value += reading->value;
		sum->running += reading->running;
		if (reading->status > sum->status)
			sum->status = reading->status;
		if (reading->provenance > sum->provenance)
			sum->provenance = reading->provenance;
	} else if (!has_value(sum) && reading->status > sum->status) {
		sum->status = reading->status;
	}
	sum->enabled = enabled;
	/* A place that was wanted but never counted makes the sum a partial one. */
	if (sum->status == UH_COUNTED && sum->running < sum->enabled) {
		sum->status = UH_PARTLY_COUNTED;
		sum->provenance = UH_SCALED;
	}
}

struct uh_reading uh_reading_between(const struct uh_reading *before, const struct uh_reading *now)
{
	struct uh_reading delta = *now;
	if (now->status > UH_NOT_COUNTED)
		return delta;
	delta.value = now->value - before->value;
	delta.enabled = now->enabled - before->enabled;
	delta.running = now->running - before->running;
	if (now->provenance == UH_EMULATED || now->provenance == UH_MODELLED)
		return delta;
	bool back = now->value < before->value || now->enabled < before->enabled ||
		    now->running < before->running;
	uh_reading_judge(&delta);
	if (back)
		delta.status = UH_IMPLAUSIBLE;
	return delta;
}

int uh_frame_between(const struct uh_frame *before, const struct uh_frame *now,
		     struct uh_frame *delta)
{
	int status = uh_frame_copy(now, delta);
	if (status)
		return status;
	/* Threads of an emulated program appear as they are born: a place without a past
	 * began at zero. */
	size_t common =
	    before->place_count < now->place_count ? before->place_count : now->place_count;
	for (size_t event = 0; event < now->event_count; event++)
		for (size_t place = 0; place < common; place++)
			delta->readings[event * now->place_count + place] =
			    uh_reading_between(uh_frame_reading(before, event, place),
					       uh_frame_reading(now, event, place));
	return 0;
}

static struct uh_place fold_place(const struct uh_place *place, enum uh_place_kind kind,
				  const struct uh_topology *topology)
{
	struct uh_place folded = {.kind = kind};
	if (kind == UH_PLACE_TOTAL)
		return folded;
	const struct uh_processor *processor = uh_topology_find(topology, place->cpu);
	if (!processor)
		return folded;
	if (kind == UH_PLACE_NODE) {
		folded.node = processor->node;
		return folded;
	}
	folded.socket = processor->socket;
	if (kind == UH_PLACE_DIE || kind == UH_PLACE_CORE)
		folded.die = processor->die;
	if (kind == UH_PLACE_CORE)
		folded.core = processor->core;
	return folded;
}

static bool same_place(const struct uh_place *a, const struct uh_place *b)
{
	return a->socket == b->socket && a->die == b->die && a->core == b->core &&
	       a->node == b->node;
}

static size_t place_index(struct uh_frame *folded, const struct uh_place *wanted)
{
	for (size_t i = 0; i < folded->place_count; i++)
		if (same_place(&folded->places[i], wanted))
			return i;
	folded->places[folded->place_count] = *wanted;
	return folded->place_count++;
}

static void fold_event(const struct uh_frame *frame, size_t event, const size_t *index, bool *seen,
		       struct uh_frame *folded)
{
	memset(seen, 0, folded->place_count * sizeof(*seen));
	for (size_t i = 0; i < folded->place_count; i++)
		folded->readings[event * folded->place_count + i].status = UH_ABSENT;
	for (size_t i = 0; i < frame->place_count; i++) {
		const struct uh_reading *from = uh_frame_reading(frame, event, i);
		struct uh_reading *to = &folded->readings[event * folded->place_count + index[i]];
		if (from->status == UH_ABSENT)
			continue;
		if (seen[index[i]])
			uh_reading_add(to, from);
		else
			*to = *from;
		seen[index[i]] = true;
	}
}

static int fold_into(const struct uh_frame *frame, const struct uh_frame *shape,
		     const size_t *index, struct uh_frame *folded)
{
	bool *seen = calloc(shape->place_count + 1, sizeof(*seen));
	int status = seen ? uh_frame_init(folded, frame->event_count, shape->place_count) : -ENOMEM;
	if (!status) {
		folded->time = frame->time;
		folded->spread = frame->spread;
		memcpy(folded->places, shape->places, shape->place_count * sizeof(*shape->places));
		for (size_t event = 0; event < frame->event_count; event++)
			fold_event(frame, event, index, seen, folded);
	}
	free(seen);
	return status;
}

int uh_frame_fold(const struct uh_frame *frame, enum uh_place_kind kind,
		  const struct uh_topology *topology, struct uh_frame *folded)
{
	if (kind == UH_PLACE_CPU || kind == UH_PLACE_THREAD)
		return uh_frame_copy(frame, folded);
	struct uh_frame shape;
	size_t *index = calloc(frame->place_count + 1, sizeof(*index));
	int status = index ? uh_frame_init(&shape, 0, frame->place_count) : -ENOMEM;
	if (!status) {
		shape.place_count = 0;
		for (size_t i = 0; i < frame->place_count; i++) {
			struct uh_place place = fold_place(&frame->places[i], kind, topology);
			index[i] = place_index(&shape, &place);
			shape.places[index[i]].members++;
		}
		status = fold_into(frame, &shape, index, folded);
		uh_frame_free(&shape);
	}
	free(index);
	return status;
}
