/* SPDX-License-Identifier: BSD-3-Clause */
/* Whom a session counts: tasks, processors and control groups, by what users type. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "count/session.h"
#include "machine/topology.h"

void uh_thread_name(struct uh_machine *machine, pid_t thread, char name[32])
{
	char path[48];
	(void)snprintf(path, sizeof(path), "proc/%d/comm", (int)thread);
	if (uh_file_line(machine->root, path, name, 32))
		(void)snprintf(name, 32, "?");
}

static int append_sorted(struct uh_index_list *list, int item)
{
	if (uh_index_list_contains(list, item))
		return 0;
	int status = uh_index_list_append(list, item);
	for (size_t i = list->count; !status && i > 1 && list->items[i - 2] > list->items[i - 1];
	     i--) {
		int other = list->items[i - 2];
		list->items[i - 2] = list->items[i - 1];
		list->items[i - 1] = other;
	}
	return status;
}

static int add_process(struct uh_machine *machine, int process, struct uh_index_list *tasks,
		       struct uh_error *error)
{
	char path[48];
	(void)snprintf(path, sizeof(path), "proc/%d/task", process);
	int descriptor = openat(machine->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = descriptor < 0 ? NULL : fdopendir(descriptor);
	if (!stream) {
		int code = -errno;
		if (descriptor >= 0)
			close(descriptor);
		if (code == -ENOENT)
			return uh_fail(error, -ESRCH, "there is no process %d (any more)", process);
		return uh_fail_errno(error, code, "cannot list the threads of process %d", process);
	}
	int status = 0;
	for (struct dirent *entry; !status && (entry = readdir(stream));) {
		uint64_t thread;
		if (uh_parse_u64(entry->d_name, &thread) && thread < UH_INDEX_LIMIT)
			status = append_sorted(tasks, (int)thread);
	}
	closedir(stream);
	return status ? uh_fail_memory(error) : 0;
}

static int add_thread(struct uh_machine *machine, int thread, struct uh_index_list *tasks,
		      struct uh_error *error)
{
	char path[48];
	(void)snprintf(path, sizeof(path), "proc/%d", thread);
	if (faccessat(machine->root, path, F_OK, 0))
		return uh_fail(error, -ESRCH, "there is no thread %d (any more)", thread);
	return append_sorted(tasks, thread) ? uh_fail_memory(error) : 0;
}

static int add_tasks(struct uh_machine *machine, const char *text, bool whole,
		     struct uh_index_list *tasks, struct uh_error *error)
{
	char *copy = strdup(text);
	char *rest = copy;
	int status = copy ? 0 : uh_fail_memory(error);
	while (!status && rest) {
		char *one = strsep(&rest, ",");
		uint64_t number;
		if (!uh_parse_u64(one, &number) || !number || number >= UH_INDEX_LIMIT)
			status = uh_fail(error, -EINVAL, "\"%s\" is not the number of a %s", one,
					 whole ? "process" : "thread");
		else
			status = whole ? add_process(machine, (int)number, tasks, error)
				       : add_thread(machine, (int)number, tasks, error);
	}
	free(copy);
	return status;
}

int uh_session_find_tasks(struct uh_machine *machine, const char *processes, const char *threads,
			  struct uh_index_list *tasks, struct uh_error *error)
{
	int status = 0;
	if (processes)
		status = add_tasks(machine, processes, true, tasks, error);
	if (threads && !status)
		status = add_tasks(machine, threads, false, tasks, error);
	return status;
}

int uh_session_find_cpus(struct uh_machine *machine, const char *cpus, struct uh_index_list *list,
			 struct uh_error *error)
{
	struct uh_index_list online = {0};
	int status = uh_machine_online(machine, &online, error);
	if (status)
		return status;
	if (!cpus) {
		*list = online;
		return 0;
	}
	status = uh_index_list_parse(cpus, list);
	if (status)
		(void)uh_fail(error, status, "\"%s\" is not a list of processors such as 0-3,8",
			      cpus);
	else if (!list->count)
		status = uh_fail(error, -EINVAL, "the list of processors is empty");
	for (size_t i = 0; !status && i < list->count; i++)
		if (!uh_index_list_contains(&online, list->items[i]))
			status = uh_fail(
			    error, -ENODEV, "processor %d is not online (online: %d to %d)",
			    list->items[i], online.items[0], online.items[online.count - 1]);
	uh_index_list_free(&online);
	return status;
}

static const char *const cgroup_roots[] = {"sys/fs/cgroup", "sys/fs/cgroup/perf_event"};

static int open_cgroup(struct uh_machine *machine, const char *name, struct uh_error *error)
{
	if (!*name)
		return -1;
	int code = -ENOENT;
	for (size_t i = 0; i < sizeof(cgroup_roots) / sizeof(cgroup_roots[0]); i++) {
		char path[512];
		int length = snprintf(path, sizeof(path), "%s/%s", cgroup_roots[i], name);
		if (length < 0 || (size_t)length >= sizeof(path))
			return uh_fail(error, -ENAMETOOLONG,
				       "the control group's name is too long");
		int descriptor = openat(machine->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (descriptor >= 0)
			return descriptor;
		code = -errno;
	}
	return uh_fail_errno(error, code, "cannot open the control group %s below /sys/fs/cgroup",
			     name);
}

int uh_session_open_cgroups(struct uh_machine *machine, const char *names, int **descriptors,
			    size_t *count, struct uh_error *error)
{
	char *copy = strdup(names);
	char *rest = copy;
	int *list = NULL;
	size_t used = 0;
	int status = copy ? 0 : uh_fail_memory(error);
	while (!status && rest) {
		char *name = strsep(&rest, ",");
		int *larger = realloc(list, (used + 1) * sizeof(*list));
		if (!larger) {
			status = uh_fail_memory(error);
			break;
		}
		list = larger;
		int descriptor = open_cgroup(machine, name, error);
		if (descriptor < -1 || (descriptor == -1 && *name))
			status = descriptor;
		else
			list[used++] = descriptor;
	}
	free(copy);
	*descriptors = list;
	*count = used;
	return status;
}
