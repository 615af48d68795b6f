/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine: what topology, identity and counters belong to. All access of the
 * library to the outside goes through one of these.
 */
#ifndef UNHALTED_MACHINE_H
#define UNHALTED_MACHINE_H

#include "unhalted/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct uh_machine;

/* The machine that the program runs on. Owner frees with uh_machine_free(). */
int uh_machine_open(struct uh_machine **machine, struct uh_error *error);

/*
 * A machine whose /sys and /proc are the files below the directory `root`. It
 * has no counters: opening an event on it fails with -ENODEV.
 */
int uh_machine_open_recorded(const char *root, struct uh_machine **machine, struct uh_error *error);

/* NULL is allowed. */
void uh_machine_free(struct uh_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
