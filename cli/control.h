/* SPDX-License-Identifier: BSD-3-Clause */
/* --control: commands from outside, through a FIFO or a descriptor, with perf's words. */
#ifndef UH_CLI_CONTROL_H
#define UH_CLI_CONTROL_H

#include "unhalted/error.h"

struct control {
	int commands; /* -1: none */
	int answers;  /* -1: none */
	char line[64];
	unsigned used;
};

enum control_command {
	CONTROL_NOTHING, /* nothing more for now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_UNKNOWN,
	CONTROL_CLOSED,
};

/* "fifo:CTL[,ACK]" or "fd:N[,M]". */
int control_open(const char *text, struct control *control, struct uh_error *error);

/* The next command that has arrived. */
enum control_command control_next(struct control *control);

/* Tells the other side that its command was carried out. */
void control_answer(const struct control *control);
void control_close(struct control *control);

#endif
