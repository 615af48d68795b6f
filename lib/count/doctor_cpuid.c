/* SPDX-License-Identifier: BSD-3-Clause */
/* What CPUID says, who says it, and where it cannot be true. */
#include <string.h>

#include "count/doctor_own.h"

void uh_doctor_processor(struct uh_doctor *doctor)
{
	const struct uh_identity *identity = &doctor->identity;
	struct uh_finding *finding = uh_finding_new(
	    doctor, "processor", identity->known ? UH_FINDING_OK : UH_FINDING_LIMITED);
	if (!identity->known) {
		uh_text_string(&finding->what, "not known");
		uh_text_string(&finding->why, "this architecture, or this recording, has no CPUID");
		return;
	}
	uh_text_format(&finding->what, "%s (%s family %u model %u stepping %u)",
		       identity->brand[0] ? identity->brand : "without a name", identity->vendor,
		       identity->family, identity->model, identity->stepping);
	if (identity->tsc_hz)
		uh_text_format(&finding->what, ", time stamp counter at %.3f GHz",
			       (double)identity->tsc_hz * 1e-9);
}

void uh_doctor_hypervisor(struct uh_doctor *doctor)
{
	const struct uh_identity *identity = &doctor->identity;
	if (!identity->known)
		return;
	bool guest = identity->hypervisor || identity->hypervisor_leaf;
	struct uh_finding *finding =
	    uh_finding_new(doctor, "hypervisor", guest ? UH_FINDING_LIMITED : UH_FINDING_OK);
	if (!guest) {
		uh_text_string(&finding->what, "none: this is the bare machine");
		return;
	}
	if (identity->hypervisor_name)
		uh_text_format(&finding->what, "this is a guest of %s", identity->hypervisor_name);
	else if (identity->hypervisor_leaf)
		uh_text_format(&finding->what, "this is a guest of a hypervisor that signs \"%s\"",
			       identity->hypervisor_signature);
	else
		uh_text_string(&finding->what,
			       "this is a guest of a hypervisor that does not say its name");
	uh_text_string(&finding->why, "it chose the processor's name and number: they decide "
				      "nothing here");
}

/* ---- contradictions ---- */

static bool is_vendor(const struct uh_doctor *doctor, const char *vendor)
{
	return !strcmp(doctor->identity.vendor, vendor);
}

/* The brand names the one maker, the vendor is the other. */
static bool two_makers(const struct uh_doctor *doctor)
{
	const char *brand = doctor->identity.brand;
	return (is_vendor(doctor, "AuthenticAMD") && strstr(brand, "Intel")) ||
	       (is_vendor(doctor, "GenuineIntel") && strstr(brand, "AMD"));
}

static struct uh_finding *contradiction(struct uh_doctor *doctor, const char *what)
{
	struct uh_finding *finding = uh_finding_new(doctor, "cpuid", UH_FINDING_LIMITED);
	uh_text_string(&finding->what, what);
	return finding;
}

static void check_pmu_leaf(struct uh_doctor *doctor)
{
	static const char leaf[] = "leaf 0xA contradicts itself";
	const struct uh_identity_pmu *pmu = &doctor->identity.pmu;
	if (pmu->version && pmu->counters && (!pmu->width || pmu->width > 64))
		uh_text_format(&contradiction(doctor, leaf)->why, "%u counters of %u bits",
			       pmu->counters, pmu->width);
	if (pmu->version >= 2 && !pmu->fixed)
		uh_text_format(&contradiction(doctor, leaf)->why,
			       "version %u has fixed counters, but their number is 0",
			       pmu->version);
	if (pmu->known && !pmu->counters && doctor->identity.pdcm)
		uh_text_format(
		    &contradiction(doctor, "leaves 1 and 0xA contradict each other")->why,
		    "PDCM is set, so IA32_PERF_CAPABILITIES exists, but leaf 0xA has "
		    "version %u and no counter",
		    pmu->version);
}

static void check_identity(struct uh_doctor *doctor)
{
	const struct uh_identity *identity = &doctor->identity;
	if (is_vendor(doctor, "AuthenticAMD") && identity->pmu.version)
		uh_text_format(
		    &contradiction(doctor, "leaves 0 and 0xA contradict each other")->why,
		    "the vendor is AMD, whose processors leave leaf 0xA empty, but it "
		    "says version %u",
		    identity->pmu.version);
	if (two_makers(doctor))
		uh_text_format(&contradiction(doctor, "the name contradicts the vendor")->why,
			       "\"%s\" with the vendor %s", identity->brand, identity->vendor);
	if (identity->hypervisor_leaf && !identity->hypervisor)
		uh_text_format(
		    &contradiction(doctor, "the hypervisor hides itself by halves")->why,
		    "leaf 0x40000000 says \"%s\", but the hypervisor bit of leaf 1 is clear",
		    identity->hypervisor_signature);
}

static void check_kernel(struct uh_doctor *doctor)
{
	const struct uh_identity_pmu *pmu = &doctor->identity.pmu;
	if (!pmu->version || !doctor->lacks_pmu)
		return;
	uh_text_format(&contradiction(doctor, "CPUID and the kernel contradict each other")->why,
		       "leaf 0xA says version %u with %u counters, but the kernel has no core PMU; "
		       "the kernel is believed",
		       pmu->version, pmu->counters);
}

void uh_doctor_contradictions(struct uh_doctor *doctor)
{
	if (!doctor->identity.known)
		return;
	size_t before = doctor->diagnosis->count;
	check_pmu_leaf(doctor);
	check_identity(doctor);
	check_kernel(doctor);
	if (doctor->diagnosis->count > before)
		return;
	struct uh_finding *finding = uh_finding_new(doctor, "cpuid", UH_FINDING_OK);
	uh_text_string(&finding->what, "agrees with itself and with the kernel");
}
