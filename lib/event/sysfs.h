/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's own description of its PMUs: sys/bus/event_source/devices/PMU
 * with type, format/TERM ("config:0-7,21"), events/ALIAS ("event=0x3c,umask=0"),
 * ALIAS.scale, ALIAS.unit, cpumask and cpus.
 */
#ifndef UH_EVENT_SYSFS_H
#define UH_EVENT_SYSFS_H

#include "base/nearest.h"
#include "event/event.h"

#define UH_PMU_NAME 64

/* Whether the kernel offers a PMU of that name. */
bool uh_pmu_exists(struct uh_machine *machine, const char *pmu);

/*
 * Encodes "TERM[=VALUE],..." for a PMU. A term without a value is an alias if the PMU
 * has one of that name, otherwise a format field set to 1. `config`, `config1`
 * and `config2` set a whole word, `name=` changes what is printed, `period` and `freq` are
 * refused: counting has none. -ENOENT for an unknown PMU or term, with the nearest.
 */
int uh_pmu_encode(struct uh_event_list *list, struct uh_machine *machine, const char *pmu,
		  const char *terms, struct uh_event *event, struct uh_error *error);

/*
 * Looks for `alias` among the events of the core's PMU(s) (cpu, cpu_core), case ignored.
 * Returns 0, -ENOENT, or another negative errno.
 */
int uh_pmu_core_alias(struct uh_event_list *list, struct uh_machine *machine, const char *alias,
		      struct uh_event *event, struct uh_error *error);

/* Offers the names of all aliases of the core's PMU. */
void uh_pmu_nearest(struct uh_machine *machine, const char *wanted, struct uh_nearest *nearest);

/* Places the bits of `value`, lowest first, where a format says ("config:0-7,21").
 * Returns -EINVAL for a bad format, -ERANGE when the value does not fit. */
int uh_format_place(const char *format, uint64_t value, struct perf_event_attr *attr);

#endif
