/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plugin's end of the shared memory (machine/emulated_layout.h): attaching
 * to the watcher's file, taking a region for the process and a lane for each
 * thread.
 *
 * A plugin is one to a process, and QEMU's callbacks carry no pointer of ours,
 * so this state is global to the process.
 */
#ifndef UH_EMULATOR_REGION_H
#define UH_EMULATOR_REGION_H

#include <stdbool.h>
#include <sys/types.h>

#include "machine/emulated_layout.h"

/* More than a Linux kernel can number threads: an index is always within. */
#define UH_VCPUS (1u << 22)

struct uh_attachment {
	struct uh_emulation *shared;
	struct uh_region *region;
	pid_t watcher;
	int descriptor; /* the file's number in the watcher, not here */
	bool lost;      /* no region was free: callbacks write to memory that nobody reads */
};

extern struct uh_attachment uh_attachment;

/* The lane of each vCPU, indexed by QEMU's number for it. */
extern struct uh_lane *uh_lanes[UH_VCPUS];

/*
 * Maps the watcher's file and takes a region. Leaves no descriptor open. Returns
 * 0 or a negative errno; -ESTALE when the file is not of this build.
 */
int uh_attach(pid_t watcher, int descriptor);

/*
 * In the child of a fork: puts a region of its own where the parent's is
 * mapped, so that translated code, which has the addresses in it, goes on
 * counting, now for the child. Only `vcpu` lives on. The new block table gets the
 * first `count` of `blocks`. When no region can be had, the memory becomes
 * private to the child, and a note says so.
 */
void uh_attach_child(unsigned int vcpu, const struct uh_block *blocks, uint32_t count);

/* A lane for a new thread. Waits for the watcher when only ended lanes are left. */
void uh_lane_take(unsigned int vcpu);

/* The thread of `vcpu` ends; call it in that thread. */
void uh_lane_end(unsigned int vcpu);

/* Enters the calling thread's number and name into its lane. */
void uh_lane_name(struct uh_lane *lane);

/* Wakes the watcher if it sleeps. */
void uh_ring_doorbell(void);

/* Leaves a sentence for the user. */
void uh_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
