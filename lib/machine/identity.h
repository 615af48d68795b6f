/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the processor says of itself through CPUID. In a guest a hypervisor answers
 * instead, and may say anything: family, model and brand are then no ground to choose
 * a table by. On hybrid parts it is the word of the processor that the caller runs on.
 */
#ifndef UH_MACHINE_IDENTITY_H
#define UH_MACHINE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

/* Leaf 0xA, and leaf 0x23 where the version is 6 or later. */
struct uh_identity_pmu {
	bool known;                /* the leaf exists; all else is 0 when it does not */
	unsigned version;          /* of architectural performance monitoring; 0: none */
	unsigned counters;         /* general ones of each logical processor */
	unsigned width;            /* of those, in bits */
	unsigned fixed;            /* number of fixed counters, by both ways to say it */
	unsigned fixed_contiguous; /* EDX 4:0 alone; 0 below version 2 */
	unsigned fixed_width;      /* in bits */
	uint32_t missing;          /* set of architectural events that are not available */
	bool any_thread_deprecated;
};

struct uh_identity {
	bool known;      /* CPUID answered; all else is 0 when it did not */
	char vendor[13]; /* as the processor wrote it: bytes from outside */
	char brand[49];
	unsigned family, model, stepping;
	bool pdcm;            /* IA32_PERF_CAPABILITIES exists */
	bool hypervisor;      /* leaf 1, ECX bit 31 */
	bool hypervisor_leaf; /* leaf 0x40000000 answers as a hypervisor's does */
	char hypervisor_signature[13];
	const char *hypervisor_name;   /* from data/hypervisors.tsv; NULL: not in it */
	const char *hypervisor_remedy; /* how it is told to give a guest a PMU; NULL */
	struct uh_identity_pmu pmu;
	uint64_t tsc_hz; /* leaf 0x15; 0: it does not say */
};

void uh_identity_read(struct uh_machine *machine, struct uh_identity *identity);

#define UH_CPUID_EVENTS 8

/* The name of an architectural event by its bit in `missing`, below UH_CPUID_EVENTS. */
const char *uh_cpuid_event_name(unsigned bit);

#endif
