/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/emulated_program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SCRIPT_LINE 256 /* bytes of a file that the kernel looks at */

static enum uh_program_kind fails(struct uh_program *program, int code)
{
	program->code = code;
	return UH_PROGRAM_FAILS;
}

/* Whether executing the file would change who we are. */
static bool gains_privilege(const char *path, const struct stat *status)
{
	if ((status->st_mode & S_ISUID) && status->st_uid != geteuid())
		return true;
	if ((status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) &&
	    status->st_gid != getegid())
		return true;
	return geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

static enum uh_program_kind judge_elf(const unsigned char *head, size_t length)
{
	Elf64_Ehdr header;
	if (length < sizeof(header))
		return UH_PROGRAM_UNKNOWN;
	memcpy(&header, head, sizeof(header));
	bool runs = header.e_ident[EI_CLASS] == ELFCLASS64 &&
		    header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_X86_64 &&
		    (header.e_type == ET_EXEC || header.e_type == ET_DYN);
	return runs ? UH_PROGRAM_RUNS : UH_PROGRAM_FOREIGN;
}

/* Puts a script's words before those collected so far. */
static void put_before(struct uh_program *program, size_t depth, const char *option)
{
	size_t added = option ? 2 : 1;
	memmove(program->before + added, program->before,
		program->before_count * sizeof(program->before[0]));
	if (option) {
		(void)strcpy(program->text[depth][0], option);
		program->before[0] = program->text[depth][0];
	}
	(void)strcpy(program->text[depth][1], program->path);
	program->before[added - 1] = program->text[depth][1];
	program->before_count += added;
}

/* Cuts blanks off both ends. */
static char *trim(char *text)
{
	text += strspn(text, " \t");
	size_t length = strlen(text);
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		text[--length] = '\0';
	return text;
}

/* Reads `#!interpreter [option]`; the option is all the rest of the line. */
static bool follow_script(struct uh_program *program, size_t depth, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	char *interpreter = trim(line + 2);
	char *option = interpreter + strcspn(interpreter, " \t");
	if (*option) {
		*option++ = '\0';
		option = trim(option);
	}
	if (!*interpreter)
		return false;
	put_before(program, depth, *option ? option : NULL);
	(void)strcpy(program->path, interpreter);
	return true;
}

/* Reads the first bytes of a file; a negative errno if it may not be executed, -EPERM not read. */
static ssize_t read_head(const char *path, struct stat *status, char *head, size_t size)
{
	if (stat(path, status))
		return -errno;
	if (!S_ISREG(status->st_mode))
		return -EACCES;
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return -errno;
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return errno == EACCES ? -EPERM : -errno;
	ssize_t length = read(descriptor, head, size);
	int code = errno;
	(void)close(descriptor);
	return length < 0 ? -code : length;
}

static enum uh_program_kind resolve(struct uh_program *program)
{
	for (size_t depth = 0; depth <= UH_PROGRAM_DEPTH; depth++) {
		struct stat status;
		char head[SCRIPT_LINE + 1];
		ssize_t length = read_head(program->path, &status, head, SCRIPT_LINE);
		if (length == -EPERM)
			return UH_PROGRAM_UNREADABLE;
		if (length < 0)
			return fails(program, (int)length);
		head[length] = '\0';
		if (length >= 4 && !memcmp(head, ELFMAG, SELFMAG)) {
			if (gains_privilege(program->path, &status))
				return UH_PROGRAM_PRIVILEGED;
			return judge_elf((const unsigned char *)head, (size_t)length);
		}
		if (length < 2 || head[0] != '#' || head[1] != '!')
			return UH_PROGRAM_UNKNOWN;
		if (depth == UH_PROGRAM_DEPTH)
			return fails(program, -ELOOP);
		if (!follow_script(program, depth, head))
			return fails(program, -ENOEXEC);
	}
	return fails(program, -ELOOP);
}

void uh_program_resolve(const char *path, struct uh_program *program)
{
	program->code = 0;
	program->before_count = 0;
	if (strlen(path) >= sizeof(program->path)) {
		program->kind = fails(program, -ENAMETOOLONG);
		return;
	}
	(void)strcpy(program->path, path);
	program->kind = resolve(program);
}

const char *uh_program_obstacle(enum uh_program_kind kind)
{
	switch (kind) {
	case UH_PROGRAM_FOREIGN:
		return "is not a 64-bit x86 program";
	case UH_PROGRAM_PRIVILEGED:
		return "changes its user, its group or its capabilities when executed";
	case UH_PROGRAM_UNREADABLE:
		return "may be executed but not read";
	case UH_PROGRAM_UNKNOWN:
		return "is neither an ELF file nor a script";
	case UH_PROGRAM_RUNS:
	case UH_PROGRAM_FAILS:
		break;
	}
	return "cannot be executed";
}

static size_t length_of(char *const list[])
{
	size_t count = 0;
	while (list && list[count])
		count++;
	return count;
}

static bool steers_emulator(const char *variable)
{
	bool named = !strncmp(variable, "LD_", 3) || !strncmp(variable, "QEMU_", 5);
	return named && !strchr(variable, ','); /* QEMU's option cannot carry a comma */
}

/* Divides the environment between the emulator's own and options; returns the options' end. */
static char **split_environment(char *const environment[], char **kept, char **options)
{
	for (; environment && *environment; environment++) {
		if (steers_emulator(*environment)) {
			*options++ = (char *)"-E";
			*options++ = *environment;
		} else {
			*kept++ = *environment;
		}
	}
	*kept = NULL;
	return options;
}

static char **append(char **out, const char *word)
{
	*out = (char *)word; /* as execve's prototype wants it; nobody writes there */
	return out + 1;
}

int uh_launch_build(const struct uh_emulator *emulator, struct uh_program *program,
		    char *const arguments[], char *const environment[], struct uh_launch *launch)
{
	size_t variables = length_of(environment);
	size_t words = 16 + 2 * variables + program->before_count + length_of(arguments);
	launch->path = emulator->path;
	launch->arguments = calloc(words, sizeof(char *));
	launch->environment = calloc(variables + 1, sizeof(char *));
	if (!launch->arguments || !launch->environment) {
		uh_launch_free(launch);
		return -ENOMEM;
	}
	const char *name = arguments && arguments[0] ? arguments[0] : "";
	char **out = append(launch->arguments, emulator->path);
	/* No file system but the real one; no randomness of the emulator's own. */
	for (const char *const *word = (const char *const[]){"-L", "/", "-seed", "0", NULL}; *word;
	     word++)
		out = append(out, *word);
	out = append(append(out, "-plugin"), emulator->plugin);
	out = split_environment(environment, launch->environment, out);
	out = append(append(out, "-0"), program->before_count ? program->path : name);
	out = append(out, program->path);
	for (size_t i = 0; i < program->before_count; i++)
		out = append(out, program->before[i]);
	for (char *const *word = arguments; word && word[0] && word[1]; word++)
		out = append(out, word[1]);
	return 0;
}

void uh_launch_free(struct uh_launch *launch)
{
	free(launch->arguments);
	free(launch->environment);
	launch->arguments = launch->environment = NULL;
}
