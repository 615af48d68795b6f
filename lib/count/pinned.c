/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/pinned.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "count/frame.h"
#include "count/session.h"

/* Frames under way: a slow processor may lag this far behind the fastest. */
#define SLOTS 8

struct slot {
	struct uh_frame frame;
	size_t arrived;       /* processors that have filled their column */
	uint64_t first, last; /* times of the first and the last reading */
};

struct reader {
	struct uh_pinned *pinned;
	pthread_t thread;
	size_t place;
};

struct uh_pinned {
	struct uh_session *session;
	uint64_t start, period;
	uh_pinned_frame callback;
	void *context;
	_Atomic uint32_t stop; /* also the word that sleeping threads wait on */
	int event;
	pthread_mutex_t lock; /* guards the slots, `delivered` and `failure` */
	pthread_cond_t free;
	struct slot slots[SLOTS];
	uint64_t delivered; /* intervals whose frame was handed on */
	int failure;
	struct uh_error error;
	struct reader *readers;
	size_t reader_count;
};

/* Sleeps until `deadline`, or until the reading is stopped. */
static void sleep_until(struct uh_pinned *pinned, uint64_t deadline)
{
	const struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000u),
				       .tv_nsec = (long)(deadline % 1000000000u)};
	(void)syscall(SYS_futex, &pinned->stop, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &until,
		      NULL, FUTEX_BITSET_MATCH_ANY);
}

static void end(struct uh_pinned *pinned, int code)
{
	const uint64_t one = 1;
	if (!pinned->failure)
		pinned->failure = code;
	atomic_store(&pinned->stop, 1);
	(void)syscall(SYS_futex, &pinned->stop, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
	pthread_cond_broadcast(&pinned->free);
	/* Nothing depends on this write but the wake-up; the descriptor is ours and never full. */
	ssize_t written = write(pinned->event, &one, sizeof(one));
	(void)written;
}

/* Hands complete frames on, in order. */
static void deliver(struct uh_pinned *pinned)
{
	for (;;) {
		struct slot *slot = &pinned->slots[pinned->delivered % SLOTS];
		if (slot->arrived < pinned->reader_count)
			return;
		slot->frame.time = slot->last;
		slot->frame.spread = slot->last - slot->first;
		int status = pinned->callback(pinned->context, &slot->frame);
		slot->arrived = 0;
		size_t cells = slot->frame.event_count * slot->frame.place_count;
		for (size_t i = 0; i < cells; i++)
			slot->frame.readings[i].status = UH_ABSENT;
		pinned->delivered++;
		pthread_cond_broadcast(&pinned->free);
		if (status < 0) {
			end(pinned, status);
			return;
		}
	}
}

/* An event that could not be opened says so where its reading would stand. */
static void mark(const struct uh_session *session, size_t place, struct uh_frame *frame)
{
	for (size_t event = 0; event < frame->event_count; event++) {
		struct uh_reading *cell = &frame->readings[event * frame->place_count + place];
		if (cell->status == UH_ABSENT && session->states[event].status != UH_COUNTED)
			cell->status = session->states[event].status;
	}
}

static int read_column(struct reader *reader, uint64_t index)
{
	struct uh_pinned *pinned = reader->pinned;
	struct slot *slot = &pinned->slots[index % SLOTS];
	struct uh_machine *machine = pinned->session->machine;
	struct uh_error error = {0};
	int status = 0;

	pthread_mutex_lock(&pinned->lock);
	while (index >= pinned->delivered + SLOTS && !pinned->stop)
		pthread_cond_wait(&pinned->free, &pinned->lock);
	pthread_mutex_unlock(&pinned->lock);
	if (pinned->stop)
		return 0;
	uint64_t before = uh_machine_clock(machine);
	if (pinned->session->perf)
		status = uh_perf_source_read_place(pinned->session->perf, reader->place,
						   &slot->frame, &error);
	uint64_t after = uh_machine_clock(machine);
	mark(pinned->session, reader->place, &slot->frame);
	pthread_mutex_lock(&pinned->lock);
	if (status) {
		pinned->error = error;
		end(pinned, status);
	} else if (!pinned->stop) {
		if (!slot->arrived || before < slot->first)
			slot->first = before;
		if (!slot->arrived || after > slot->last)
			slot->last = after;
		slot->arrived++;
		deliver(pinned);
	}
	pthread_mutex_unlock(&pinned->lock);
	return status;
}

static void *read_periodically(void *argument)
{
	struct reader *reader = argument;
	struct uh_pinned *pinned = reader->pinned;
	cpu_set_t *set = CPU_ALLOC(UH_INDEX_LIMIT);
	if (set) {
		size_t size = CPU_ALLOC_SIZE(UH_INDEX_LIMIT);
		CPU_ZERO_S(size, set);
		CPU_SET_S((size_t)pinned->session->cpus.items[reader->place], size, set);
		/* Outside of its cpuset a thread cannot be pinned: it then reads from afar,
		 * which costs more and changes no value. */
		(void)sched_setaffinity(0, size, set);
		CPU_FREE(set);
	}
	for (uint64_t index = 0; !pinned->stop; index++) {
		sleep_until(pinned, pinned->start + (index + 1) * pinned->period);
		if (pinned->stop || read_column(reader, index))
			break;
	}
	return NULL;
}

static void join(struct uh_pinned *pinned, size_t started)
{
	for (size_t i = 0; i < started; i++)
		pthread_join(pinned->readers[i].thread, NULL);
}

static void free_pinned(struct uh_pinned *pinned)
{
	for (size_t i = 0; i < SLOTS; i++)
		uh_frame_free(&pinned->slots[i].frame);
	if (pinned->event >= 0)
		close(pinned->event);
	pthread_mutex_destroy(&pinned->lock);
	pthread_cond_destroy(&pinned->free);
	free(pinned->readers);
	free(pinned);
}

static int start_threads(struct uh_pinned *pinned)
{
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	/* A reader needs little: a thousand processors must not cost gigabytes of stack. */
	pthread_attr_setstacksize(&attributes, 256 * 1024);
	int status = 0;
	for (size_t i = 0; i < pinned->reader_count && !status; i++) {
		pinned->readers[i].pinned = pinned;
		pinned->readers[i].place = i;
		status = -pthread_create(&pinned->readers[i].thread, &attributes, read_periodically,
					 &pinned->readers[i]);
		if (status) {
			pthread_mutex_lock(&pinned->lock);
			end(pinned, status);
			pthread_mutex_unlock(&pinned->lock);
			join(pinned, i);
		}
	}
	pthread_attr_destroy(&attributes);
	return status;
}

int uh_pinned_start(struct uh_session *session, uint64_t start, uint64_t period,
		    uh_pinned_frame callback, void *context, struct uh_pinned **out,
		    struct uh_error *error)
{
	struct uh_pinned *pinned = calloc(1, sizeof(*pinned));
	if (!pinned)
		return uh_fail_memory(error);
	pinned->session = session;
	pinned->start = start;
	pinned->period = period;
	pinned->callback = callback;
	pinned->context = context;
	pinned->reader_count = session->cpus.count;
	pthread_mutex_init(&pinned->lock, NULL);
	pthread_cond_init(&pinned->free, NULL);
	pinned->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pinned->readers = calloc(pinned->reader_count, sizeof(*pinned->readers));
	int status = pinned->event < 0 ? -errno : pinned->readers ? 0 : -ENOMEM;
	for (size_t i = 0; i < SLOTS && !status; i++)
		status = uh_session_frame(session, session->place_count, &pinned->slots[i].frame);
	if (!status)
		status = start_threads(pinned);
	if (status) {
		free_pinned(pinned);
		return uh_fail_errno(error, status, "cannot start a reader on each processor");
	}
	*out = pinned;
	return 0;
}

int uh_pinned_descriptor(const struct uh_pinned *pinned)
{
	return pinned->event;
}

int uh_pinned_stop(struct uh_pinned *pinned, struct uh_error *error)
{
	pthread_mutex_lock(&pinned->lock);
	end(pinned, 0);
	pthread_mutex_unlock(&pinned->lock);
	join(pinned, pinned->reader_count);
	int status = pinned->failure;
	if (status && error && pinned->error.code)
		*error = pinned->error;
	free_pinned(pinned);
	return status;
}
