# SPDX-License-Identifier: BSD-3-Clause
# A program whose counts are known by construction, on the real counters: instructions and
# branches of user mode are what the emulated run says, to one in a thousand (interrupts may add a few).
set -eu

if unhalted stat --no-emulate -x, -e instructions:u true 2>&1 | grep -q '^<not'; then
	echo 'no hardware counters here'
	exit 77
fi
program=$BUILD/tests/emulator/guest_known
[ -x "$program" ] || { echo 'guest_known was not built'; exit 77; }

# value EVENT OPTIONS...
value()
{
	event=$1
	shift
	unhalted stat -x, "$@" -e "$event" -- "$program" 2>&1 >/dev/null |
		awk -F, '!/^#/ && $1 ~ /^[0-9]+$/ {print $1}'
}

for event in instructions branches; do
	wanted=$(value "$event" --emulate)
	found=$(value "$event:u" --no-emulate)
	awk -v a="$wanted" -v b="$found" 'BEGIN {d = a > b ? a - b : b - a; exit !(d <= a / 1000 + 5)}' || {
		echo "$event: counted $found, known $wanted"
		exit 1
	}
done
