/* SPDX-License-Identifier: BSD-3-Clause */
#include "emulator/qemu.h"

#include <dlfcn.h>
#include <string.h>

/* QEMU reads this after dlopen: by then the constructor below has run. */
extern UH_EXPORT int qemu_plugin_version;
int qemu_plugin_version = 1;

static int spoken;

/*
 * QEMU refuses a plugin whose version is outside its own range, and the ranges
 * of old and new QEMUs do not meet. So the version follows from what the QEMU
 * that is loading us offers.
 */
__attribute__((constructor)) static void choose_version(void)
{
	static const struct {
		const char *symbol;
		int version;
	} marks[] = {
	    {"qemu_plugin_set_pc", 6},
	    {"qemu_plugin_write_memory_vaddr", 5},
	    {"qemu_plugin_read_memory_vaddr", 4},
	    {"qemu_plugin_scoreboard_new", 2},
	};
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (dlsym(RTLD_DEFAULT, marks[i].symbol)) {
			qemu_plugin_version = marks[i].version;
			return;
		}
	}
}

void uh_qemu_speak(int version)
{
	spoken = version;
}

/* One symbol, two signatures: version 3 copies where the earlier ones return a pointer. */
size_t uh_qemu_instruction_bytes(const struct qemu_plugin_insn *insn, uint8_t *bytes, size_t size)
{
	typedef const void *pointing(const struct qemu_plugin_insn *);
	typedef size_t copying(const struct qemu_plugin_insn *, void *, size_t);
	static void *symbol;
	if (!symbol)
		symbol = dlsym(RTLD_DEFAULT, "qemu_plugin_insn_data");
	size_t length = qemu_plugin_insn_size(insn);
	if (!symbol)
		return 0;
	if (length > size)
		length = size;
	if (spoken >= 3)
		return ((copying *)symbol)(insn, bytes, length);
	memcpy(bytes, ((pointing *)symbol)(insn), length);
	return length;
}
