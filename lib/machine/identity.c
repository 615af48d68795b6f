/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/identity.h"

#include <string.h>

#include "cpuid-events.h"
#include "hypervisors.h"

enum { EAX, EBX, ECX, EDX };

#define HYPERVISOR_BASE 0x40000000u
#define HYPERVISOR_STEP 0x100u /* a hypervisor that imitates another shows itself this much on */
#define EXTENDED_BASE 0x80000000u

struct hypervisor {
	const char *signature, *name, *remedy;
};

static const struct hypervisor hypervisors[] = {
#define X(signature, name, remedy) {signature, name, remedy},
    UH_HYPERVISORS_ROWS
#undef X
};

static const char *const event_names[] = {
#define X(bit, name) [(bit)] = (name),
    UH_CPUID_EVENTS_ROWS
#undef X
};
_Static_assert(sizeof(event_names) / sizeof(event_names[0]) == UH_CPUID_EVENTS, "one name a bit");

const char *uh_cpuid_event_name(unsigned bit)
{
	return event_names[bit];
}

/* Zeros where there is no such leaf. */
static bool leaf(struct uh_machine *machine, uint32_t number, uint32_t sub, uint32_t r[4])
{
	memset(r, 0, 4 * sizeof(r[0]));
	return !machine->calls->cpuid(machine, number, sub, r);
}

/* Blanks on both sides go; the zeros behind end the text anyway. */
static void trim(char *text)
{
	size_t blanks = strspn(text, " ");
	memmove(text, text + blanks, strlen(text + blanks) + 1);
	for (size_t length = strlen(text); length && text[length - 1] == ' '; length--)
		text[length - 1] = '\0';
}

static void read_signature(struct uh_machine *machine, struct uh_identity *identity)
{
	uint32_t r[4];
	leaf(machine, 1, 0, r);
	identity->stepping = r[EAX] & 0xf;
	identity->family = r[EAX] >> 8 & 0xf;
	identity->model = r[EAX] >> 4 & 0xf;
	if (identity->family == 6 || identity->family == 15)
		identity->model |= r[EAX] >> 12 & 0xf0;
	if (identity->family == 15)
		identity->family += r[EAX] >> 20 & 0xff;
	identity->pdcm = r[ECX] >> 15 & 1;
	identity->hypervisor = r[ECX] >> 31;
}

static void read_brand(struct uh_machine *machine, struct uh_identity *identity)
{
	uint32_t r[4];
	if (!leaf(machine, EXTENDED_BASE, 0, r) || r[EAX] < EXTENDED_BASE + 4)
		return;
	for (uint32_t i = 0; i < 3; i++) {
		leaf(machine, EXTENDED_BASE + 2 + i, 0, r);
		memcpy(identity->brand + 16 * (size_t)i, r, 16);
	}
	trim(identity->brand);
}

/*
 * A processor without a hypervisor may answer this leaf, too: Intel's then repeat the
 * highest basic one. A hypervisor's answer names a highest leaf near its own and a text.
 */
static bool hypervisor_leaf(struct uh_machine *machine, uint32_t base, char signature[13])
{
	uint32_t r[4];
	if (!leaf(machine, base, 0, r) || (r[EAX] && (r[EAX] < base || r[EAX] >= base + 0x10000)))
		return false;
	memcpy(signature, &r[EBX], 12);
	signature[12] = '\0';
	trim(signature);
	for (const char *c = signature; *c; c++)
		if (*c < 0x20 || *c > 0x7e)
			return false;
	return strlen(signature) >= 3;
}

static const struct hypervisor *find_hypervisor(const char *signature)
{
	for (size_t i = 0; i < sizeof(hypervisors) / sizeof(hypervisors[0]); i++)
		if (!strcmp(hypervisors[i].signature, signature))
			return &hypervisors[i];
	return NULL;
}

static void read_hypervisor(struct uh_machine *machine, struct uh_identity *identity)
{
	char behind[13];
	char *signature = identity->hypervisor_signature;
	identity->hypervisor_leaf = hypervisor_leaf(machine, HYPERVISOR_BASE, signature);
	if (!identity->hypervisor_leaf) {
		signature[0] = '\0';
		return;
	}
	/* KVM and others greet Windows guests as Hyper-V and say who they are behind that. */
	if (!strcmp(signature, "Microsoft Hv") &&
	    hypervisor_leaf(machine, HYPERVISOR_BASE + HYPERVISOR_STEP, behind) &&
	    find_hypervisor(behind))
		memcpy(signature, behind, sizeof(behind));
	const struct hypervisor *row = find_hypervisor(signature);
	identity->hypervisor_name = row ? row->name : NULL;
	identity->hypervisor_remedy = row ? row->remedy : NULL;
}

static unsigned ones(uint32_t set)
{
	return (unsigned)__builtin_popcount(set);
}

static void read_pmu(struct uh_machine *machine, struct uh_identity_pmu *pmu)
{
	uint32_t r[4];
	pmu->known = leaf(machine, 0xa, 0, r);
	pmu->version = r[EAX] & 0xff;
	pmu->counters = r[EAX] >> 8 & 0xff;
	pmu->width = r[EAX] >> 16 & 0xff;
	unsigned length = r[EAX] >> 24;
	uint32_t beyond = length >= UH_CPUID_EVENTS ? 0 : UINT32_MAX << length;
	if (pmu->version)
		pmu->missing = (r[EBX] | beyond) & ((1u << UH_CPUID_EVENTS) - 1);
	if (pmu->version >= 2) {
		pmu->fixed_contiguous = r[EDX] & 0x1f;
		pmu->fixed_width = r[EDX] >> 5 & 0xff;
		pmu->any_thread_deprecated = r[EDX] >> 15 & 1;
		uint32_t set = (1u << pmu->fixed_contiguous) - 1;
		pmu->fixed = ones(pmu->version >= 5 ? set | r[ECX] : set);
	}
	/* From version 6 on the counters may have holes, and leaf 0x23 has the say. */
	if (pmu->version >= 6 && leaf(machine, 0x23, 0, r) && (r[EAX] >> 1 & 1) &&
	    leaf(machine, 0x23, 1, r)) {
		pmu->counters = ones(r[EAX]);
		pmu->fixed = ones(r[EBX]);
	}
}

static void read_tsc(struct uh_machine *machine, struct uh_identity *identity)
{
	uint32_t r[4];
	if (leaf(machine, 0x15, 0, r) && r[EAX])
		identity->tsc_hz = (uint64_t)r[ECX] * r[EBX] / r[EAX];
}

void uh_identity_read(struct uh_machine *machine, struct uh_identity *identity)
{
	uint32_t r[4];
	*identity = (struct uh_identity){0};
	identity->known = leaf(machine, 0, 0, r);
	if (!identity->known)
		return;
	memcpy(identity->vendor, &r[EBX], 4);
	memcpy(identity->vendor + 4, &r[EDX], 4);
	memcpy(identity->vendor + 8, &r[ECX], 4);
	read_signature(machine, identity);
	read_brand(machine, identity);
	read_hypervisor(machine, identity);
	read_pmu(machine, &identity->pmu);
	read_tsc(machine, identity);
}
