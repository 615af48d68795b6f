# SPDX-License-Identifier: BSD-3-Clause
# What measuring itself costs. These counts do not depend on the weather, so they are asserted: at most
# 4 million instructions, 200 system calls and 10 shared libraries for one run of `true`.
set -eu

command -v valgrind >/dev/null || { echo 'valgrind is not installed'; exit 77; }
command -v strace >/dev/null || { echo 'strace is not installed'; exit 77; }

valgrind --tool=callgrind --trace-children=no --callgrind-out-file=/dev/null \
	"$BUILD/unhalted" stat --no-emulate -e task-clock true 2>log
instructions=$(sed -n 's/.*refs: *\([0-9,]*\).*/\1/p' log | tr -d ,)
strace -o calls "$BUILD/unhalted" stat --no-emulate -e task-clock true 2>/dev/null
calls=$(grep -c '(' calls)
libraries=$(ldd "$BUILD/unhalted" | grep -c ' ')

echo "$instructions instructions, $calls system calls, $libraries shared libraries"
# As little as nothing would mean that nothing was looked at.
[ "$instructions" -gt 10000 ] && [ "$instructions" -le 4000000 ]
[ "$calls" -gt 10 ] && [ "$calls" -le 200 ]
[ "$libraries" -gt 0 ] && [ "$libraries" -le 10 ]
