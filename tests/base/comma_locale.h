/* SPDX-License-Identifier: BSD-3-Clause */
/* A locale with a decimal comma, built for the test where none is installed. */
#ifndef UH_TESTS_COMMA_LOCALE_H
#define UH_TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline bool built_comma_locale(void)
{
	char place[] = "/tmp/unhalted-locale-XXXXXX";
	char command[256];
	if (!mkdtemp(place))
		return false;
	(void)snprintf(command, sizeof(command),
		       "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", place);
	bool built = system(command) == 0;
	setenv("LOCPATH", place, 1);
	built = setlocale(LC_NUMERIC, "de_DE.UTF-8") != NULL && built;
	unsetenv("LOCPATH");
	(void)snprintf(command, sizeof(command), "rm -rf %s", place);
	return system(command) == 0 && built;
}

/* Switches LC_NUMERIC; the caller switches back to "C". Skips the test when it cannot. */
static inline void use_comma_locale(void)
{
	char number[8];
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !built_comma_locale()) {
		print_message("no locale with a decimal comma, and localedef cannot build one\n");
		skip();
	}
	(void)snprintf(number, sizeof(number), "%.1f", 0.5);
	assert_string_equal(number, "0,5");
}

#endif
