/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulation_facts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/emulated.h"
#include "machine/emulated_own.h"

/*
 * The text that --version prints is in the file as it stands. Reading it there
 * spares the doctor from running what it found.
 */
static void copy_version(const char *content, size_t size, char *version, size_t room)
{
	static const char mark[] = "qemu-x86_64 version ";
	const char *found = memmem(content, size, mark, sizeof(mark) - 1);
	if (!found)
		return;
	found += strlen("qemu-x86_64 ");
	size_t left = size - (size_t)(found - content);
	size_t length = 0;
	while (length < left && length < room - 1 && found[length] >= ' ' && found[length] <= '~')
		length++;
	(void)snprintf(version, room, "%.*s", (int)length, found);
}

static void read_version(const char *path, char *version, size_t room)
{
	struct stat status;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return;
	if (!fstat(descriptor, &status) && status.st_size > 0) {
		size_t size = (size_t)status.st_size;
		void *content = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
		if (content != MAP_FAILED) {
			copy_version(content, size, version, room);
			(void)munmap(content, size);
		}
	}
	(void)close(descriptor);
}

void uh_emulation_facts_find(struct uh_emulation_facts *facts)
{
	struct uh_emulated_options options;
	struct uh_emulated *emulated = NULL;
	memset(facts, 0, sizeof(*facts));
	uh_emulated_options_default(&options);
	facts->available = !uh_emulated_new(&options, &emulated, &facts->reason);
	if (!facts->available)
		return;
	(void)snprintf(facts->qemu, sizeof(facts->qemu), "%s", emulated->qemu);
	(void)snprintf(facts->plugin, sizeof(facts->plugin), "%s", emulated->plugin);
	uh_emulated_free(emulated);
	read_version(facts->qemu, facts->version, sizeof(facts->version));
}
