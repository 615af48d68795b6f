/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/topology.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"

#define LIST_BYTES 65536

static int read_list(struct uh_machine *machine, const char *path, struct uh_index_list *list)
{
	struct uh_text text = {0};
	int status = uh_file_read(machine->root, path, LIST_BYTES, &text);
	if (!status)
		status = uh_index_list_parse(text.data, list);
	uh_text_free(&text);
	return status;
}

int uh_machine_online(struct uh_machine *machine, struct uh_index_list *cpus,
		      struct uh_error *error)
{
	static const char path[] = "sys/devices/system/cpu/online";
	int status = read_list(machine, path, cpus);
	if (status)
		return uh_fail_errno(error, status, "cannot read the online processors from /%s",
				     path);
	if (!cpus->count)
		return uh_fail(error, -ENODEV, "/%s names no processor", path);
	return 0;
}

/* Older kernels and other architectures lack some of these files; containers
 * may hide all: the number is then 0, which puts everything in one place. */
static int topology_number(struct uh_machine *machine, int cpu, const char *name)
{
	char path[96];
	int64_t value;
	(void)snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/%s", cpu, name);
	if (uh_file_number(machine->root, path, &value) || value < 0 || value > UH_INDEX_LIMIT)
		return 0;
	return (int)value;
}

static void assign_nodes(struct uh_machine *machine, struct uh_topology *topology)
{
	struct uh_index_list nodes = {0};
	if (read_list(machine, "sys/devices/system/node/online", &nodes))
		return;
	for (size_t i = 0; i < nodes.count; i++) {
		char path[96];
		struct uh_index_list cpus = {0};
		(void)snprintf(path, sizeof(path), "sys/devices/system/node/node%d/cpulist",
			       nodes.items[i]);
		if (read_list(machine, path, &cpus))
			continue;
		for (size_t j = 0; j < topology->count; j++)
			if (uh_index_list_contains(&cpus, topology->processors[j].cpu))
				topology->processors[j].node = nodes.items[i];
		uh_index_list_free(&cpus);
	}
	uh_index_list_free(&nodes);
}

int uh_topology_read(struct uh_machine *machine, const struct uh_index_list *cpus,
		     struct uh_topology *topology, struct uh_error *error)
{
	*topology = (struct uh_topology){0};
	topology->processors = calloc(cpus->count ? cpus->count : 1, sizeof(struct uh_processor));
	if (!topology->processors)
		return uh_fail_memory(error);
	topology->count = cpus->count;
	for (size_t i = 0; i < cpus->count; i++) {
		int cpu = cpus->items[i];
		topology->processors[i] = (struct uh_processor){
		    .cpu = cpu,
		    .core = topology_number(machine, cpu, "core_id"),
		    .die = topology_number(machine, cpu, "die_id"),
		    .socket = topology_number(machine, cpu, "physical_package_id"),
		};
	}
	assign_nodes(machine, topology);
	return 0;
}

void uh_topology_free(struct uh_topology *topology)
{
	free(topology->processors);
	*topology = (struct uh_topology){0};
}

const struct uh_processor *uh_topology_find(const struct uh_topology *topology, int cpu)
{
	for (size_t i = 0; i < topology->count; i++)
		if (topology->processors[i].cpu == cpu)
			return &topology->processors[i];
	return NULL;
}
