/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Following a program through fork and exec.
 *
 * A forked child carries the plugin with it and only needs memory of its own. An
 * exec would leave the emulator: QEMU's user mode hands it to the kernel, and
 * the new program would run natively, uncounted. So the system call is replaced
 * by an exec of QEMU itself, running the new program with this plugin.
 */
#ifndef UH_EMULATOR_FOLLOW_H
#define UH_EMULATOR_FOLLOW_H

#include <stdint.h>

/* The emulator's path and the option that loads the plugin; both stay valid. */
void uh_follow_emulator(const char *path, const char *plugin);

/* The path of the program being run, what /proc/self/exe means to it. Copied. */
void uh_follow_program(const char *path);

/* Registers the system call callbacks. */
void uh_follow_register(uint64_t id);

#endif
