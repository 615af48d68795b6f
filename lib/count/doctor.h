/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The doctor: what can be counted on a machine, what not, why, and the one thing to do
 * about it. Only looks: nothing on the machine is changed, every event that is
 * opened to see whether it opens is closed again and never enabled.
 */
#ifndef UH_COUNT_DOCTOR_H
#define UH_COUNT_DOCTOR_H

#include <stddef.h>

#include "base/text.h"
#include "machine/emulation_facts.h"
#include "machine/machine.h"

enum uh_finding_state {
	UH_FINDING_OK,
	UH_FINDING_LIMITED, /* works, but not all of it */
	UH_FINDING_ABSENT,
};

/*
 * One thing looked at. `what` is never empty; `why` and `todo` may be. All three may
 * hold bytes from outside (names of PMUs, CPUID's texts), control bytes included.
 */
struct uh_finding {
	const char *topic; /* static, lower case, one word or with hyphens */
	enum uh_finding_state state;
	struct uh_text what; /* what is there, a clause */
	struct uh_text why;  /* what stands in the way and its present value */
	struct uh_text todo; /* the one thing to do, an imperative sentence */
};

#define UH_FINDINGS_MOST 32

/* Zero-initialise; free with uh_diagnosis_free(). */
struct uh_diagnosis {
	struct uh_text summary; /* one sentence */
	struct uh_finding findings[UH_FINDINGS_MOST];
	size_t count;
};

/*
 * Looks at the machine. `emulation` says whether programs can be emulated there; NULL:
 * not known, as for a recording from elsewhere, and then no finding says so. Returns
 * 0, or -ENOMEM; free the diagnosis in either case.
 */
int uh_doctor(struct uh_machine *machine, const struct uh_emulation_facts *emulation,
	      struct uh_diagnosis *diagnosis, struct uh_error *error);
void uh_diagnosis_free(struct uh_diagnosis *diagnosis);

/* The worst state among the findings. */
enum uh_finding_state uh_diagnosis_worst(const struct uh_diagnosis *diagnosis);

/* "ok", "limited" or "absent". */
const char *uh_finding_state_name(enum uh_finding_state state);

#endif
