/* SPDX-License-Identifier: BSD-3-Clause */
/* Where each logical processor sits, from the kernel's topology files. */
#ifndef UH_MACHINE_TOPOLOGY_H
#define UH_MACHINE_TOPOLOGY_H

#include <stddef.h>

#include "base/index_list.h"
#include "machine/machine.h"

/* Numbers as the kernel gives them: a core's is unique within its socket only,
 * a die's too. What a kernel does not say is 0. */
struct uh_processor {
	int cpu;
	int core;
	int die;
	int socket;
	int node;
};

/* Sorted by cpu. Free with uh_topology_free(). */
struct uh_topology {
	struct uh_processor *processors;
	size_t count;
};

/* The online logical processors, sys/devices/system/cpu/online. */
int uh_machine_online(struct uh_machine *machine, struct uh_index_list *cpus,
		      struct uh_error *error);

/* Topology of the processors in `cpus`. */
int uh_topology_read(struct uh_machine *machine, const struct uh_index_list *cpus,
		     struct uh_topology *topology, struct uh_error *error);
void uh_topology_free(struct uh_topology *topology);

/* NULL when the processor is not in the topology. */
const struct uh_processor *uh_topology_find(const struct uh_topology *topology, int cpu);

#endif
