/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the doctor share: facts gathered once, and the checks made of them. */
#ifndef UH_COUNT_DOCTOR_OWN_H
#define UH_COUNT_DOCTOR_OWN_H

#include "count/doctor.h"
#include "count/source.h"
#include "machine/identity.h"

/* The privileges that matter here, each by its bit in CapEff. */
struct uh_privileges {
	bool known;        /* proc/self/status could be read */
	bool in_namespace; /* inside a user namespace: the kernel's checks do not count them */
	bool perfmon, sys_admin, sys_rawio, sys_ptrace;
};

struct uh_doctor {
	struct uh_machine *machine;
	const struct uh_emulation_facts *emulation; /* NULL: not known */
	struct uh_diagnosis *diagnosis;
	struct uh_identity identity;
	struct uh_privileges privileges;
	bool may_all; /* CAP_PERFMON or CAP_SYS_ADMIN, and the kernel counts it */
	int paranoid;
	bool lacks_pmu;
	char lacks[160]; /* why, when lacks_pmu */
	/* What the checks found, for the summary. */
	bool counts_software, counts_core, counts_uncore, reads_tracepoints;
	struct uh_text other; /* PMUs that opened: "msr, power" */
	size_t others;
};

/* A new finding with empty texts. */
struct uh_finding *uh_finding_new(struct uh_doctor *doctor, const char *topic,
				  enum uh_finding_state state);

void uh_privileges_read(struct uh_machine *machine, struct uh_privileges *privileges);

/*
 * Opens the event `text` disabled, on this thread or, when its PMU asks for it, on a
 * processor. Returns a descriptor to close, or a negative errno with the reason in `state`.
 */
int uh_doctor_open(struct uh_doctor *doctor, const char *text, struct uh_event_state *state);

/* As uh_doctor_open, closed at once: 0, or a negative errno. */
int uh_doctor_try(struct uh_doctor *doctor, const char *text, struct uh_event_state *state);

/*
 * Says in `why` why an event did not open. What to do about a missing permission is the
 * finding of uh_doctor_permission() alone, and said there once.
 */
void uh_finding_because(struct uh_doctor *doctor, struct uh_finding *finding,
			const struct uh_event_state *state);

/* The checks; each adds one finding, or several where its name says so. */
void uh_doctor_processor(struct uh_doctor *doctor);
void uh_doctor_hypervisor(struct uh_doctor *doctor);
void uh_doctor_contradictions(struct uh_doctor *doctor);
void uh_doctor_pmu(struct uh_doctor *doctor);
void uh_doctor_watchdog(struct uh_doctor *doctor);
void uh_doctor_rdpmc(struct uh_doctor *doctor);
void uh_doctor_software(struct uh_doctor *doctor);
void uh_doctor_other_pmus(struct uh_doctor *doctor); /* uncore, and all others */
void uh_doctor_tracepoints(struct uh_doctor *doctor);
void uh_doctor_permission(struct uh_doctor *doctor);
void uh_doctor_capabilities(struct uh_doctor *doctor);
void uh_doctor_descriptors(struct uh_doctor *doctor);
void uh_doctor_lockdown(struct uh_doctor *doctor);
void uh_doctor_msr(struct uh_doctor *doctor);
void uh_doctor_emulation(struct uh_doctor *doctor);

#endif
