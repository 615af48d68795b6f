/* SPDX-License-Identifier: BSD-3-Clause */
/* A 32-bit program: exits with 42. */
	.text
	.globl _start
_start:
	mov $1, %eax
	mov $42, %ebx
	int $0x80
	.section .note.GNU-stack,"",@progbits
