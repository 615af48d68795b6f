/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands.h"
#include <stdio.h>
static int run(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return CLI_USAGE;
}
const struct cli_command cli_compare = {.name = "compare",
					.summary = "count two programs and tell what differs",
					.usage = "[OPTIONS] -- A [ARGUMENTS] -- B [ARGUMENTS]",
					.run = run};
const struct cli_command cli_doctor = {.name = "doctor",
				       .summary = "what can be counted here, what not, and why",
				       .usage = "[-j]",
				       .run = run};
