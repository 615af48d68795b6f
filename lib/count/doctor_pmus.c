/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's counters: each kind is tried by opening one event of it. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "count/doctor_own.h"
#include "event/sysfs.h"

#define DEVICES "sys/bus/event_source/devices"
#define TRACEPOINTS "sys/kernel/tracing/events"
#define CORE_EVENT "cycles:u"

/* ---- the processor's own PMU ---- */

static void describe_counters(const struct uh_identity_pmu *pmu, struct uh_text *what)
{
	if (!pmu->version) {
		uh_text_string(what, "; CPUID does not say how many counters there are");
		return;
	}
	uh_text_format(what, "; %u counters of %u bits", pmu->counters, pmu->width);
	if (pmu->fixed)
		uh_text_format(what, " and %u fixed ones of %u bits", pmu->fixed, pmu->fixed_width);
	uh_text_format(what, " for each logical processor (version %u)", pmu->version);
}

static void missing_events(const struct uh_identity_pmu *pmu, struct uh_finding *finding)
{
	/* Top-down slots came with version 5; before, nobody expects them. */
	unsigned last = pmu->version >= 5 ? UH_CPUID_EVENTS : UH_CPUID_EVENTS - 1;
	const char *separator = "CPUID leaf 0xA says not available: ";
	for (unsigned bit = 0; bit < last; bit++) {
		if (!(pmu->missing >> bit & 1))
			continue;
		finding->state = UH_FINDING_LIMITED;
		uh_text_format(&finding->why, "%s%s", separator, uh_cpuid_event_name(bit));
		separator = ", ";
	}
}

static void pmu_remedy(const struct uh_doctor *doctor, struct uh_finding *finding)
{
	const struct uh_identity *identity = &doctor->identity;
	if (identity->hypervisor_remedy)
		uh_text_format(&finding->todo, "For a PMU: %s", identity->hypervisor_remedy);
	else if (identity->hypervisor || identity->hypervisor_leaf)
		uh_text_string(&finding->todo,
			       "For a PMU: have the hypervisor pass it on to this guest, or run on "
			       "the bare machine.");
	else
		uh_text_string(&finding->todo, "See what the kernel said of it at boot, as root: "
					       "dmesg | grep -i 'performance events'");
}

void uh_doctor_pmu(struct uh_doctor *doctor)
{
	struct uh_event_state state;
	bool opens = !uh_doctor_try(doctor, CORE_EVENT, &state);
	struct uh_finding *finding =
	    uh_finding_new(doctor, "pmu", opens ? UH_FINDING_OK : UH_FINDING_ABSENT);
	doctor->counts_core = opens;
	if (opens) {
		uh_text_string(&finding->what, "the processor's events open");
		if (doctor->identity.known)
			describe_counters(&doctor->identity.pmu, &finding->what);
		missing_events(&doctor->identity.pmu, finding);
		return;
	}
	uh_text_string(&finding->what, "the processor's events cannot be counted");
	if (doctor->lacks_pmu)
		uh_text_string(&finding->why, doctor->lacks);
	else
		uh_finding_because(doctor, finding, &state);
	if (doctor->lacks_pmu)
		pmu_remedy(doctor, finding);
}

void uh_doctor_software(struct uh_doctor *doctor)
{
	struct uh_event_state state;
	doctor->counts_software = !uh_doctor_try(doctor, "task-clock:u", &state);
	struct uh_finding *finding = uh_finding_new(
	    doctor, "software", doctor->counts_software ? UH_FINDING_OK : UH_FINDING_ABSENT);
	uh_text_string(&finding->what, doctor->counts_software
					   ? "the kernel's own events open (task-clock)"
					   : "not even the kernel's own events open");
	if (!doctor->counts_software)
		uh_finding_because(doctor, finding, &state);
}

void uh_doctor_tracepoints(struct uh_doctor *doctor)
{
	struct uh_event_state state;
	int code = uh_doctor_try(doctor, "sched:sched_switch", &state);
	doctor->reads_tracepoints = !code;
	struct uh_finding *finding =
	    uh_finding_new(doctor, "tracepoints", code ? UH_FINDING_ABSENT : UH_FINDING_OK);
	uh_text_string(&finding->what,
		       code ? "cannot be counted" : "can be counted (sched:sched_switch opens)");
	struct stat status;
	if (code == -ENOENT && fstatat(doctor->machine->root, TRACEPOINTS, &status, 0)) {
		uh_text_string(&finding->why, "/" TRACEPOINTS " is absent: tracefs is not mounted");
		uh_text_string(&finding->todo, "For tracepoints, as root: mount -t tracefs none "
					       "/sys/kernel/tracing");
	} else if (code) {
		uh_finding_because(doctor, finding, &state);
	}
}

/* ---- RDPMC ---- */

/* What the kernel says in the page of an open event. False when there is none. */
static bool event_page(struct uh_doctor *doctor, bool *rdpmc, bool *time)
{
	struct uh_event_state state;
	int descriptor = uh_doctor_open(doctor, CORE_EVENT, &state);
	if (descriptor < 0)
		return false;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
	(void)close(descriptor);
	if (memory == MAP_FAILED)
		return false;
	const struct perf_event_mmap_page *page = memory;
	*rdpmc = page->cap_user_rdpmc;
	*time = page->cap_user_time;
	(void)munmap(memory, size);
	return true;
}

static int rdpmc_setting(struct uh_machine *machine, const char **pmu, int64_t *setting)
{
	*pmu = uh_pmu_exists(machine, "cpu_core") ? "cpu_core" : "cpu";
	char path[96];
	(void)snprintf(path, sizeof(path), DEVICES "/%s/rdpmc", *pmu);
	return uh_file_number(machine->root, path, setting);
}

static void explain_rdpmc(struct uh_finding *finding, const char *pmu, int code, int64_t setting)
{
	if (code) {
		uh_text_format(&finding->why, "/" DEVICES "/%s/rdpmc: %s", pmu, strerror(-code));
	} else if (setting == 0) {
		uh_text_format(&finding->why, "/" DEVICES "/%s/rdpmc is 0", pmu);
		uh_text_format(&finding->todo,
			       "As root, until reboot: echo 1 >/" DEVICES "/%s/rdpmc", pmu);
	} else {
		uh_text_format(&finding->why,
			       "/" DEVICES "/%s/rdpmc is %lld, but an open event's page does not "
			       "allow it (cap_user_rdpmc is 0)",
			       pmu, (long long)setting);
	}
}

void uh_doctor_rdpmc(struct uh_doctor *doctor)
{
	bool allowed = false, time = false;
	const char *pmu;
	int64_t setting = 0;
	if (!doctor->counts_core || !event_page(doctor, &allowed, &time)) {
		struct uh_finding *finding = uh_finding_new(doctor, "rdpmc", UH_FINDING_ABSENT);
		uh_text_string(&finding->what, "counters cannot be read without system calls");
		uh_text_string(&finding->why, doctor->counts_core
						  ? "the page of an open event cannot be mapped"
						  : "it needs the processor's events, see pmu");
		return;
	}
	int code = rdpmc_setting(doctor->machine, &pmu, &setting);
	enum uh_finding_state state = !allowed ? UH_FINDING_ABSENT
				      : time   ? UH_FINDING_OK
					       : UH_FINDING_LIMITED;
	struct uh_finding *finding = uh_finding_new(doctor, "rdpmc", state);
	if (!allowed) {
		uh_text_string(&finding->what, "counters cannot be read without system calls");
		explain_rdpmc(finding, pmu, code, setting);
		return;
	}
	uh_text_string(&finding->what, "counters can be read without system calls");
	if (!code && setting == 2)
		uh_text_string(&finding->what, ", by everybody (rdpmc is 2)");
	if (!time)
		uh_text_string(&finding->why, "the page does not give the time (cap_user_time is "
					      "0): the time stamp counter is not the kernel's "
					      "clock, so shared counters cannot be scaled");
}

/* ---- all other PMUs ---- */

/* PMUs of one kind: uncore_imc_0, uncore_imc_1, ... are one group. */
struct group {
	char name[UH_PMU_NAME];
	unsigned count;
	bool tried, opens; /* tried: it has an event with a name */
	struct uh_event_state state;
};

/* The length of a name without a number at its end: "uncore_imc_0" has 10. */
static size_t stem(const char *name)
{
	size_t length = strlen(name);
	size_t end = length;
	while (end && name[end - 1] >= '0' && name[end - 1] <= '9')
		end--;
	return end > 1 && end < length && name[end - 1] == '_' ? end - 1 : length;
}

static bool is_uncore(const char *name)
{
	static const char *const starts[] = {"uncore_", "amd_l3", "amd_df", "amd_umc"};
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Neither hidden, nor the core's, nor one of the kernel's own that have findings of theirs. */
static int wanted_pmu(const struct dirent *entry)
{
	static const char *const others[] = {"cpu", "cpu_core", "cpu_atom", "software",
					     "tracepoint"};
	if (entry->d_name[0] == '.' || strlen(entry->d_name) >= UH_PMU_NAME)
		return 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(entry->d_name, others[i]))
			return 0;
	return 1;
}

/* Aliases, without their .scale and .unit. */
static int wanted_alias(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.');
}

static void free_entries(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

/* Opens the first of the PMU's named events that can be encoded. */
static void try_pmu(struct uh_doctor *doctor, const char *pmu, struct group *group)
{
	char path[sizeof(DEVICES) + NAME_MAX + 16];
	char text[2 * NAME_MAX + 8];
	struct dirent **entries = NULL;
	(void)snprintf(path, sizeof(path), DEVICES "/%s/events", pmu);
	int count = scandirat(doctor->machine->root, path, &entries, wanted_alias, alphasort);
	for (int i = 0; i < count && !group->opens; i++) {
		(void)snprintf(text, sizeof(text), "%s/%s/", pmu, entries[i]->d_name);
		group->tried = true;
		group->opens = !uh_doctor_try(doctor, text, &group->state);
	}
	if (count >= 0)
		free_entries(entries, count);
}

static void add_group(struct uh_finding *finding, const struct group *group)
{
	uh_text_format(&finding->what, "%s%s", finding->what.length ? ", " : "", group->name);
	if (group->count > 1)
		uh_text_format(&finding->what, " (%u)", group->count);
	if (!group->tried || group->opens)
		return;
	finding->state = UH_FINDING_LIMITED;
	uh_text_string(&finding->what, " (does not open)");
}

static void note_group(struct uh_doctor *doctor, struct uh_finding *finding,
		       const struct group *group)
{
	add_group(finding, group);
	if (group->tried && !group->opens && !finding->why.length)
		uh_finding_because(doctor, finding, &group->state);
	if (!group->opens)
		return;
	if (is_uncore(group->name)) {
		doctor->counts_uncore = true;
		return;
	}
	uh_text_format(&doctor->other, "%s%s", doctor->others++ ? ", " : "", group->name);
}

static void list_groups(struct uh_doctor *doctor, struct dirent **entries, int count, bool uncore,
			struct uh_finding *finding)
{
	for (int i = 0; i < count;) {
		struct group group = {0};
		const char *first = entries[i]->d_name;
		size_t length = stem(first);
		(void)snprintf(group.name, sizeof(group.name), "%.*s", (int)length, first);
		for (; i < count && stem(entries[i]->d_name) == length &&
		       !strncmp(entries[i]->d_name, first, length);
		     i++)
			group.count++;
		if (is_uncore(group.name) != uncore)
			continue;
		try_pmu(doctor, first, &group);
		note_group(doctor, finding, &group);
	}
}

static void no_uncore(const struct uh_doctor *doctor, struct uh_finding *finding)
{
	const struct uh_identity *identity = &doctor->identity;
	finding->state = UH_FINDING_ABSENT;
	uh_text_string(&finding->what, "no uncore PMU");
	if (identity->hypervisor || identity->hypervisor_leaf) {
		uh_text_string(&finding->why, "the kernel sets none up in a guest");
		return;
	}
	uh_text_string(&finding->why,
		       "the kernel shows none in /" DEVICES
		       ": its module is not loaded, or does not know this processor");
	if (!strcmp(identity->vendor, "GenuineIntel"))
		uh_text_string(&finding->todo, "For uncore events, as root: modprobe intel_uncore");
	else if (!strcmp(identity->vendor, "AuthenticAMD"))
		uh_text_string(&finding->todo, "For uncore events, as root: modprobe amd_uncore");
}

void uh_doctor_other_pmus(struct uh_doctor *doctor)
{
	struct dirent **entries = NULL;
	int count = scandirat(doctor->machine->root, DEVICES, &entries, wanted_pmu, alphasort);
	struct uh_finding *finding = uh_finding_new(doctor, "uncore", UH_FINDING_OK);
	list_groups(doctor, entries, count, true, finding);
	if (!finding->what.length)
		no_uncore(doctor, finding);
	finding = uh_finding_new(doctor, "other-pmus", UH_FINDING_OK);
	list_groups(doctor, entries, count, false, finding);
	if (!finding->what.length) {
		finding->state = UH_FINDING_ABSENT;
		uh_text_string(&finding->what, "none (such as msr, power, cstate_core)");
		uh_text_string(&finding->why, "the kernel shows none in /" DEVICES);
	}
	if (count >= 0)
		free_entries(entries, count);
}
