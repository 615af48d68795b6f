/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that need no look at the machine: the generic ones, Intel's architectural
 * ones, and what the emulated machine calls its quantities. */
#ifndef UH_EVENT_TABLES_H
#define UH_EVENT_TABLES_H

#include "base/nearest.h"
#include "event/event.h"

/* "emulated/QUANTITY/" names a quantity of the emulated machine directly. */
#define UH_QUANTITY_PREFIX "emulated/"

/* Looks `text` up in any case. Returns 0, or -ENOENT. */
int uh_event_from_tables(const char *text, struct uh_event *event);

/* Quantities the emulated machine adds up for this name; 0 when it has none. */
uint64_t uh_event_quantities(const char *name);

/* Offers every name of the tables. */
void uh_event_tables_nearest(const char *wanted, struct uh_nearest *nearest);

#endif
