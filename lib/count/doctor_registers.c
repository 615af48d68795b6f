/* SPDX-License-Identifier: BSD-3-Clause */
/* The way past the kernel: model-specific registers, and what stands in front of them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "count/doctor_own.h"

#define LOCKDOWN "sys/kernel/security/lockdown"
#define MSR_DEVICE "dev/cpu/0/msr"
#define MSR_WRITES "sys/module/msr/parameters/allow_writes"
#define MSR_TSC 0x10 /* every x86 processor has it, and reading it does nothing */

/* The word in brackets of "none [integrity] confidentiality". 0 or a negative errno. */
static int lockdown_level(struct uh_machine *machine, char level[32])
{
	char line[128];
	int code = uh_file_line(machine->root, LOCKDOWN, line, sizeof(line));
	if (code)
		return code;
	char *first = strchr(line, '[');
	char *end = first ? strchr(first, ']') : NULL;
	if (!end || end - first > 31)
		return -EINVAL;
	memcpy(level, first + 1, (size_t)(end - first - 1));
	level[end - first - 1] = '\0';
	return 0;
}

static bool locked_down(struct uh_doctor *doctor)
{
	char level[32];
	return !lockdown_level(doctor->machine, level) && strcmp(level, "none") != 0;
}

void uh_doctor_lockdown(struct uh_doctor *doctor)
{
	char level[32];
	int code = lockdown_level(doctor->machine, level);
	if (code == -ENOENT) {
		struct uh_finding *finding = uh_finding_new(doctor, "lockdown", UH_FINDING_OK);
		uh_text_string(&finding->what, "none seen (/" LOCKDOWN " is absent)");
		return;
	}
	bool none = !code && !strcmp(level, "none");
	struct uh_finding *finding =
	    uh_finding_new(doctor, "lockdown", none ? UH_FINDING_OK : UH_FINDING_LIMITED);
	if (code) {
		uh_text_string(&finding->what, "not known");
		uh_text_format(&finding->why, "/" LOCKDOWN ": %s", strerror(-code));
		return;
	}
	uh_text_string(&finding->what, level);
	if (none)
		return;
	uh_text_string(&finding->what, strcmp(level, "confidentiality") != 0
					   ? ": no register may be written"
					   : ": no register may be written, nor sampled by perf");
	uh_text_format(&finding->why,
		       "/" LOCKDOWN " is %s; the kernel's own counting is not touched by it",
		       level);
	uh_text_string(&finding->todo, "Only where registers must be written: switch off secure "
				       "boot in the firmware, or boot without lockdown=.");
}

/* ---- /dev/cpu/N/msr ---- */

/* Reads one register to see whether it works: 0 or a negative errno. */
static int try_msr(struct uh_machine *machine)
{
	uint64_t value;
	/* A recording may hold anything under that name, a FIFO among them. */
	int descriptor = openat(machine->root, MSR_DEVICE, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0)
		return -errno;
	ssize_t got = pread(descriptor, &value, sizeof(value), MSR_TSC);
	int code = got < 0 ? -errno : got == sizeof(value) ? 0 : -EIO;
	(void)close(descriptor);
	return code;
}

/* Whether modules of the running kernel are installed, so that one can be loaded. */
static bool has_modules(struct uh_machine *machine)
{
	char release[96];
	char path[128];
	struct stat status;
	if (uh_file_line(machine->root, "proc/sys/kernel/osrelease", release, sizeof(release)) ||
	    strchr(release, '/'))
		return false;
	(void)snprintf(path, sizeof(path), "lib/modules/%s/modules.dep", release);
	return !fstatat(machine->root, path, &status, 0);
}

static void explain_no_device(struct uh_doctor *doctor, struct uh_finding *finding)
{
	struct stat status;
	bool module = !fstatat(doctor->machine->root, "sys/module/msr", &status, 0);
	uh_text_string(&finding->what, "no registers: /" MSR_DEVICE " is absent");
	if (module) {
		uh_text_string(&finding->why, "the module msr is loaded, but its devices are not "
					      "shown here, as in a container");
		uh_text_string(&finding->todo,
			       "To read registers: run unhalted outside the container.");
		return;
	}
	if (has_modules(doctor->machine)) {
		uh_text_string(&finding->why, "the kernel's module msr is not loaded");
		uh_text_string(&finding->todo, "To read registers, as root: modprobe msr");
	} else {
		uh_text_string(&finding->why, "the running kernel was built without the driver "
					      "msr, or its modules are not installed");
		uh_text_string(&finding->todo, "To read registers: boot a kernel with "
					       "CONFIG_X86_MSR, or install this one's modules.");
	}
}

static void explain_refusal(struct uh_doctor *doctor, struct uh_finding *finding, int code)
{
	uh_text_string(&finding->what, "/" MSR_DEVICE " is there, but not readable");
	if (code == -EACCES || code == -EPERM) {
		uh_text_format(&finding->why, "%s",
			       !doctor->privileges.sys_rawio || doctor->privileges.in_namespace
				   ? "CAP_SYS_RAWIO is missing"
				   : strerror(-code));
		uh_text_string(&finding->todo, "To read registers: run unhalted as root.");
	} else if (code == -EIO) {
		uh_text_string(&finding->why, "reading the time stamp counter's register fails "
					      "(EIO): a hypervisor refuses it");
	} else {
		uh_text_string(&finding->why, strerror(-code));
	}
}

static void explain_writes(struct uh_doctor *doctor, struct uh_finding *finding)
{
	char line[32];
	int code = uh_file_line(doctor->machine->root, MSR_WRITES, line, sizeof(line));
	if (locked_down(doctor)) {
		finding->state = UH_FINDING_LIMITED;
		uh_text_string(&finding->what, "registers can be read, not written");
		uh_text_string(&finding->why, "the kernel is locked down");
	} else if (code) {
		uh_text_string(&finding->what, "registers can be read and, on this kernel "
					       "without msr.allow_writes, written");
	} else if (!strcmp(line, "off") || !strcmp(line, "0") || !strcmp(line, "N")) {
		finding->state = UH_FINDING_LIMITED;
		uh_text_string(&finding->what, "registers can be read, not written");
		uh_text_format(&finding->why, "msr.allow_writes is %s", line);
		uh_text_string(&finding->todo, "Only where registers must be written, as root: "
					       "echo on >/" MSR_WRITES);
	} else {
		uh_text_format(&finding->what,
			       "registers can be read and written (msr.allow_writes is %s)", line);
	}
}

void uh_doctor_msr(struct uh_doctor *doctor)
{
	struct stat status;
	const struct uh_privileges *has = &doctor->privileges;
	if (fstatat(doctor->machine->root, MSR_DEVICE, &status, 0)) {
		explain_no_device(doctor, uh_finding_new(doctor, "msr", UH_FINDING_ABSENT));
		return;
	}
	/* The kernel would say the same; so does a recording, whose file anybody may open. */
	int code = has->sys_rawio && !has->in_namespace ? try_msr(doctor->machine) : -EPERM;
	struct uh_finding *finding =
	    uh_finding_new(doctor, "msr", code ? UH_FINDING_ABSENT : UH_FINDING_OK);
	if (code)
		explain_refusal(doctor, finding, code);
	else
		explain_writes(doctor, finding);
}
