# SPDX-License-Identifier: BSD-3-Clause
# Programs that an emulated run cannot count like any other: a 32-bit one, a script, one found by PATH,
# one that replaces itself, one that starts others.
set -eu

command -v qemu-x86_64 >/dev/null || { echo 'qemu-x86_64 is not installed'; exit 77; }

count()
{
	unhalted stat --emulate -x, -o figures -e instructions -- "$@"
	sed -n 's/^\([0-9]*\),,instructions.*/\1/p' figures
}

alone=$(count /bin/true)
again=$(count true)
[ "$alone" -gt 1000 ] && [ "$again" -gt 1000 ]

printf '#!/bin/sh\nexec /bin/true\n' >script
chmod +x script
[ "$(count ./script)" -gt "$alone" ]

# Children count, unless they are left out.
both=$(count sh -c '/bin/true; /bin/true; :')
unhalted stat --emulate -i -x, -o figures -e instructions -- sh -c '/bin/true; /bin/true; :'
one=$(sed -n 's/^\([0-9]*\),,instructions.*/\1/p' figures)
[ "$both" -gt $((one + alone)) ]

if command -v as >/dev/null && command -v ld >/dev/null; then
	# The dollars are the assembler's.
	# shellcheck disable=SC2016
	printf '.globl _start\n_start: movl $1,%%eax\nmovl $7,%%ebx\nint $0x80\n' >small.s
	as --32 -o small.o small.s
	ld -m elf_i386 -o small small.o
	status=0
	unhalted stat --emulate -e instructions ./small 2>err || status=$?
	cat err
	# It runs as itself or not at all; what is counted is never something else.
	if [ $status -eq 7 ]; then
		grep -Eq '^ +3 +instructions' err
	else
		[ $status -eq 125 ] || [ $status -eq 126 ]
		grep -q 'not a 64-bit x86 program' err
	fi
fi
