/* SPDX-License-Identifier: BSD-3-Clause */
#include "count/doctor.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "count/doctor_own.h"
#include "count/explain.h"

struct uh_finding *uh_finding_new(struct uh_doctor *doctor, const char *topic,
				  enum uh_finding_state state)
{
	struct uh_diagnosis *diagnosis = doctor->diagnosis;
	/* The checks are a fixed list, and each adds a bounded number. */
	assert(diagnosis->count < UH_FINDINGS_MOST);
	struct uh_finding *finding = &diagnosis->findings[diagnosis->count++];
	finding->topic = topic;
	finding->state = state;
	uh_text_string(&finding->what, "");
	uh_text_string(&finding->why, "");
	uh_text_string(&finding->todo, "");
	return finding;
}

static int open_event(struct uh_doctor *doctor, struct uh_event *event,
		      struct uh_event_state *state)
{
	struct uh_machine *machine = doctor->machine;
	struct perf_event_attr attr = event->attr;
	bool wide = event->cpus.count > 0;
	attr.size = sizeof(attr);
	attr.disabled = 1;
	int descriptor = machine->calls->perf_event_open(machine, &attr, wide ? -1 : 0,
							 wide ? event->cpus.items[0] : -1, -1, 0);
	if (descriptor >= 0)
		return descriptor;
	struct uh_attempt attempt = {.event = event, .code = descriptor, .system_wide = wide};
	uh_explain_open(machine, &attempt, state);
	return descriptor;
}

int uh_doctor_open(struct uh_doctor *doctor, const char *text, struct uh_event_state *state)
{
	struct uh_error error = {0};
	struct uh_event_list *list = NULL;
	*state = (struct uh_event_state){.status = UH_COUNTED};
	int code = uh_event_list_parse(doctor->machine, text, &list, &error);
	if (code) {
		state->status = UH_NOT_SUPPORTED;
		(void)snprintf(state->reason, sizeof(state->reason), "%.*s", UH_REASON_SIZE - 1,
			       error.text);
		return code;
	}
	int descriptor = open_event(doctor, &list->events[0], state);
	uh_event_list_free(list);
	return descriptor;
}

int uh_doctor_try(struct uh_doctor *doctor, const char *text, struct uh_event_state *state)
{
	int descriptor = uh_doctor_open(doctor, text, state);
	if (descriptor < 0)
		return descriptor;
	(void)close(descriptor);
	return 0;
}

void uh_finding_because(struct uh_doctor *doctor, struct uh_finding *finding,
			const struct uh_event_state *state)
{
	if (state->status == UH_NOT_PERMITTED)
		uh_text_format(&finding->why,
			       "perf_event_paranoid is %d and CAP_PERFMON is missing",
			       doctor->paranoid);
	else
		uh_text_string(&finding->why, state->reason);
}

/* ---- emulation ---- */

void uh_doctor_emulation(struct uh_doctor *doctor)
{
	const struct uh_emulation_facts *facts = doctor->emulation;
	if (!facts)
		return;
	struct uh_finding *finding = uh_finding_new(
	    doctor, "emulation", facts->available ? UH_FINDING_OK : UH_FINDING_ABSENT);
	if (!facts->available) {
		uh_text_string(&finding->what, "programs cannot be emulated");
		uh_text_string(&finding->why, facts->reason.text);
		return;
	}
	uh_text_format(&finding->what, "%s, %s, with the plugin %s", facts->qemu,
		       facts->version[0] ? facts->version : "of a version its file does not say",
		       facts->plugin);
}

/* ---- the summary ---- */

static void add_part(struct uh_text *list, bool present, const char *part)
{
	if (!present)
		return;
	if (list->length)
		uh_text_string(list, ", ");
	uh_text_string(list, part);
}

static void kernel_part(const struct uh_doctor *doctor, struct uh_text *list)
{
	bool user_only = !doctor->may_all && doctor->paranoid >= 2;
	add_part(list, doctor->counts_core,
		 user_only ? "the processor's events in user mode" : "the processor's events");
	add_part(list, doctor->counts_software, "software events");
	add_part(list, doctor->counts_uncore, "uncore events");
	add_part(list, doctor->reads_tracepoints, "tracepoints");
	if (!doctor->other.length)
		return;
	add_part(list, true, doctor->others == 1 ? "the PMU " : "the PMUs ");
	uh_text_string(list, doctor->other.data);
}

static void summarise(struct uh_doctor *doctor)
{
	struct uh_text *summary = &doctor->diagnosis->summary;
	struct uh_text kernel = {0};
	bool emulates = doctor->emulation && doctor->emulation->available;
	kernel_part(doctor, &kernel);
	if (kernel.length)
		uh_text_format(summary, "Here unhalted counts: %s by the kernel", kernel.data);
	else
		uh_text_string(summary, "Here the kernel lets unhalted count nothing");
	if (emulates)
		uh_text_string(summary, doctor->counts_core
					    ? "; a program's own instructions by emulation, too"
					    : "; the processor's events of a program by emulation");
	else if (!doctor->counts_core && kernel.length)
		uh_text_string(summary, "; the processor's events not at all");
	uh_text_char(summary, '.');
	summary->failed = summary->failed || kernel.failed;
	uh_text_free(&kernel);
}

/* ---- all of it ---- */

static void (*const checks[])(struct uh_doctor *) = {
    uh_doctor_processor,   uh_doctor_hypervisor, uh_doctor_contradictions, uh_doctor_pmu,
    uh_doctor_watchdog,    uh_doctor_rdpmc,      uh_doctor_software,       uh_doctor_other_pmus,
    uh_doctor_tracepoints, uh_doctor_permission, uh_doctor_capabilities,   uh_doctor_descriptors,
    uh_doctor_lockdown,    uh_doctor_msr,        uh_doctor_emulation,
};

static bool text_failed(const struct uh_diagnosis *diagnosis)
{
	bool failed = diagnosis->summary.failed;
	for (size_t i = 0; i < diagnosis->count; i++) {
		const struct uh_finding *finding = &diagnosis->findings[i];
		failed |= finding->what.failed || finding->why.failed || finding->todo.failed;
	}
	return failed;
}

int uh_doctor(struct uh_machine *machine, const struct uh_emulation_facts *emulation,
	      struct uh_diagnosis *diagnosis, struct uh_error *error)
{
	struct uh_doctor doctor = {
	    .machine = machine, .emulation = emulation, .diagnosis = diagnosis};
	uh_identity_read(machine, &doctor.identity);
	uh_privileges_read(machine, &doctor.privileges);
	const struct uh_privileges *has = &doctor.privileges;
	doctor.may_all = !has->in_namespace && (has->perfmon || has->sys_admin);
	doctor.paranoid = uh_machine_paranoid(machine);
	doctor.lacks_pmu = uh_machine_lacks_pmu(machine, doctor.lacks, sizeof(doctor.lacks));
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++)
		checks[i](&doctor);
	summarise(&doctor);
	bool failed = text_failed(diagnosis) || doctor.other.failed;
	uh_text_free(&doctor.other);
	return failed ? uh_fail_memory(error) : 0;
}

void uh_diagnosis_free(struct uh_diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->count; i++) {
		uh_text_free(&diagnosis->findings[i].what);
		uh_text_free(&diagnosis->findings[i].why);
		uh_text_free(&diagnosis->findings[i].todo);
	}
	uh_text_free(&diagnosis->summary);
	diagnosis->count = 0;
}

enum uh_finding_state uh_diagnosis_worst(const struct uh_diagnosis *diagnosis)
{
	enum uh_finding_state worst = UH_FINDING_OK;
	for (size_t i = 0; i < diagnosis->count; i++)
		if (diagnosis->findings[i].state > worst)
			worst = diagnosis->findings[i].state;
	return worst;
}

const char *uh_finding_state_name(enum uh_finding_state state)
{
	static const char *const names[] = {
	    [UH_FINDING_OK] = "ok",
	    [UH_FINDING_LIMITED] = "limited",
	    [UH_FINDING_ABSENT] = "absent",
	};
	return names[state];
}
