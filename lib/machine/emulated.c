/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "config.h"
#include "machine/emulated_own.h"

#define PLUGIN_NAME "unhalted-qemu.so"

void uh_emulated_options_default(struct uh_emulated_options *options)
{
	memset(options, 0, sizeof(*options));
	options->size = sizeof(*options);
	options->inherit = true;
	uh_model_options_default(&options->model);
}

enum uh_emulation_mode uh_emulated_mode(const bool quantities[UH_QUANTITY_COUNT])
{
	static const enum uh_emulation_mode costs[UH_QUANTITY_COUNT] = {
#define X(symbol, name, kind, cost, text) [UH_QUANTITY_##symbol] = UH_EMULATION_##cost,
	    UH_QUANTITY_ROWS
#undef X
	};
	enum uh_emulation_mode mode = UH_EMULATION_BLOCK;
	for (size_t i = 0; i < UH_QUANTITY_COUNT; i++) {
		if (quantities[i] && costs[i] > mode)
			mode = costs[i];
	}
	return mode;
}

/* Turns on the models that the wanted quantities come from, and no others. */
static void choose_models(const bool quantities[UH_QUANTITY_COUNT], struct uh_model_options *model)
{
	model->caches = quantities[UH_QUANTITY_CYCLES]; /* what a miss costs is in them */
	model->tlbs = false;
	for (int i = UH_QUANTITY_L1I_MISSES; i <= UH_QUANTITY_L3_FETCH_MISSES; i++)
		model->caches |= quantities[i];
	for (int i = UH_QUANTITY_DTLB_LOAD_MISSES; i <= UH_QUANTITY_ITLB_MISSES; i++)
		model->tlbs |= quantities[i];
}

bool uh_emulated_predicts(const bool quantities[UH_QUANTITY_COUNT])
{
	bool wanted = quantities[UH_QUANTITY_CYCLES];
	for (int i = UH_QUANTITY_BRANCH_MISSES; i <= UH_QUANTITY_BRANCH_MISSES_INDIRECT; i++)
		wanted |= quantities[i];
	return wanted;
}

static int find_qemu(struct uh_emulated *emulated, const char *given, struct uh_error *error)
{
	if (given) {
		if (access(given, X_OK) || !realpath(given, emulated->qemu))
			return uh_fail_errno(error, -errno, "%s cannot be executed", given);
		return 0;
	}
	static const char *const names[] = {"qemu-x86_64", "qemu-x86_64-static"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[UH_PROGRAM_PATH];
		if (!uh_path_search(names[i], path, sizeof(path)) && realpath(path, emulated->qemu))
			return 0;
	}
	return uh_fail(error, -ENOENT,
		       "counting without a PMU needs QEMU, and there is no qemu-x86_64 in PATH: "
		       "apt install qemu-user");
}

/*
 * A QEMU without plugins would refuse our option when the program should start;
 * better to know now. One with plugins exports their interface, so the name of its
 * central function is in the file.
 */
static int check_qemu(const char *path, struct uh_error *error)
{
	static const char mark[] = "qemu_plugin_register_vcpu_tb_trans_cb";
	struct stat status;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return uh_fail_errno(error, -errno, "%s cannot be read", path);
	void *content = MAP_FAILED;
	if (!fstat(descriptor, &status) && status.st_size > 2)
		content = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
	int code = content == MAP_FAILED ? -errno : 0;
	(void)close(descriptor);
	if (code || content == MAP_FAILED)
		return uh_fail(error, code ? code : -ENOEXEC, "%s cannot be read", path);
	bool script = !memcmp(content, "#!", 2); /* a wrapper: it will show */
	bool marked = memmem(content, (size_t)status.st_size, mark, sizeof(mark) - 1) != NULL;
	(void)munmap(content, (size_t)status.st_size);
	if (script || marked)
		return 0;
	return uh_fail(
	    error, -ENOEXEC,
	    "%s was built without plugins (statically linked QEMUs are, Debian 13's among "
	    "them), so it cannot count: give the path of one configured with "
	    "--enable-plugins",
	    path);
}

static int find_plugin(struct uh_emulated *emulated, const char *given, struct uh_error *error)
{
	char own[UH_PROGRAM_PATH], beside[UH_PROGRAM_PATH + 64];
	if (given) {
		if (!realpath(given, emulated->plugin))
			return uh_fail_errno(error, -errno, "the plugin %s cannot be used", given);
		return 0;
	}
	ssize_t length = readlink("/proc/self/exe", own, sizeof(own) - 1);
	own[length > 0 ? length : 0] = '\0';
	/* The command is in the build directory, the tests one or two folders below it. */
	for (int up = 0; up < 3 && strrchr(own, '/'); up++) {
		*strrchr(own, '/') = '\0';
		(void)snprintf(beside, sizeof(beside), "%s/emulator/" PLUGIN_NAME, own);
		if (realpath(beside, emulated->plugin))
			return 0;
	}
	if (realpath(UH_EMULATOR_INSTALLED, emulated->plugin))
		return 0;
	return uh_fail(error, -ENOENT,
		       "the emulator's plugin is missing: neither %s/emulator/" PLUGIN_NAME
		       " nor " UH_EMULATOR_INSTALLED " exists; install unhalted again",
		       own);
}

static char *double_commas(char *out, const char *path)
{
	for (; *path; path++) {
		*out++ = *path;
		if (*path == ',')
			*out++ = ',';
	}
	*out = '\0';
	return out;
}

static void write_option(struct uh_emulated *emulated)
{
	char *out = double_commas(emulated->option, emulated->plugin);
	out += sprintf(out, ",watcher=%d,fd=%d,qemu=", (int)getpid(), emulated->watch.descriptor);
	(void)double_commas(out, emulated->qemu);
}

static int prepare(struct uh_emulated *emulated, const struct uh_emulated_options *options,
		   struct uh_error *error)
{
	int code = find_qemu(emulated, options->qemu_path, error);
	if (!code)
		code = check_qemu(emulated->qemu, error);
	if (!code)
		code = find_plugin(emulated, options->plugin_path, error);
	if (!code) {
		struct uh_emulated_options chosen = *options;
		choose_models(options->quantities, &chosen.model);
		emulated->started = true;
		code = uh_watch_start(&emulated->watch, &chosen, error);
	}
	if (!code)
		write_option(emulated);
	return code;
}

int uh_emulated_new(const struct uh_emulated_options *options, struct uh_emulated **result,
		    struct uh_error *error)
{
	if (options->size != sizeof(*options))
		return uh_fail(error, -EINVAL, "emulation options of another version");
	struct uh_emulated *emulated = calloc(1, sizeof(*emulated));
	if (!emulated)
		return uh_fail_memory(error);
	int code = prepare(emulated, options, error);
	if (code) {
		uh_emulated_free(emulated);
		return code;
	}
	*result = emulated;
	return 0;
}

void uh_emulated_free(struct uh_emulated *emulated)
{
	if (!emulated)
		return;
	if (emulated->started) {
		uh_watch_stop(&emulated->watch);
		uh_watch_clear(&emulated->watch);
	}
	free(emulated);
}

int uh_emulated_read(struct uh_emulated *emulated, struct uh_emulated_reading *reading,
		     struct uh_error *error)
{
	int code = uh_watch_read(&emulated->watch, reading);
	return code ? uh_fail_memory(error) : 0;
}

int uh_emulated_finish(struct uh_emulated *emulated, struct uh_emulated_reading *reading,
		       struct uh_error *error)
{
	struct uh_watch *watch = &emulated->watch;
	uh_watch_stop(watch);
	int code = uh_emulated_read(emulated, reading, error);
	if (!code && !atomic_load(&watch->shared->installed))
		code =
		    uh_fail(error, -ENOEXEC, "nothing was counted: %s did not take the plugin %s",
			    emulated->qemu, emulated->plugin);
	else if (!code && watch->failure)
		code = uh_fail_errno(error, watch->failure, "some counts were lost");
	if (code)
		uh_emulated_reading_free(reading);
	return code;
}

const char *uh_emulated_note(struct uh_emulated *emulated, size_t index)
{
	struct uh_emulation *shared = emulated->watch.shared;
	uint32_t count = atomic_load(&shared->note_count);
	if (index < count && index < UH_EMULATION_NOTES) {
		struct uh_emulation_note *note = &shared->notes[index];
		if (!atomic_load(&note->ready)) /* its process died while writing it */
			return "a process left an unfinished note";
		memcpy(emulated->note, note->text, sizeof(emulated->note) - 1);
		return emulated->note;
	}
	if (index == UH_EMULATION_NOTES && count > UH_EMULATION_NOTES) {
		(void)snprintf(emulated->note, sizeof(emulated->note), "and %u more such notes",
			       count - UH_EMULATION_NOTES);
		return emulated->note;
	}
	return NULL;
}
