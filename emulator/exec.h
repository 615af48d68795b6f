/* SPDX-License-Identifier: BSD-3-Clause */
/* Replacing a program's exec by one of the emulator with the new program. */
#ifndef UH_EMULATOR_EXEC_H
#define UH_EMULATOR_EXEC_H

#include <stdint.h>

/*
 * The program is about to execve (flags 0, directory AT_FDCWD) or execveat. All
 * addresses are the program's, unchecked. Does not return when the new program
 * runs emulated. Returns when QEMU's own system call must go on: because it will
 * fail and tells the reason, or because the new program can only run natively,
 * which a note then says.
 */
void uh_exec(int directory, uint64_t path, uint64_t arguments, uint64_t environment, int flags);

#endif
