/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watcher: it drains the rings into the models, adds up what ended, and makes
 * regions and lanes free again. Everything it reads was written by the measured
 * program's processes, so every number from there is bounded before it is used.
 */
#ifndef UH_MACHINE_EMULATED_WATCH_H
#define UH_MACHINE_EMULATED_WATCH_H

#include <pthread.h>

#include "machine/emulated.h"

#define UH_ENDED_MAX 4096u /* ended threads kept apart; further ones are added together */

struct uh_watched_region {
	struct uh_region *region; /* mapped at first sight; NULL before */
	struct uh_model **models; /* one a lane, NULL until it has entries */
	bool seen_alive;          /* /proc showed the very process: so it can show its end */
	uint32_t quiet;           /* looks since its process said that it ends */
};

struct uh_watch {
	int descriptor;
	struct uh_emulation *shared;
	enum uh_emulation_mode mode;
	struct uh_model_shared *model;
	struct uh_watched_region regions[UH_EMULATION_REGIONS];
	struct uh_emulated_thread *ended;
	size_t ended_count;
	int failure; /* the first negative errno at which counts were lost; 0 */
	pthread_mutex_t lock;
	pthread_t thread;
	bool running;
	_Atomic bool stop;
	_Atomic uint32_t readers; /* waiting for the lock */
};

/* Creates the shared memory and starts the thread. The struct must not move. */
int uh_watch_start(struct uh_watch *watch, const struct uh_emulated_options *options,
		   struct uh_error *error);

/* Stops the thread, takes in all that is left of every region. */
void uh_watch_stop(struct uh_watch *watch);

/* Releases everything; the thread must have been stopped. */
void uh_watch_clear(struct uh_watch *watch);

/* Everything until now. -ENOMEM. */
int uh_watch_read(struct uh_watch *watch, struct uh_emulated_reading *reading);

/* For emulated_watch.c alone: one lane's totals, keeping those of an ended one, and the threads
 * of a reading with room for `room`; the lock is held. */
void uh_watch_lane_totals(const struct uh_watch *watch, struct uh_watched_region *watched,
			  uint32_t index, struct uh_emulated_thread *out);
void uh_watch_keep(struct uh_watch *watch, const struct uh_emulated_thread *thread);
void uh_watch_fill(struct uh_watch *watch, struct uh_emulated_reading *reading, size_t room);

/* Takes all of a lane's entries that are complete into its model. True if there were any. */
bool uh_watch_drain(struct uh_watch *watch, struct uh_watched_region *watched, uint32_t index,
		    bool to_cursor);

#endif
