/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel permits this process, and how much of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/index_list.h"
#include "base/number.h"
#include "count/doctor_own.h"
#include "machine/topology.h"

#define PROC_LIMIT 65536 /* bytes of a file of proc/self that are read */

/* Numbers of capabilities, from linux/capability.h. */
enum { SYS_RAWIO = 17, SYS_PTRACE = 19, SYS_ADMIN = 21, PERFMON = 38 };

/* What follows `key` at the start of a line, blanks skipped; NULL when there is none. */
static const char *line_of(const char *text, const char *key)
{
	size_t length = strlen(key);
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, length))
			return line + length + strspn(line + length, " \t");
	}
	return NULL;
}

/* The word at `text`, up to a blank or the line's end. False when it does not fit. */
static bool copy_word(const char *text, char *word, size_t size)
{
	size_t length = strcspn(text, " \t\n");
	if (!length || length >= size)
		return false;
	memcpy(word, text, length);
	word[length] = '\0';
	return true;
}

/* The first user namespace maps every number to itself; any other one does not. */
static bool in_user_namespace(struct uh_machine *machine)
{
	struct uh_text text = {0};
	bool inside = false;
	if (!uh_file_read(machine->root, "proc/self/uid_map", PROC_LIMIT, &text)) {
		char *end = text.data;
		unsigned long long first = strtoull(end, &end, 10);
		unsigned long long outside = strtoull(end, &end, 10);
		unsigned long long count = strtoull(end, &end, 10);
		inside = first || outside || count != UINT32_MAX;
	}
	uh_text_free(&text);
	return inside;
}

void uh_privileges_read(struct uh_machine *machine, struct uh_privileges *privileges)
{
	struct uh_text text = {0};
	char word[32];
	uint64_t set;
	*privileges = (struct uh_privileges){0};
	if (uh_file_read(machine->root, "proc/self/status", PROC_LIMIT, &text)) {
		uh_text_free(&text);
		return;
	}
	const char *line = line_of(text.data, "CapEff:");
	if (line && copy_word(line, word, sizeof(word)) && uh_parse_hex(word, &set)) {
		privileges->known = true;
		privileges->in_namespace = in_user_namespace(machine);
		privileges->perfmon = set >> PERFMON & 1;
		privileges->sys_admin = set >> SYS_ADMIN & 1;
		privileges->sys_rawio = set >> SYS_RAWIO & 1;
		privileges->sys_ptrace = set >> SYS_PTRACE & 1;
	}
	uh_text_free(&text);
}

/* ---- perf_event_paranoid ---- */

static const char *permitted(const struct uh_doctor *doctor)
{
	if (doctor->may_all || doctor->paranoid < 0)
		return "every event, of every process and processor";
	if (doctor->paranoid == 0)
		return "every event, but not the data of tracepoints";
	if (doctor->paranoid == 1)
		return "your own processes; no whole processors, no uncore";
	if (doctor->paranoid == 2)
		return "your own processes in user mode; no kernel, no whole processors, no uncore";
	return "no event at all";
}

void uh_doctor_permission(struct uh_doctor *doctor)
{
	int64_t level;
	int code =
	    uh_file_number(doctor->machine->root, "proc/sys/kernel/perf_event_paranoid", &level);
	if (code == -ENOENT) {
		struct uh_finding *finding =
		    uh_finding_new(doctor, "permission", UH_FINDING_ABSENT);
		uh_text_string(&finding->what, "no event at all");
		uh_text_string(&finding->why, "this kernel has no perf_event: "
					      "/proc/sys/kernel/perf_event_paranoid is absent");
		uh_text_string(&finding->todo, "Boot a kernel with CONFIG_PERF_EVENTS.");
		return;
	}
	bool all = doctor->may_all || doctor->paranoid < 0;
	struct uh_finding *finding = uh_finding_new(doctor, "permission",
						    all                    ? UH_FINDING_OK
						    : doctor->paranoid > 2 ? UH_FINDING_ABSENT
									   : UH_FINDING_LIMITED);
	uh_text_string(&finding->what, permitted(doctor));
	uh_text_format(&finding->why,
		       code ? "perf_event_paranoid is unreadable, taken for %d"
			    : "perf_event_paranoid is %d",
		       doctor->paranoid);
	if (doctor->may_all)
		uh_text_format(&finding->why, ", from which %s frees this process",
			       doctor->privileges.perfmon ? "CAP_PERFMON" : "CAP_SYS_ADMIN");
	if (all)
		return;
	int wanted = doctor->paranoid > 2 ? 2 : doctor->paranoid > 0 ? 0 : -1;
	uh_text_format(&finding->todo,
		       "As root, until reboot: sysctl kernel.perf_event_paranoid=%d", wanted);
}

/* ---- capabilities ---- */

static void list_capabilities(const struct uh_privileges *has, bool present, struct uh_text *out)
{
	const struct {
		bool has;
		const char *name;
		const char *use;
	} rows[] = {
	    {has->perfmon, "CAP_PERFMON", "every event whatever perf_event_paranoid says"},
	    {has->sys_admin, "CAP_SYS_ADMIN", "the same, and PCI registers"},
	    {has->sys_rawio, "CAP_SYS_RAWIO", "model-specific registers"},
	    {has->sys_ptrace, "CAP_SYS_PTRACE", "other users' processes"},
	};
	const char *separator = "";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* CAP_SYS_ADMIN stands in for the newer CAP_PERFMON. */
		if (rows[i].has != present || (!present && !i && has->sys_admin))
			continue;
		uh_text_format(out, "%s%s", separator, rows[i].name);
		if (!present)
			uh_text_format(out, " (%s)", rows[i].use);
		separator = ", ";
	}
}

void uh_doctor_capabilities(struct uh_doctor *doctor)
{
	const struct uh_privileges *has = &doctor->privileges;
	bool any = has->perfmon || has->sys_admin || has->sys_rawio || has->sys_ptrace;
	bool all = has->sys_admin && has->sys_rawio && has->sys_ptrace;
	struct uh_finding *finding = uh_finding_new(doctor, "capabilities",
						    all   ? UH_FINDING_OK
						    : any ? UH_FINDING_LIMITED
							  : UH_FINDING_ABSENT);
	if (any)
		list_capabilities(has, true, &finding->what);
	else
		uh_text_string(&finding->what, "none of those that counting can use");
	if (!has->known) {
		uh_text_string(&finding->why, "/proc/self/status does not say which there are");
		return;
	}
	if (has->in_namespace && any) {
		finding->state = UH_FINDING_ABSENT;
		uh_text_string(&finding->why, "they belong to a user namespace (a container "
					      "without privileges): the kernel's checks for "
					      "counters do not accept them");
		uh_text_string(&finding->todo, "Run unhalted outside the container.");
		return;
	}
	if (all)
		return;
	uh_text_string(&finding->why, "missing: ");
	list_capabilities(has, false, &finding->why);
	uh_text_string(&finding->todo, "Run unhalted as root where these are wanted.");
}

/* ---- file descriptors ---- */

/* What one processor's share of the largest page of unhalted stat takes: the events of -ddd. */
#define DESCRIPTORS_A_PROCESSOR 32

static bool soft_limit(struct uh_machine *machine, uint64_t *limit)
{
	struct uh_text text = {0};
	char word[32];
	bool found = false;
	if (!uh_file_read(machine->root, "proc/self/limits", PROC_LIMIT, &text)) {
		const char *line = line_of(text.data, "Max open files");
		if (line && copy_word(line, word, sizeof(word))) {
			*limit = UINT64_MAX;
			found = !strcmp(word, "unlimited") || uh_parse_u64(word, limit);
		}
	}
	uh_text_free(&text);
	return found;
}

void uh_doctor_descriptors(struct uh_doctor *doctor)
{
	uint64_t limit;
	struct uh_index_list online = {0};
	if (!soft_limit(doctor->machine, &limit)) {
		struct uh_finding *finding =
		    uh_finding_new(doctor, "descriptors", UH_FINDING_LIMITED);
		uh_text_string(&finding->what, "how many files may be open is not known");
		uh_text_string(&finding->why, "/proc/self/limits does not say");
		return;
	}
	uint64_t processors = uh_machine_online(doctor->machine, &online, NULL) ? 1 : online.count;
	uh_index_list_free(&online);
	uint64_t wanted = processors * DESCRIPTORS_A_PROCESSOR;
	struct uh_finding *finding = uh_finding_new(
	    doctor, "descriptors", limit < wanted ? UH_FINDING_LIMITED : UH_FINDING_OK);
	if (limit == UINT64_MAX)
		uh_text_string(&finding->what, "any number of files may be open");
	else
		uh_text_format(&finding->what, "%llu files may be open", (unsigned long long)limit);
	if (finding->state == UH_FINDING_OK)
		return;
	uh_text_format(&finding->why,
		       "each event takes one on each of the %llu processors; unhalted stat -a -ddd "
		       "wants %llu",
		       (unsigned long long)processors, (unsigned long long)wanted);
	uh_text_format(&finding->todo, "Before unhalted: ulimit -n %llu",
		       (unsigned long long)wanted);
}

/* ---- the NMI watchdog ---- */

void uh_doctor_watchdog(struct uh_doctor *doctor)
{
	int64_t on;
	int code = uh_file_number(doctor->machine->root, "proc/sys/kernel/nmi_watchdog", &on);
	bool takes = !code && on && !doctor->lacks_pmu;
	struct uh_finding *finding =
	    uh_finding_new(doctor, "watchdog", takes ? UH_FINDING_LIMITED : UH_FINDING_OK);
	if (code == -ENOENT)
		uh_text_string(&finding->what, "this kernel has no NMI watchdog");
	else if (code)
		uh_text_format(&finding->what, "/proc/sys/kernel/nmi_watchdog is not readable: %s",
			       strerror(-code));
	else if (!on)
		uh_text_string(&finding->what, "off: it takes no counter");
	else if (!takes)
		uh_text_string(&finding->what, "on, but there is no counter that it could take");
	else
		uh_text_string(&finding->what,
			       "on: it holds one counter (cycles) of each processor");
	if (code && code != -ENOENT)
		finding->state = UH_FINDING_LIMITED;
	if (!takes)
		return;
	uh_text_string(&finding->why, "/proc/sys/kernel/nmi_watchdog is 1; a group that needs all "
				      "counters will not be counted");
	uh_text_string(&finding->todo, "As root, while measuring: sysctl kernel.nmi_watchdog=0");
}
