/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code whose every count is known by construction; test_emulator.c has the sums.
 * No C library: nothing runs but what stands here.
 */
	.text
	.globl _start
_start:
	/* 1000 times: a load, a store, a read-modify-write, a locked one. */
	mov $1000, %ecx
	lea buffer(%rip), %rbx
1:	mov (%rbx), %rax
	mov %eax, 8(%rbx)
	addq $1, 16(%rbx)
	lock addl $1, 32(%rbx)
	prefetcht0 64(%rbx)
	lea 64(%rbx), %rdx
	nopw 64(%rbx)
	dec %ecx
	jnz 1b

	/* 500 times: a call, a push and a pop, a return, an indirect call and jump. */
	mov $500, %r8d
	lea leaf(%rip), %r9
2:	call leaf
	push %rax
	pop %rax
	call *%r9
	lea 3f(%rip), %r10
	jmp *%r10
3:	dec %r8d
	jnz 2b

	/* 16-byte and 32-byte accesses, 10 times each. */
	mov $10, %ecx
4:	movups (%rbx), %xmm0
	movups %xmm0, 100(%rbx)
	vmovups (%rbx), %ymm1
	dec %ecx
	jnz 4b

	/* movs: 100 iterations, reached through a longer block. */
	lea buffer(%rip), %rsi
	lea 2048(%rbx), %rdi
	mov $100, %ecx
	rep movsb

	/* movs that iterates not once. */
	xor %ecx, %ecx
	rep movsq

	/* stos: 5 instances of 3 iterations, each reached by a jump to itself. */
	mov $5, %edx
	xor %eax, %eax
5:	lea 2048(%rbx), %rdi
	mov $3, %ecx
	jmp 6f
6:	rep stosq
	dec %edx
	jnz 5b

	/* lods: 7 iterations. */
	lea buffer(%rip), %rsi
	mov $7, %ecx
	rep lodsl

	/* scas: 4 instances that find their byte at the third place, reached by a jump. */
	mov $4, %edx
	mov $'c', %al
7:	lea text(%rip), %rdi
	mov $100, %ecx
	jmp 8f
8:	repne scasb
	dec %edx
	jnz 7b

	/* scas again, the next instance going on where the last one stopped. */
	mov $3, %edx
	lea text(%rip), %rdi
	mov $100, %ecx
	jmp 9f
9:	repne scasb
	dec %edx
	jnz 9b

	/* cmps: 6 equal bytes, to the end; then a difference at the second. */
	lea text(%rip), %rsi
	lea text(%rip), %rdi
	mov $6, %ecx
	repe cmpsb
	lea text(%rip), %rsi
	lea other(%rip), %rdi
	mov $6, %ecx
	repe cmpsb

	mov $60, %eax
	xor %edi, %edi
	syscall

leaf:	ret

	.section .rodata
text:	.ascii "abcabcabcabc"
other:	.ascii "axcabcabcabc"

	.bss
	.balign 64
buffer:	.zero 4096
	.section .note.GNU-stack,"",@progbits
