/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/region.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "machine/emulated_front.h"

/* How long a process waits for a free region or lane before it goes uncounted. */
#define PATIENCE_MS 5000

struct uh_attachment uh_attachment;
struct uh_lane *uh_lanes[UH_VCPUS];

/* No vCPU at or beyond this index was ever seen. */
static unsigned int vcpu_reach;

static int open_shared(void)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)uh_attachment.watcher,
		       uh_attachment.descriptor);
	int descriptor = open(path, O_RDWR | O_CLOEXEC);
	return descriptor < 0 ? -errno : descriptor;
}

void uh_ring_doorbell(void)
{
	struct uh_emulation *shared = uh_attachment.shared;
	atomic_fetch_add_explicit(&shared->doorbell, 1, memory_order_seq_cst);
	if (atomic_exchange(&shared->asleep, 0))
		(void)syscall(SYS_futex, &shared->doorbell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void uh_note(const char *format, ...)
{
	struct uh_emulation *shared = uh_attachment.shared;
	uint32_t index = atomic_fetch_add(&shared->note_count, 1);
	if (index >= UH_EMULATION_NOTES)
		return; /* note_count tells the watcher that there were more */
	struct uh_emulation_note *note = &shared->notes[index];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(note->text, sizeof(note->text), format, arguments);
	va_end(arguments);
	note->pid = (uint32_t)getpid();
	atomic_store(&note->ready, 1);
}

/* When this process began, in clock ticks since boot; 0 when /proc does not tell. */
static uint64_t start_time(void)
{
	char text[1024];
	int descriptor = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return 0;
	ssize_t length = read(descriptor, text, sizeof(text) - 1);
	(void)close(descriptor);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	/* The second field is the command in brackets, and may contain anything. */
	const char *field = strrchr(text, ')');
	for (int number = 2; field && number < 22; number++)
		field = strchr(field + 1, ' ');
	return field ? strtoull(field + 1, NULL, 10) : 0;
}

static void nap(void)
{
	static const struct timespec millisecond = {.tv_nsec = 1000000};
	atomic_store(&uh_attachment.shared->crowded, 1);
	uh_ring_doorbell();
	(void)nanosleep(&millisecond, NULL);
}

/* A free region's index, now claimed; -1 when none became free in time. */
static int claim_region(void)
{
	struct uh_emulation *shared = uh_attachment.shared;
	for (int wait = 0; wait < PATIENCE_MS; wait++) {
		for (uint32_t i = 0; i < UH_EMULATION_REGIONS; i++) {
			uint32_t expected = UH_REGION_FREE;
			if (atomic_compare_exchange_strong(&shared->states[i], &expected,
							   UH_REGION_CLAIMED))
				return (int)i;
		}
		nap();
	}
	return -1;
}

static void *map_region(int descriptor, uint32_t index, void *address)
{
	int flags = MAP_SHARED | MAP_NORESERVE | (address ? MAP_FIXED : 0);
	void *region = mmap(address, UH_REGION_STRIDE, PROT_READ | PROT_WRITE, flags, descriptor,
			    (off_t)uh_region_offset(index));
	if (region != MAP_FAILED)
		(void)madvise(region, UH_REGION_STRIDE, MADV_DONTDUMP);
	return region;
}

/* Takes a region, mapped at `address` or anywhere when NULL. */
static int take_region(int descriptor, void *address)
{
	struct uh_emulation *shared = uh_attachment.shared;
	int index = claim_region();
	if (index < 0)
		return -EAGAIN;
	struct uh_region *region = map_region(descriptor, (uint32_t)index, address);
	if (region == MAP_FAILED) {
		int code = -errno;
		atomic_store(&shared->states[index], UH_REGION_FREE);
		return code;
	}
	region->pid = (uint32_t)getpid();
	region->parent = (uint32_t)getppid();
	region->start_time = start_time();
	region->sequence = atomic_fetch_add(&shared->sequence, 1) + 1;
	uh_attachment.region = region;
	atomic_store(&shared->states[index], UH_REGION_LIVE);
	uh_ring_doorbell(); /* the watcher must see us alive to know later that we ended */
	return 0;
}

static int map_header(int descriptor)
{
	struct uh_emulation *shared =
	    mmap(NULL, UH_EMULATION_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	if (shared == MAP_FAILED)
		return -errno;
	if (shared->magic != UH_EMULATION_MAGIC || shared->version != UH_EMULATION_VERSION) {
		(void)munmap(shared, UH_EMULATION_HEADER);
		return -ESTALE;
	}
	uh_attachment.shared = shared;
	return 0;
}

int uh_attach(pid_t watcher, int descriptor)
{
	uh_attachment.watcher = watcher;
	uh_attachment.descriptor = descriptor;
	int file = open_shared();
	if (file < 0)
		return file;
	int code = map_header(file);
	if (!code) {
		code = take_region(file, NULL);
		if (code)
			uh_note("a process could not be counted: %s", strerror(-code));
	}
	(void)close(file);
	return code;
}

/* Nobody will read it, but the translated code must have something to write to. */
static void go_private(void)
{
	void *memory = mmap(uh_attachment.region, UH_REGION_STRIDE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	if (memory == MAP_FAILED)
		abort(); /* the parent's counts would be damaged from here on */
	uh_attachment.lost = true;
}

void uh_attach_child(unsigned int vcpu, const struct uh_block *blocks, uint32_t count)
{
	char program[UH_EMULATION_PROGRAM];
	memcpy(program, uh_attachment.region->program, sizeof(program));
	bool wanted = uh_attachment.shared->inherit && !uh_attachment.lost;
	int file = wanted ? open_shared() : -ENOENT;
	int code = file < 0 ? file : take_region(file, uh_attachment.region);
	if (file >= 0)
		(void)close(file);
	if (code && wanted)
		uh_note("a forked process could not be counted: %s", strerror(-code));
	if (code)
		go_private();
	memcpy(uh_region_blocks(uh_attachment.region), blocks, count * sizeof(*blocks));
	atomic_store(&uh_attachment.region->block_count, count);
	memcpy(uh_attachment.region->program, program, sizeof(program));
	memset(uh_lanes, 0, vcpu_reach * sizeof(uh_lanes[0]));
	uh_lane_take(vcpu);
	uh_lane_name(uh_lanes[vcpu]);
}

/* What follows the blocks of a vCPU's thread, as new. Kept for the vCPU's next thread. */
static struct uh_front *front_of(unsigned int vcpu)
{
	static struct uh_front *fronts[UH_VCPUS];
	if (uh_attachment.shared->mode == UH_EMULATION_BLOCK)
		return NULL;
	if (!fronts[vcpu])
		fronts[vcpu] = malloc(sizeof(*fronts[vcpu]));
	if (!fronts[vcpu])
		abort(); /* nothing could be counted, and the program was about to start a thread */
	uh_front_reset(fronts[vcpu], uh_attachment.shared->fetch_sets);
	return fronts[vcpu];
}

static void set_up_lane(struct uh_lane *lane, uint32_t index, unsigned int vcpu)
{
	struct uh_region *region = uh_attachment.region;
	lane->counts = uh_region_counts(region, index);
	lane->ring = uh_region_ring(region, index);
	lane->front = front_of(vcpu);
	lane->stamp = 0;
	lane->line_mask = uh_attachment.shared->line_mask;
	lane->page_mask = uh_attachment.shared->page_mask;
	lane->sink = index == UH_EMULATION_LANES || uh_attachment.lost;
	if (atomic_load(&region->lanes_used) <= index)
		atomic_store(&region->lanes_used, index + 1);
}

/* Takes the first free lane; *ended tells whether some only wait for the watcher. */
static struct uh_lane *find_lane(uint32_t *index, bool *ended)
{
	*ended = false;
	for (*index = 0; *index < UH_EMULATION_LANES; ++*index) {
		struct uh_lane *lane = uh_region_lane(uh_attachment.region, *index);
		uint32_t expected = UH_LANE_FREE;
		if (atomic_compare_exchange_strong(&lane->state, &expected, UH_LANE_LIVE))
			return lane;
		*ended = *ended || expected == UH_LANE_ENDED;
	}
	return NULL;
}

void uh_lane_take(unsigned int vcpu)
{
	uint32_t index;
	bool ended;
	struct uh_lane *lane = find_lane(&index, &ended);
	for (int wait = 0; !lane && ended && !uh_attachment.lost && wait < PATIENCE_MS; wait++) {
		nap();
		lane = find_lane(&index, &ended);
	}
	if (!lane && !uh_attachment.lost)
		uh_note("more than %u threads at once: those beyond are not counted",
			UH_EMULATION_LANES);
	if (!lane)
		lane = uh_region_lane(uh_attachment.region, UH_EMULATION_LANES);
	set_up_lane(lane, index, vcpu);
	uh_lanes[vcpu] = lane;
	if (vcpu >= vcpu_reach)
		vcpu_reach = vcpu + 1;
}

void uh_lane_name(struct uh_lane *lane)
{
	if (lane->sink)
		return;
	char name[UH_EMULATION_COMM] = "";
	(void)prctl(PR_GET_NAME, name);
	memcpy(lane->comm, name, sizeof(name));
	atomic_store(&lane->tid, (uint32_t)syscall(SYS_gettid));
}

void uh_lane_end(unsigned int vcpu)
{
	struct uh_lane *lane = uh_lanes[vcpu];
	if (!lane || lane->sink)
		return;
	uh_lane_name(lane);
	atomic_store(&lane->state, UH_LANE_ENDED);
	uh_ring_doorbell();
}
