/* SPDX-License-Identifier: BSD-3-Clause */
/* What the doctor finds on machines that are described by small trees and tables of CPUID. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "count/doctor.h"
#include "machine/identity.h"
#include "render/doctor.h"

struct leaf {
	uint32_t number, sub;
	uint32_t registers[4];
};

/* A machine whose CPUID is `leaves`, and where opening an event ends as the codes say. */
struct fake {
	struct uh_machine machine;
	const struct leaf *leaves;                   /* ended by one with number UINT32_MAX */
	int core, software, wide, tracepoint, other; /* 0: opens; else a negative errno */
	bool no_rdpmc, no_time;
	unsigned opened, enabled; /* events opened; of them not disabled */
};

static const uint32_t the_end = UINT32_MAX;

static int fake_cpuid(struct uh_machine *machine, uint32_t number, uint32_t sub,
		      uint32_t registers[4])
{
	const struct fake *fake = (const struct fake *)machine;
	for (const struct leaf *leaf = fake->leaves; leaf->number != the_end; leaf++)
		if (leaf->number == number && leaf->sub == sub) {
			memcpy(registers, leaf->registers, sizeof(leaf->registers));
			return 0;
		}
	return -ENODEV;
}

/* A page as the kernel shows one of an open event. */
static int event_page(const struct fake *fake)
{
	struct perf_event_mmap_page page = {0};
	page.cap_user_rdpmc = !fake->no_rdpmc;
	page.cap_user_time = !fake->no_time;
	int descriptor = memfd_create("event", MFD_CLOEXEC);
	assert_true(descriptor >= 0);
	assert_int_equal(ftruncate(descriptor, sysconf(_SC_PAGESIZE)), 0);
	assert_int_equal(write(descriptor, &page, sizeof(page)), sizeof(page));
	return descriptor;
}

static int fake_open(struct uh_machine *machine, struct perf_event_attr *attr, pid_t pid, int cpu,
		     int group, unsigned long flags)
{
	struct fake *fake = (struct fake *)machine;
	(void)pid;
	(void)flags;
	assert_int_equal(group, -1);
	assert_int_equal(attr->size, sizeof(*attr));
	fake->opened++;
	fake->enabled += !attr->disabled;
	int code = fake->other;
	if (attr->type == PERF_TYPE_HARDWARE)
		code = fake->core;
	else if (attr->type == PERF_TYPE_SOFTWARE)
		code = fake->software;
	else if (attr->type == PERF_TYPE_TRACEPOINT)
		code = fake->tracepoint;
	else if (cpu >= 0)
		code = fake->wide;
	return code ? code : event_page(fake);
}

static uint64_t fake_clock(struct uh_machine *machine)
{
	(void)machine;
	return 1;
}

static const struct uh_machine_calls calls = {
    .perf_event_open = fake_open, .cpuid = fake_cpuid, .clock = fake_clock};

static void put_on(struct fake *fake, const char *root)
{
	fake->machine.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(fake->machine.root >= 0);
	fake->machine.calls = &calls;
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;
	DIR *stream = opendir("/proc/self/fd");
	assert_non_null(stream);
	while (readdir(stream))
		count++;
	closedir(stream);
	return count;
}

static void examine_at(struct fake *fake, const char *root, const struct uh_emulation_facts *facts,
		       struct uh_diagnosis *diagnosis)
{
	struct uh_error error = {0};
	put_on(fake, root);
	unsigned before = open_descriptors();
	memset(diagnosis, 0, sizeof(*diagnosis));
	assert_int_equal(uh_doctor(&fake->machine, facts, diagnosis, &error), 0);
	assert_int_equal(open_descriptors(), before);
	assert_int_equal(fake->enabled, 0);
	close(fake->machine.root);
}

static void examine(struct fake *fake, const char *tree, struct uh_diagnosis *diagnosis)
{
	char root[4096];
	(void)snprintf(root, sizeof(root), "%s/machines/%s", TEST_DATA, tree);
	examine_at(fake, root, NULL, diagnosis);
}

/* ---- what is expected of a finding ---- */

struct expected {
	const char *topic;
	enum uh_finding_state state;
	const char *what, *why, *todo; /* parts of the texts; NULL: the text is empty */
};

static void check_text(const char *topic, const char *kind, const struct uh_text *text,
		       const char *part)
{
	if (part ? strstr(text->data, part) != NULL : !text->length)
		return;
	fail_msg("%s: %s is \"%s\", expected \"%s\"", topic, kind, text->data,
		 part ? part : "nothing");
}

static void check(const struct uh_diagnosis *diagnosis, const struct expected *expected)
{
	const struct uh_finding *found = NULL;
	for (size_t i = 0; i < diagnosis->count && !found; i++)
		if (!strcmp(diagnosis->findings[i].topic, expected->topic))
			found = &diagnosis->findings[i];
	if (!found)
		fail_msg("there is no finding about %s", expected->topic);
	if (found->state != expected->state)
		fail_msg("%s is %s, expected %s: %s: %s", expected->topic,
			 uh_finding_state_name(found->state),
			 uh_finding_state_name(expected->state), found->what.data, found->why.data);
	check_text(expected->topic, "what", &found->what, expected->what);
	check_text(expected->topic, "why", &found->why, expected->why);
	check_text(expected->topic, "todo", &found->todo, expected->todo);
}

static void check_all(const struct uh_diagnosis *diagnosis, const struct expected *expected,
		      size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(diagnosis, &expected[i]);
}
#define CHECK_ALL(diagnosis, rows) check_all(diagnosis, rows, sizeof(rows) / sizeof((rows)[0]))

#define GENUINE_INTEL(leaves)                                                                      \
	{                                                                                          \
		0, 0,                                                                              \
		{                                                                                  \
			leaves, 0x756e6547, 0x6c65746e, 0x49656e69                                 \
		}                                                                                  \
	}
#define AUTHENTIC_AMD(leaves)                                                                      \
	{                                                                                          \
		0, 0,                                                                              \
		{                                                                                  \
			leaves, 0x68747541, 0x444d4163, 0x69746e65                                 \
		}                                                                                  \
	}
#define KVM_LEAF                                                                                   \
	{                                                                                          \
		0x40000000, 0,                                                                     \
		{                                                                                  \
			0x40000001, 0x4b4d564b, 0x564b4d56, 0x4d                                   \
		}                                                                                  \
	}
#define HYPERVISOR_BIT (1u << 31)
#define PDCM_BIT (1u << 15)
#define SKYLAKE 0x00050654 /* family 6 model 85 stepping 4 */
#define END                                                                                        \
	{                                                                                          \
		UINT32_MAX, 0,                                                                     \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

static const struct leaf skylake[] = {
    GENUINE_INTEL(0x16),
    {1, 0, {SKYLAKE, 0, PDCM_BIT, 0}},
    {0xa, 0, {0x07300404, 0, 0, 0x603}},
    {0x15, 0, {2, 192, 25000000, 0}},
    /* beyond the last basic leaf such a processor repeats that one */
    {0x40000000, 0, {0x834, 0xe10, 0x64, 0}},
    {0x80000000, 0, {0x80000008, 0, 0, 0}},
    {0x80000002, 0, {0x20202020, 0x65746e49, 0x2952286c, 0x6f655820}},
    {0x80000003, 0, {0x2952286e, 0x6c6f4720, 0x31362064, 0x43203834}},
    {0x80000004, 0, {0x40205550, 0x342e3220, 0x7a484730, 0x00000000}},
    END};

/* ---- the recorded machines ---- */

static void a_bare_machine_with_a_pmu(void **state)
{
	(void)state;
	static const struct expected rows[] = {
	    {"processor", UH_FINDING_OK, "GenuineIntel family 6 model 85 stepping 4", NULL, NULL},
	    {"processor", UH_FINDING_OK, "2.400 GHz", NULL, NULL},
	    {"hypervisor", UH_FINDING_OK, "bare machine", NULL, NULL},
	    {"cpuid", UH_FINDING_OK, "agrees", NULL, NULL},
	    {"pmu", UH_FINDING_OK, "4 counters of 48 bits and 3 fixed ones of 48 bits", NULL, NULL},
	    {"watchdog", UH_FINDING_LIMITED, "holds one counter", "nmi_watchdog is 1",
	     "kernel.nmi_watchdog=0"},
	    {"rdpmc", UH_FINDING_OK, "without system calls", NULL, NULL},
	    {"software", UH_FINDING_OK, "task-clock", NULL, NULL},
	    {"uncore", UH_FINDING_OK, "uncore_imc (2), uncore_upi", NULL, NULL},
	    {"other-pmus", UH_FINDING_OK, "intel_pt, msr, power", NULL, NULL},
	    {"tracepoints", UH_FINDING_OK, "can be counted", NULL, NULL},
	    {"permission", UH_FINDING_OK, "every event",
	     "perf_event_paranoid is 2, from which "
	     "CAP_PERFMON frees",
	     NULL},
	    {"capabilities", UH_FINDING_OK, "CAP_PERFMON, CAP_SYS_ADMIN, CAP_SYS_RAWIO", NULL,
	     NULL},
	    {"descriptors", UH_FINDING_OK, "1024 files", NULL, NULL},
	    {"lockdown", UH_FINDING_OK, "none", NULL, NULL},
	    {"msr", UH_FINDING_OK, "read and written (msr.allow_writes is default)", NULL, NULL},
	};
	struct fake fake = {.leaves = skylake};
	struct uh_diagnosis diagnosis;
	examine(&fake, "bare-intel", &diagnosis);
	CHECK_ALL(&diagnosis, rows);
	assert_int_equal(diagnosis.count, 15);
	assert_string_equal(diagnosis.findings[0].what.data,
			    "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz (GenuineIntel family 6 "
			    "model 85 stepping 4), time stamp counter at 2.400 GHz");
	assert_string_equal(diagnosis.summary.data,
			    "Here unhalted counts: the processor's events, software events, uncore "
			    "events, tracepoints, the PMUs msr, power by the kernel.");
	assert_int_equal(uh_diagnosis_worst(&diagnosis), UH_FINDING_LIMITED);
	uh_diagnosis_free(&diagnosis);
}

static void a_guest_without_a_pmu(void **state)
{
	(void)state;
	static const struct leaf leaves[] = {GENUINE_INTEL(0xd),
					     {1, 0, {SKYLAKE, 0, HYPERVISOR_BIT, 0}},
					     {0xa, 0, {0}},
					     KVM_LEAF,
					     END};
	static const struct expected rows[] = {
	    {"hypervisor", UH_FINDING_LIMITED, "guest of KVM", "decide nothing", NULL},
	    {"cpuid", UH_FINDING_OK, "agrees", NULL, NULL},
	    {"pmu", UH_FINDING_ABSENT, "cannot be counted",
	     "this guest has no PMU (CPUID leaf 0xA reports version 0)", "pmu=on"},
	    {"watchdog", UH_FINDING_OK, "no counter that it could take", NULL, NULL},
	    {"rdpmc", UH_FINDING_ABSENT, "cannot be read", "see pmu", NULL},
	    {"uncore", UH_FINDING_ABSENT, "no uncore PMU", "in a guest", NULL},
	    {"other-pmus", UH_FINDING_OK, "msr", NULL, NULL},
	    {"tracepoints", UH_FINDING_ABSENT, "cannot", "tracefs is not mounted",
	     "mount -t tracefs"},
	    {"descriptors", UH_FINDING_OK, "any number", NULL, NULL},
	    {"lockdown", UH_FINDING_OK, "none seen", NULL, NULL},
	    {"msr", UH_FINDING_ABSENT, "is absent", "module msr is not loaded", "modprobe msr"},
	    {"emulation", UH_FINDING_OK, "/usr/bin/qemu, version 7.2.0, with the plugin /p.so",
	     NULL, NULL},
	};
	static const struct uh_emulation_facts facts = {.available = true,
							.qemu = "/usr/bin/qemu",
							.version = "version 7.2.0",
							.plugin = "/p.so"};
	struct fake fake = {.leaves = leaves, .core = -ENOENT};
	struct uh_diagnosis diagnosis;
	examine_at(&fake, TEST_DATA "/machines/guest", &facts, &diagnosis);
	CHECK_ALL(&diagnosis, rows);
	assert_string_equal(diagnosis.summary.data,
			    "Here unhalted counts: software events, the PMU msr by the kernel; the "
			    "processor's events of a program by emulation.");
	uh_diagnosis_free(&diagnosis);
}

static void an_ordinary_user_at_paranoid_3(void **state)
{
	(void)state;
	static const struct expected rows[] = {
	    {"pmu", UH_FINDING_ABSENT, "cannot be counted",
	     "perf_event_paranoid is 3 and CAP_PERFMON is missing", NULL},
	    {"watchdog", UH_FINDING_OK, "off", NULL, NULL},
	    {"software", UH_FINDING_ABSENT, "not even", "perf_event_paranoid is 3", NULL},
	    {"uncore", UH_FINDING_LIMITED, "uncore_imc (does not open)", "perf_event_paranoid is 3",
	     NULL},
	    {"other-pmus", UH_FINDING_LIMITED, "msr (does not open)", "perf_event_paranoid is 3",
	     NULL},
	    {"permission", UH_FINDING_ABSENT, "no event at all", "perf_event_paranoid is 3",
	     "sysctl kernel.perf_event_paranoid=2"},
	    {"capabilities", UH_FINDING_ABSENT, "none", "missing: CAP_PERFMON", "as root"},
	    {"descriptors", UH_FINDING_LIMITED, "1024", "64 processors", "ulimit -n 2048"},
	    {"msr", UH_FINDING_ABSENT, "not readable", "CAP_SYS_RAWIO is missing", "as root"},
	    {"emulation", UH_FINDING_ABSENT, "cannot be emulated", "apt install", NULL},
	};
	static const struct uh_emulation_facts facts = {
	    .reason = {.code = -ENOENT, .text = "there is no QEMU: apt install qemu-user"}};
	struct fake fake = {.leaves = skylake,
			    .core = -EACCES,
			    .software = -EACCES,
			    .wide = -EACCES,
			    .other = -EACCES};
	struct uh_diagnosis diagnosis;
	examine_at(&fake, TEST_DATA "/machines/ordinary-user", &facts, &diagnosis);
	CHECK_ALL(&diagnosis, rows);
	assert_string_equal(diagnosis.summary.data, "Here the kernel lets unhalted count nothing.");
	assert_int_equal(uh_diagnosis_worst(&diagnosis), UH_FINDING_ABSENT);
	uh_diagnosis_free(&diagnosis);
}

static void a_locked_down_machine(void **state)
{
	(void)state;
	static const struct expected rows[] = {
	    {"pmu", UH_FINDING_OK, "open", NULL, NULL},
	    {"rdpmc", UH_FINDING_OK, "by everybody (rdpmc is 2)", NULL, NULL},
	    {"permission", UH_FINDING_OK, "every event", "perf_event_paranoid is -1", NULL},
	    {"uncore", UH_FINDING_ABSENT, "no uncore PMU", "module is not loaded",
	     "modprobe intel_uncore"},
	    {"other-pmus", UH_FINDING_ABSENT, "none", "shows none", NULL},
	    {"lockdown", UH_FINDING_LIMITED, "integrity: no register may be written",
	     "lockdown is integrity", "secure boot"},
	    {"msr", UH_FINDING_LIMITED, "read, not written", "locked down", NULL},
	};
	struct fake fake = {.leaves = skylake};
	struct uh_diagnosis diagnosis;
	examine(&fake, "lockdown", &diagnosis);
	CHECK_ALL(&diagnosis, rows);
	uh_diagnosis_free(&diagnosis);
}

/* ---- single facts ---- */

static void rdpmc_follows_the_page_of_an_open_event(void **state)
{
	(void)state;
	static const struct expected refused = {"rdpmc", UH_FINDING_ABSENT, "cannot be read",
						"cap_user_rdpmc is 0", NULL};
	static const struct expected timeless = {"rdpmc", UH_FINDING_LIMITED, "can be read",
						 "cap_user_time is 0", NULL};
	struct fake fake = {.leaves = skylake, .no_rdpmc = true};
	struct uh_diagnosis diagnosis;
	examine(&fake, "bare-intel", &diagnosis);
	check(&diagnosis, &refused);
	uh_diagnosis_free(&diagnosis);
	fake.no_rdpmc = false;
	fake.no_time = true;
	examine(&fake, "bare-intel", &diagnosis);
	check(&diagnosis, &timeless);
	uh_diagnosis_free(&diagnosis);
}

static void events_that_cpuid_denies_are_named(void **state)
{
	(void)state;
	/* bits 3 and 4 are set: no last-level cache events */
	static const struct leaf leaves[] = {GENUINE_INTEL(0xd),
					     {1, 0, {SKYLAKE, 0, 0, 0}},
					     {0xa, 0, {0x07300404, 0x18, 0, 0x603}},
					     END};
	static const struct expected expected = {
	    "pmu", UH_FINDING_LIMITED, "4 counters",
	    "not available: last-level cache references, last-level cache misses", NULL};
	struct fake fake = {.leaves = leaves};
	struct uh_diagnosis diagnosis;
	examine(&fake, "bare-intel", &diagnosis);
	check(&diagnosis, &expected);
	uh_diagnosis_free(&diagnosis);
}

static void one_pmu_that_does_not_open_is_named(void **state)
{
	(void)state;
	static const struct expected expected = {"uncore", UH_FINDING_LIMITED,
						 "uncore_imc (2) (does not open)", "EBUSY", NULL};
	struct fake fake = {.leaves = skylake, .wide = -EBUSY};
	struct uh_diagnosis diagnosis;
	examine(&fake, "bare-intel", &diagnosis);
	check(&diagnosis, &expected);
	assert_null(strstr(diagnosis.summary.data, "uncore"));
	uh_diagnosis_free(&diagnosis);
}

/* ---- contradictions ---- */

struct riddle {
	const char *tree;
	int core;
	struct leaf leaves[6];
	const char *why; /* NULL: there is none */
};

static const struct riddle riddles[] = {
    {"guest",
     -ENOENT,
     {GENUINE_INTEL(0xd),
      {1, 0, {SKYLAKE, 0, HYPERVISOR_BIT, 0}},
      {0xa, 0, {0x07300402, 0, 0, 0x603}},
      KVM_LEAF,
      END},
     "leaf 0xA says version 2 with 4 counters, but the kernel has no core PMU"},
    {"guest",
     -ENOENT,
     {GENUINE_INTEL(0xd), {1, 0, {SKYLAKE, 0, HYPERVISOR_BIT | PDCM_BIT, 0}}, {0xa, 0, {0}}, END},
     "PDCM is set"},
    {"guest",
     -ENOENT,
     {AUTHENTIC_AMD(0xd),
      {1, 0, {0x00a10f11, 0, HYPERVISOR_BIT, 0}},
      {0xa, 0, {0x07300402, 0, 0, 0x603}},
      END},
     "the vendor is AMD"},
    {"bare-intel",
     0,
     {GENUINE_INTEL(0xd),
      {1, 0, {SKYLAKE, 0, HYPERVISOR_BIT, 0}},
      {0xa, 0, {0x07300402, 0, 0, 0}},
      END},
     "version 2 has fixed counters, but their number is 0"},
    {"bare-intel",
     0,
     {GENUINE_INTEL(0xd), {1, 0, {SKYLAKE, 0, 0, 0}}, {0xa, 0, {0x07000401, 0, 0, 0}}, END},
     "4 counters of 0 bits"},
    {"bare-intel",
     0,
     {GENUINE_INTEL(0xd),
      {1, 0, {SKYLAKE, 0, 0, 0}},
      {0xa, 0, {0x07300404, 0, 0, 0x603}},
      KVM_LEAF,
      END},
     "leaf 0x40000000 says \"KVMKVMKVM\", but the hypervisor bit"},
    {"bare-intel",
     0,
     {AUTHENTIC_AMD(0xd),
      {1, 0, {0x00a10f11, 0, 0, 0}},
      {0x80000000, 0, {0x80000004, 0, 0, 0}},
      {0x80000002, 0, {0x65746e49, 0x2952286c, 0, 0}}, /* "Intel(R)" */
      END},
     "\"Intel(R)\" with the vendor AuthenticAMD"},
    {"bare-intel",
     0,
     {AUTHENTIC_AMD(0xd), {1, 0, {0x00a10f11, 0, 0, 0}}, {0xa, 0, {0}}, END},
     NULL},
    /* version 1 has no fixed counters: that is right */
    {"bare-intel",
     0,
     {GENUINE_INTEL(0xd), {1, 0, {0x000006e8, 0, 0, 0}}, {0xa, 0, {0x07280201, 0, 0, 0}}, END},
     NULL},
};

static void contradictions_are_named(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(riddles) / sizeof(riddles[0]); i++) {
		struct fake fake = {.leaves = riddles[i].leaves, .core = riddles[i].core};
		struct uh_diagnosis diagnosis;
		examine(&fake, riddles[i].tree, &diagnosis);
		size_t limited = 0, as_expected = 0;
		for (size_t j = 0; j < diagnosis.count; j++) {
			const struct uh_finding *finding = &diagnosis.findings[j];
			if (strcmp(finding->topic, "cpuid") != 0)
				continue;
			limited += finding->state == UH_FINDING_LIMITED;
			as_expected +=
			    riddles[i].why && strstr(finding->why.data, riddles[i].why) != NULL;
		}
		if (as_expected != (riddles[i].why != NULL) || !limited != !riddles[i].why)
			fail_msg("riddle %zu: %zu contradictions, %zu as expected", i, limited,
				 as_expected);
		uh_diagnosis_free(&diagnosis);
	}
}

static void who_imitates_hyper_v_is_found_behind_it(void **state)
{
	(void)state;
	static const struct leaf leaves[] = {
	    GENUINE_INTEL(0xd),
	    {1, 0, {SKYLAKE, 0, HYPERVISOR_BIT, 0}},
	    {0x40000000, 0, {0x40000005, 0x7263694d, 0x666f736f, 0x76482074}}, /* Microsoft Hv */
	    {0x40000100, 0, {0x40000101, 0x4b4d564b, 0x564b4d56, 0x4d}},
	    END};
	struct fake fake = {.leaves = leaves};
	struct uh_identity identity;
	put_on(&fake, "/");
	uh_identity_read(&fake.machine, &identity);
	assert_string_equal(identity.hypervisor_signature, "KVMKVMKVM");
	assert_string_equal(identity.hypervisor_name, "KVM");
	close(fake.machine.root);
}

/* What a processor says of a leaf that it does not have is no hypervisor, even if it is text. */
static void letters_alone_are_no_hypervisor(void **state)
{
	(void)state;
	static const struct leaf leaves[] = {GENUINE_INTEL(0xd),
					     {1, 0, {SKYLAKE, 0, 0, 0}},
					     {0x40000000, 0, {0x16, 0x64636261, 0x68676665, 0x61}},
					     END};
	struct fake fake = {.leaves = leaves};
	struct uh_identity identity;
	put_on(&fake, "/");
	uh_identity_read(&fake.machine, &identity);
	assert_true(identity.known);
	assert_false(identity.hypervisor_leaf);
	assert_string_equal(identity.hypervisor_signature, "");
	close(fake.machine.root);
}

static void events_beyond_the_length_are_missing(void **state)
{
	(void)state;
	static const struct leaf leaves[] = {GENUINE_INTEL(0xd),
					     {1, 0, {SKYLAKE, 0, 0, 0}},
					     {0xa, 0, {0x05300404, 0x01, 0, 0x603}},
					     END};
	struct fake fake = {.leaves = leaves};
	struct uh_identity identity;
	put_on(&fake, "/");
	uh_identity_read(&fake.machine, &identity);
	assert_int_equal(identity.pmu.missing, 0xe1);
	close(fake.machine.root);
}

static void version_6_counts_by_bitmaps_with_holes(void **state)
{
	(void)state;
	static const struct leaf leaves[] = {GENUINE_INTEL(0x23),
					     {1, 0, {SKYLAKE, 0, 0, 0}},
					     {0xa, 0, {0x08300806, 0, 0x0f, 0x8604}},
					     {0x23, 0, {0x3, 0, 0, 0}},
					     {0x23, 1, {0x3fb, 0x77, 0, 0}},
					     END};
	struct fake fake = {.leaves = leaves};
	struct uh_identity identity;
	put_on(&fake, "/");
	uh_identity_read(&fake.machine, &identity);
	assert_int_equal(identity.pmu.counters, 9);
	assert_int_equal(identity.pmu.fixed, 6);
	assert_true(identity.pmu.any_thread_deprecated);
	assert_int_equal(identity.pmu.missing, 0);
	close(fake.machine.root);
}

/* ---- hostile trees ---- */

static char place[64];

static int make_place(void **state)
{
	(void)state;
	(void)snprintf(place, sizeof(place), "/tmp/unhalted-doctor-XXXXXX");
	return mkdtemp(place) ? 0 : -1;
}

static int remove_place(void **state)
{
	(void)state;
	char command[128];
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", place);
	return system(command); /* NOLINT(cert-env33-c): a name of our own */
}

static void put_file(const char *path, const char *content)
{
	char full[512];
	(void)snprintf(full, sizeof(full), "%s/%s", place, path);
	for (char *slash = full + strlen(place) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		(void)mkdir(full, 0755);
		*slash = '/';
	}
	int descriptor = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(descriptor >= 0);
	assert_int_equal(write(descriptor, content, strlen(content)), strlen(content));
	close(descriptor);
}

static void nothing_is_there(void **state)
{
	(void)state;
	static const struct leaf leaves[] = {END};
	static const struct expected rows[] = {
	    {"processor", UH_FINDING_LIMITED, "not known", "no CPUID", NULL},
	    {"pmu", UH_FINDING_ABSENT, "cannot be counted", "no PMU", "dmesg"},
	    {"permission", UH_FINDING_ABSENT, "no event", "perf_event_paranoid is absent",
	     "CONFIG_PERF_EVENTS"},
	    {"capabilities", UH_FINDING_ABSENT, "none", "does not say", NULL},
	    {"descriptors", UH_FINDING_LIMITED, "not known", "does not say", NULL},
	    {"watchdog", UH_FINDING_OK, "no NMI watchdog", NULL, NULL},
	    {"msr", UH_FINDING_ABSENT, "is absent", "modules are not installed", "CONFIG_X86_MSR"},
	};
	struct fake fake = {.leaves = leaves, .core = -ENOENT, .software = -ENOSYS};
	struct uh_diagnosis diagnosis;
	examine_at(&fake, place, NULL, &diagnosis);
	CHECK_ALL(&diagnosis, rows);
	uh_diagnosis_free(&diagnosis);
}

static void garbage_is_said_to_be_garbage(void **state)
{
	(void)state;
	static const struct expected rows[] = {
	    {"permission", UH_FINDING_LIMITED, "user mode", "unreadable, taken for 2", "=0"},
	    {"capabilities", UH_FINDING_ABSENT, "none", "does not say", NULL},
	    {"descriptors", UH_FINDING_LIMITED, "not known", "does not say", NULL},
	    {"watchdog", UH_FINDING_LIMITED, "not readable", NULL, NULL},
	    {"lockdown", UH_FINDING_LIMITED, "not known", "Invalid argument", NULL},
	};
	put_file("proc/sys/kernel/perf_event_paranoid", "two\n");
	put_file("proc/sys/kernel/nmi_watchdog", "99999999999999999999\n");
	put_file("proc/self/status",
		 "Name:\tCapEff: 1\nCapEff:\t00000000000000000000000000000001x\n");
	put_file("proc/self/limits", "Max open files   many   many  files\n");
	put_file("proc/self/uid_map", "x");
	put_file("sys/kernel/security/lockdown", "none integrity]\n");
	struct fake fake = {.leaves = skylake};
	struct uh_diagnosis diagnosis;
	examine_at(&fake, place, NULL, &diagnosis);
	CHECK_ALL(&diagnosis, rows);
	uh_diagnosis_free(&diagnosis);
}

static void capabilities_of_a_user_namespace_do_not_count(void **state)
{
	(void)state;
	static const struct expected rows[] = {
	    {"permission", UH_FINDING_LIMITED, "user mode", "perf_event_paranoid is 2", "=0"},
	    {"capabilities", UH_FINDING_ABSENT, "CAP_PERFMON", "user namespace", "outside"},
	    {"msr", UH_FINDING_ABSENT, "not readable", "CAP_SYS_RAWIO is missing", "as root"},
	};
	put_file("proc/sys/kernel/perf_event_paranoid", "2\n");
	put_file("proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\n");
	put_file("proc/self/uid_map", "         0       1000          1\n");
	put_file("dev/cpu/0/msr", "123456789012345678901234");
	struct fake fake = {.leaves = skylake};
	struct uh_diagnosis diagnosis;
	examine_at(&fake, place, NULL, &diagnosis);
	CHECK_ALL(&diagnosis, rows);
	uh_diagnosis_free(&diagnosis);
}

static void a_register_that_cannot_be_read_is_not_readable(void **state)
{
	(void)state;
	static const struct expected expected = {"msr", UH_FINDING_ABSENT, "not readable", "EIO",
						 NULL};
	put_file("proc/self/status", "CapEff:\t000001ffffffffff\n");
	put_file("proc/self/uid_map", "0 0 4294967295\n");
	put_file("dev/cpu/0/msr", "short");
	struct fake fake = {.leaves = skylake};
	struct uh_diagnosis diagnosis;
	examine_at(&fake, place, NULL, &diagnosis);
	check(&diagnosis, &expected);
	uh_diagnosis_free(&diagnosis);
}

#define EVIL "evil\033[31m\"pmu"

static void names_from_outside_are_shown_safely(void **state)
{
	(void)state;
	put_file("sys/bus/event_source/devices/" EVIL "/type", "99\n");
	struct fake fake = {.leaves = skylake};
	struct uh_diagnosis diagnosis;
	struct uh_text page = {0};
	examine_at(&fake, place, NULL, &diagnosis);
	uh_doctor_text(&diagnosis, 100, &page);
	assert_null(strchr(page.data, '\033'));
	assert_non_null(strstr(page.data, "evil?[31m\"pmu"));
	uh_text_clear(&page);
	uh_doctor_json(&diagnosis, &page);
	assert_null(strchr(page.data, '\033'));
	assert_non_null(strstr(page.data, "evil\\u001b[31m\\\"pmu"));
	uh_text_free(&page);
	uh_diagnosis_free(&diagnosis);
}

/* ---- the page ---- */

static void lines_keep_to_the_width(void **state)
{
	(void)state;
	struct fake fake = {.leaves = skylake};
	struct uh_diagnosis diagnosis;
	struct uh_text page = {0};
	examine(&fake, "bare-intel", &diagnosis);
	uh_doctor_text(&diagnosis, 72, &page);
	size_t lines = 0;
	for (const char *line = page.data; *line; lines++) {
		size_t length = strcspn(line, "\n");
		assert_true(length <= 72);
		line += length + (line[length] == '\n');
	}
	assert_true(lines > diagnosis.count);
	assert_non_null(strstr(page.data, "\nTo do:\n  watchdog      As root"));
	uh_text_free(&page);
	uh_diagnosis_free(&diagnosis);
}

static void what_is_to_do_twice_is_said_once(void **state)
{
	(void)state;
	struct uh_diagnosis diagnosis = {.count = 2};
	struct uh_text page = {0};
	for (size_t i = 0; i < 2; i++) {
		diagnosis.findings[i].topic = i ? "second" : "first";
		uh_text_string(&diagnosis.findings[i].what, "x");
		uh_text_string(&diagnosis.findings[i].todo, "do this");
	}
	uh_text_string(&diagnosis.summary, "short");
	uh_doctor_text(&diagnosis, 80, &page);
	const char *once = strstr(page.data, "do this");
	assert_non_null(once);
	assert_null(strstr(once + 1, "do this"));
	uh_text_free(&page);
	uh_diagnosis_free(&diagnosis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_bare_machine_with_a_pmu),
	    cmocka_unit_test(a_guest_without_a_pmu),
	    cmocka_unit_test(an_ordinary_user_at_paranoid_3),
	    cmocka_unit_test(a_locked_down_machine),
	    cmocka_unit_test(rdpmc_follows_the_page_of_an_open_event),
	    cmocka_unit_test(events_that_cpuid_denies_are_named),
	    cmocka_unit_test(one_pmu_that_does_not_open_is_named),
	    cmocka_unit_test(contradictions_are_named),
	    cmocka_unit_test(who_imitates_hyper_v_is_found_behind_it),
	    cmocka_unit_test(letters_alone_are_no_hypervisor),
	    cmocka_unit_test(events_beyond_the_length_are_missing),
	    cmocka_unit_test(version_6_counts_by_bitmaps_with_holes),
	    cmocka_unit_test_setup_teardown(nothing_is_there, make_place, remove_place),
	    cmocka_unit_test_setup_teardown(garbage_is_said_to_be_garbage, make_place,
					    remove_place),
	    cmocka_unit_test_setup_teardown(capabilities_of_a_user_namespace_do_not_count,
					    make_place, remove_place),
	    cmocka_unit_test_setup_teardown(a_register_that_cannot_be_read_is_not_readable,
					    make_place, remove_place),
	    cmocka_unit_test_setup_teardown(names_from_outside_are_shown_safely, make_place,
					    remove_place),
	    cmocka_unit_test(lines_keep_to_the_width),
	    cmocka_unit_test(what_is_to_do_twice_is_said_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
