/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/emulated_front.h"

#define NAP_NS 10000000 /* longest sleep of the watcher */
#define QUIET_LOOKS 100 /* at a nap each: how long a process that says it ends may take */

static int map_header(struct uh_watch *watch)
{
	watch->descriptor = memfd_create("unhalted", MFD_CLOEXEC);
	if (watch->descriptor < 0)
		return -errno;
	if (ftruncate(watch->descriptor, (off_t)UH_EMULATION_SIZE))
		return -errno;
	void *memory = mmap(NULL, UH_EMULATION_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED,
			    watch->descriptor, 0);
	if (memory == MAP_FAILED)
		return -errno;
	watch->shared = memory;
	return 0;
}

static void fill_header(struct uh_watch *watch, const struct uh_emulated_options *options)
{
	struct uh_emulation *shared = watch->shared;
	shared->magic = UH_EMULATION_MAGIC;
	shared->version = UH_EMULATION_VERSION;
	shared->mode = watch->mode;
	shared->watcher = (uint32_t)getpid();
	shared->inherit = options->inherit;
	shared->line_mask = uh_model_filter_lines(&options->model, 64) - 1;
	shared->fetch_sets = uh_model_filter_fetches(&options->model, UH_FRONT_LINES);
	shared->predict = uh_emulated_predicts(options->quantities);
	shared->lines = options->quantities[UH_QUANTITY_FETCH_LINES];
	shared->accesses = options->model.caches || options->model.tlbs;
	shared->pages = options->model.tlbs;
	shared->page_mask = uh_model_filter_pages(&options->model, 64) - 1;
}

/* Maps a region that a process has taken. */
static struct uh_region *look_at(struct uh_watch *watch, uint32_t index)
{
	struct uh_watched_region *watched = &watch->regions[index];
	if (atomic_load(&watch->shared->states[index]) != UH_REGION_LIVE)
		return NULL;
	if (watched->region)
		return watched->region;
	void *memory =
	    mmap(NULL, UH_REGION_STRIDE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		 watch->descriptor, (off_t)uh_region_offset(index));
	if (memory == MAP_FAILED) {
		watch->failure = -errno;
		return NULL;
	}
	(void)madvise(memory, UH_REGION_STRIDE, MADV_DONTDUMP);
	if (watch->mode == UH_EMULATION_STREAM)
		watched->models = calloc(UH_EMULATION_LANES, sizeof(struct uh_model *));
	if (watch->mode == UH_EMULATION_STREAM && !watched->models) {
		watch->failure = -ENOMEM;
		(void)munmap(memory, UH_REGION_STRIDE);
		return NULL;
	}
	watched->region = memory;
	return watched->region;
}

static uint32_t lanes_of(struct uh_region *region)
{
	uint32_t used = atomic_load(&region->lanes_used);
	return used < UH_EMULATION_LANES ? used : UH_EMULATION_LANES;
}

static void punch(const struct uh_watch *watch, uint64_t offset, uint64_t size)
{
	(void)fallocate(watch->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			(off_t)offset, (off_t)size);
}

/* Takes the last of an ended thread and keeps its totals. */
static void keep_lane(struct uh_watch *watch, struct uh_watched_region *watched, uint32_t index)
{
	struct uh_emulated_thread thread;
	if (watch->mode == UH_EMULATION_STREAM)
		(void)uh_watch_drain(watch, watched, index, true);
	uh_watch_lane_totals(watch, watched, index, &thread);
	thread.ended = true;
	uh_watch_keep(watch, &thread);
	if (watched->models) {
		uh_model_free(watched->models[index]);
		watched->models[index] = NULL;
	}
}

/* Makes an ended thread's lane free for the process's next one. */
static void recycle_lane(struct uh_watch *watch, uint32_t region_index, uint32_t index)
{
	struct uh_watched_region *watched = &watch->regions[region_index];
	struct uh_lane *lane = uh_region_lane(watched->region, index);
	uint64_t base = uh_region_offset(region_index);
	keep_lane(watch, watched, index);
	punch(watch, base + UH_REGION_OFFSET_COUNTS + index * UH_COUNTS_BYTES, UH_COUNTS_BYTES);
	punch(watch, base + UH_REGION_OFFSET_RINGS + index * UH_RING_BYTES, UH_RING_BYTES);
	memset(lane, 0, offsetof(struct uh_lane, state));
	atomic_store(&lane->tid, 0);
	memset(lane->comm, 0, sizeof(lane->comm));
	atomic_store(&lane->state, UH_LANE_FREE);
}

/* Makes a dead process's region free for the next one. */
static void recycle_region(struct uh_watch *watch, uint32_t index)
{
	struct uh_watched_region *watched = &watch->regions[index];
	uint32_t lanes = lanes_of(watched->region);
	for (uint32_t i = 0; i < lanes; i++) {
		if (atomic_load(&uh_region_lane(watched->region, i)->state) != UH_LANE_FREE)
			keep_lane(watch, watched, i);
	}
	(void)munmap(watched->region, UH_REGION_STRIDE);
	free(watched->models);
	memset(watched, 0, sizeof(*watched));
	punch(watch, uh_region_offset(index), UH_REGION_STRIDE);
	atomic_store(&watch->shared->states[index], UH_REGION_FREE);
}

/* What follows `blanks` blanks, or the end of the text where there are fewer. */
static const char *after_blanks(const char *text, unsigned blanks)
{
	for (; *text && blanks > 0; text++)
		blanks -= *text == ' ';
	return text;
}

/* A process as /proc shows it: its start time, 0 when there is none or only its corpse. */
static uint64_t alive_since(uint32_t pid)
{
	char path[32], text[1024];
	(void)snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return 0;
	ssize_t length = read(descriptor, text, sizeof(text) - 1);
	(void)close(descriptor);
	text[length > 0 ? length : 0] = '\0';
	const char *rest = strrchr(text, ')'); /* the command before it may contain anything */
	if (!rest)
		return 0;
	/* proc(5): fields 3, 20 and 22; the bracket ends the second. */
	char state = *after_blanks(rest, 1);
	uint64_t threads = strtoull(after_blanks(rest, 18), NULL, 10);
	uint64_t start = strtoull(after_blanks(rest, 20), NULL, 10);
	/* A leader that ended before its threads is a zombie, too, but not the process. */
	return (state == 'Z' || state == 'X') && threads <= 1 ? 0 : start;
}

/* Whether the same process has taken a later region: then it left this one by an exec. */
static bool superseded(struct uh_watch *watch, const struct uh_region *region)
{
	for (uint32_t i = 0; i < UH_EMULATION_REGIONS; i++) {
		const struct uh_region *other = look_at(watch, i);
		if (other && other->pid == region->pid && other->start_time == region->start_time &&
		    other->sequence > region->sequence)
			return true;
	}
	return false;
}

static bool is_over(struct uh_watch *watch, struct uh_watched_region *watched)
{
	struct uh_region *region = watched->region;
	bool alive = region->start_time && alive_since(region->pid) == region->start_time;
	watched->seen_alive = watched->seen_alive || alive;
	if (superseded(watch, region))
		return true;
	if (alive)
		return false;
	if (watched->seen_alive)
		return true;
	/*
	 * Never seen in /proc: too short-lived, or in a process number space of its
	 * own. If it said that it ends, its other threads have had their time.
	 */
	watched->quiet += atomic_load(&region->exiting) != 0;
	return watched->quiet > QUIET_LOOKS;
}

/* Frees what is over. */
static void collect(struct uh_watch *watch)
{
	for (uint32_t i = 0; i < UH_EMULATION_REGIONS; i++) {
		struct uh_region *region = look_at(watch, i);
		if (!region)
			continue;
		if (is_over(watch, &watch->regions[i])) {
			recycle_region(watch, i);
			continue;
		}
		uint32_t lanes = lanes_of(region);
		for (uint32_t lane = 0; lane < lanes; lane++) {
			if (atomic_load(&uh_region_lane(region, lane)->state) == UH_LANE_ENDED)
				recycle_lane(watch, i, lane);
		}
	}
}

static bool drain_all(struct uh_watch *watch, bool to_cursor)
{
	bool any = false;
	for (uint32_t i = 0; i < UH_EMULATION_REGIONS; i++) {
		struct uh_region *region = look_at(watch, i);
		uint32_t lanes = region ? lanes_of(region) : 0;
		for (uint32_t lane = 0; lane < lanes; lane++)
			any |= uh_watch_drain(watch, &watch->regions[i], lane, to_cursor);
	}
	return any;
}

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sleeps until the doorbell rings. `seen` is what it showed before the last look around. */
static void sleep_on_doorbell(struct uh_watch *watch, uint32_t seen)
{
	static const struct timespec nap = {.tv_nsec = NAP_NS};
	struct uh_emulation *shared = watch->shared;
	atomic_store(&shared->asleep, 1);
	if (!atomic_load(&watch->stop))
		(void)syscall(SYS_futex, &shared->doorbell, FUTEX_WAIT, seen, &nap, NULL, 0);
	atomic_store(&shared->asleep, 0);
}

static void *watch_over(void *data)
{
	struct uh_watch *watch = data;
	uint64_t collected = 0;
	while (!atomic_load(&watch->stop)) {
		uint32_t seen = atomic_load(&watch->shared->doorbell);
		bool worked = false;
		(void)pthread_mutex_lock(&watch->lock);
		if (watch->mode == UH_EMULATION_STREAM)
			worked = drain_all(watch, false);
		bool crowded = atomic_exchange(&watch->shared->crowded, 0);
		if (crowded || now_ns() - collected >= NAP_NS) {
			collect(watch);
			collected = now_ns();
		}
		(void)pthread_mutex_unlock(&watch->lock);
		while (atomic_load(&watch->readers) && !atomic_load(&watch->stop))
			(void)sched_yield();
		if (!worked)
			sleep_on_doorbell(watch, seen);
	}
	return NULL;
}

/* The measured program's signals are not the watcher's business. */
static int start_thread(struct uh_watch *watch)
{
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	int code = pthread_create(&watch->thread, NULL, watch_over, watch);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	watch->running = code == 0;
	return -code;
}

int uh_watch_start(struct uh_watch *watch, const struct uh_emulated_options *options,
		   struct uh_error *error)
{
	memset(watch, 0, sizeof(*watch));
	watch->descriptor = -1;
	watch->mode = uh_emulated_mode(options->quantities);
	(void)pthread_mutex_init(&watch->lock, NULL);
	int code = 0;
	if (watch->mode == UH_EMULATION_STREAM)
		code = uh_model_shared_new(&options->model, &watch->model, error);
	if (code)
		return code;
	code = map_header(watch);
	if (code)
		return uh_fail_errno(error, code, "memory for counts cannot be shared");
	fill_header(watch, options);
	code = start_thread(watch);
	return code ? uh_fail_errno(error, code, "the counting thread cannot be started") : 0;
}

void uh_watch_stop(struct uh_watch *watch)
{
	if (!watch->running)
		return;
	atomic_store(&watch->stop, true);
	atomic_fetch_add(&watch->shared->doorbell, 1);
	(void)syscall(SYS_futex, &watch->shared->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	(void)pthread_join(watch->thread, NULL);
	watch->running = false;
	collect(watch);
	if (watch->mode == UH_EMULATION_STREAM)
		(void)drain_all(watch, true);
	atomic_store(&watch->shared->closed, 1);
}

static void clear_region(struct uh_watched_region *watched)
{
	for (uint32_t i = 0; watched->models && i < UH_EMULATION_LANES; i++)
		uh_model_free(watched->models[i]);
	free(watched->models);
	if (watched->region)
		(void)munmap(watched->region, UH_REGION_STRIDE);
}

void uh_watch_clear(struct uh_watch *watch)
{
	for (uint32_t i = 0; i < UH_EMULATION_REGIONS; i++)
		clear_region(&watch->regions[i]);
	if (watch->shared)
		(void)munmap(watch->shared, UH_EMULATION_HEADER);
	if (watch->descriptor >= 0)
		(void)close(watch->descriptor);
	uh_model_shared_free(watch->model);
	free(watch->ended);
	(void)pthread_mutex_destroy(&watch->lock);
}

int uh_watch_read(struct uh_watch *watch, struct uh_emulated_reading *reading)
{
	atomic_fetch_add(&watch->readers, 1);
	(void)pthread_mutex_lock(&watch->lock);
	atomic_fetch_sub(&watch->readers, 1);
	if (watch->mode == UH_EMULATION_STREAM && watch->running)
		(void)drain_all(watch, true);
	size_t room = watch->ended_count;
	for (uint32_t i = 0; i < UH_EMULATION_REGIONS; i++) {
		struct uh_region *region = look_at(watch, i);
		room += region ? lanes_of(region) : 0;
	}
	memset(reading, 0, sizeof(*reading));
	reading->threads = calloc(room + 1, sizeof(reading->threads[0]));
	if (reading->threads)
		uh_watch_fill(watch, reading, room);
	(void)pthread_mutex_unlock(&watch->lock);
	return reading->threads ? 0 : -ENOMEM;
}
