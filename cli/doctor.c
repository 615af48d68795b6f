/* SPDX-License-Identifier: BSD-3-Clause */
/* unhalted doctor: what can be counted here, what not, why, and what to do about it. */
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "count/doctor.h"
#include "render/doctor.h"

#define WIDTH 100 /* where standard output is no terminal */

struct doctor_options {
	bool json;
};

static const struct cli_option options[] = {
    {'j', "json-output", NULL, "print one JSON object for each finding"},
};

static int handle(void *context, int key, const char *argument)
{
	struct doctor_options *chosen = context;
	(void)argument;
	if (key == 'j')
		chosen->json = true;
	return 0;
}

static size_t page_width(void)
{
	struct winsize size;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return WIDTH;
	return size.ws_col;
}

static int print(const struct uh_diagnosis *diagnosis, const struct doctor_options *chosen,
		 struct uh_error *error)
{
	struct uh_text page = {0};
	if (chosen->json)
		uh_doctor_json(diagnosis, &page);
	else
		uh_doctor_text(diagnosis, page_width(), &page);
	int status = page.failed ? uh_fail_memory(error)
				 : uh_write_all(STDOUT_FILENO, page.data, page.length);
	if (status && !page.failed)
		(void)uh_fail_errno(error, status, "cannot write to standard output");
	uh_text_free(&page);
	return status;
}

static int examine(const struct doctor_options *chosen)
{
	struct uh_error error = {0};
	struct uh_machine *machine = NULL;
	struct uh_emulation_facts emulation;
	struct uh_diagnosis diagnosis = {0};
	uh_emulation_facts_find(&emulation);
	int status = uh_machine_open(&machine, &error);
	if (!status)
		status = uh_doctor(machine, &emulation, &diagnosis, &error);
	if (!status)
		status = print(&diagnosis, chosen, &error);
	bool well = uh_diagnosis_worst(&diagnosis) == UH_FINDING_OK;
	uh_diagnosis_free(&diagnosis);
	uh_machine_free(machine);
	if (status)
		fprintf(stderr, "unhalted doctor: %s\n", error.text);
	return status || !well ? CLI_INCOMPLETE : 0;
}

static int doctor_main(int argc, char **argv)
{
	struct doctor_options chosen = {0};
	int first = argc;
	int status = cli_parse(&cli_doctor, argc, argv, CLI_USAGE, handle, &chosen, &first);
	if (status != CLI_CONTINUE)
		return status;
	if (first < argc) {
		fprintf(stderr, "unhalted doctor: takes no argument, but there is \"%s\"\n",
			argv[first]);
		return CLI_USAGE;
	}
	return examine(&chosen);
}

const struct cli_command cli_doctor = {
    .name = "doctor",
    .summary = "say what can be counted here, what not, why, and what to do",
    .usage = "[-j]",
    .details = "Changes nothing. The exit status is 0 when everything works, 1 when something is\n"
	       "limited or absent, 2 when the command line makes no sense.\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = doctor_main,
};
