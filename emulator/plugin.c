/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plugin that QEMU's user mode loads: it translates blocks into what is to
 * be counted and follows the program through threads, forks and execs.
 * Arguments: watcher=PID, fd=NUMBER (the shared file, as the watcher has it
 * open), qemu=PATH.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "emulator/blocks.h"
#include "emulator/count.h"
#include "emulator/decode.h"
#include "emulator/follow.h"
#include "emulator/qemu.h"
#include "emulator/region.h"
#include "emulator/repeat.h"
#include "emulator/stream.h"
#include "machine/emulated_predictor.h"

UH_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc,
				  char **argv);

static unsigned int mode;

static void append_instruction(struct uh_block *block, struct qemu_plugin_insn *insn,
			       struct uh_repeat *repeat)
{
	uint8_t bytes[UH_INSTRUCTION_BYTES];
	struct uh_instruction decoded;
	size_t size = uh_qemu_instruction_bytes(insn, bytes, sizeof(bytes));

	/* What cannot be decoded raises an exception: it has no accesses to count. */
	uint64_t address = qemu_plugin_insn_vaddr(insn);
	(void)uh_decode(bytes, size, address, &decoded);
	uh_block_append(block, address, size, &decoded);
	if (mode == UH_EMULATION_STREAM && uh_attachment.shared->accesses)
		uh_stream_instruction(insn, &decoded);
	else if (decoded.repeat)
		*repeat = (struct uh_repeat){.insn = insn, .compares = decoded.compares};
}

/*
 * The program's path, from the emulator's own arguments: it follows `-0 NAME`
 * (uh_launch_build() puts it there). To be freed; NULL when it is not found.
 */
static char *program_argument(void)
{
	FILE *arguments = fopen("/proc/self/cmdline", "re");
	char *word = NULL;
	size_t size = 0;
	int left = -1; /* words until the path */
	if (!arguments)
		return NULL;
	while (left != 0 && getdelim(&word, &size, '\0', arguments) > 0) {
		if (left > 0)
			left--;
		else if (!strcmp(word, "-0"))
			left = 2;
	}
	(void)fclose(arguments);
	if (left == 0)
		return word;
	free(word);
	return NULL;
}

/* Has the process bear the program's name, as it would without the emulator. */
static void name_process(void)
{
	char *path = program_argument();
	if (!path)
		return;
	const char *base = strrchr(path, '/');
	struct uh_region *region = uh_attachment.region;
	(void)snprintf(region->program, sizeof(region->program), "%s", path);
	(void)prctl(PR_SET_NAME, base ? base + 1 : path);
	uh_follow_program(path);
	free(path);
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	struct uh_block content = {0};
	struct uh_repeat repeat = {0};
	size_t count = qemu_plugin_tb_n_insns(tb);

	for (size_t i = 0; i < count; i++)
		append_instruction(&content, qemu_plugin_tb_get_insn(tb, i), &repeat);
	if (mode == UH_EMULATION_STREAM)
		uh_stream_accesses();
	content.branch_hash = uh_direction_hash(content.last);
	const struct uh_block *block = uh_block_intern(&content);
	if (repeat.insn && (!block || mode == UH_EMULATION_SEQUENCE))
		uh_repeat_watch(repeat.insn);
	if (!block)
		uh_count_beyond(tb, &content, mode);
	else if (mode == UH_EMULATION_STREAM)
		uh_stream_block(tb, block);
	else if (mode == UH_EMULATION_SEQUENCE)
		uh_count_sequence(tb, block);
	else
		uh_count_block(tb, block, &repeat);
}

static void on_thread(uint64_t id, unsigned int vcpu)
{
	(void)id;
	static bool first = true;
	if (!first)
		uh_count_parallel();
	uh_lane_take(vcpu);
	if (first)
		uh_lane_name(uh_lanes[vcpu]);
	first = false;
}

static void on_thread_end(uint64_t id, unsigned int vcpu)
{
	(void)id;
	uh_lane_end(vcpu);
}

/* Copies a path into an option of QEMU's, where commas are doubled. */
static char *escape(char *out, const char *end, const char *path)
{
	for (; *path && out + 2 < end; path++) {
		*out++ = *path;
		if (*path == ',')
			*out++ = ',';
	}
	*out = '\0';
	return *path ? NULL : out;
}

/* The option that will load this plugin again, after an exec. */
static const char *own_option(const char *qemu, long watcher, long descriptor)
{
	static char option[16384];
	const char *end = option + sizeof(option);
	Dl_info self;
	if (!dladdr((void *)own_option, &self))
		return NULL;
	char *out = escape(option, end, self.dli_fname);
	if (!out || end - out < 64)
		return NULL;
	out += sprintf(out, ",watcher=%ld,fd=%ld,qemu=", watcher, descriptor);
	return escape(out, end, qemu) ? option : NULL;
}

static void on_exit_of_process(uint64_t id, void *data)
{
	(void)id;
	(void)data;
	atomic_store(&uh_attachment.region->exiting, 1);
	uh_ring_doorbell();
}

static bool read_arguments(int argc, char **argv, long *watcher, long *descriptor)
{
	const char *qemu = NULL;
	*watcher = *descriptor = -1;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "watcher=", 8))
			*watcher = strtol(argv[i] + 8, NULL, 10);
		else if (!strncmp(argv[i], "fd=", 3))
			*descriptor = strtol(argv[i] + 3, NULL, 10);
		else if (!strncmp(argv[i], "qemu=", 5))
			qemu = argv[i] + 5;
	}
	const char *option = qemu ? own_option(qemu, *watcher, *descriptor) : NULL;
	if (option)
		uh_follow_emulator(qemu, option);
	return *watcher > 0 && *descriptor >= 0 && option;
}

int qemu_plugin_install(uint64_t id, const struct qemu_plugin_info *info, int argc, char **argv)
{
	long watcher, descriptor;
	if (info->system_emulation || strcmp(info->target_name, "x86_64") != 0 ||
	    info->version.cur > UH_QEMU_NEWEST_KNOWN)
		return -1;
	if (!read_arguments(argc, argv, &watcher, &descriptor))
		return -1;
	uh_qemu_speak(info->version.cur);
	if (uh_attach((pid_t)watcher, (int)descriptor))
		return 0; /* uncounted, but it runs; the watcher misses our sign of life */
	mode = uh_attachment.shared->mode;
	name_process();
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_vcpu_init_cb(id, on_thread);
	qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
	qemu_plugin_register_atexit_cb(id, on_exit_of_process, NULL);
	uh_follow_register(id);
	atomic_store(&uh_attachment.shared->installed, (uint32_t)info->version.cur);
	return 0;
}
