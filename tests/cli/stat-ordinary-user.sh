# SPDX-License-Identifier: BSD-3-Clause
# What an ordinary user gets where perf_event_paranoid is 2: user mode under its own name, and no zero
# that only looks like one.
set -eu

[ "$(id -u)" -eq 0 ] || { echo 'not root: cannot become an ordinary user'; exit 77; }
command -v setpriv >/dev/null || { echo 'setpriv is not installed'; exit 77; }
level=$(cat /proc/sys/kernel/perf_event_paranoid)
[ "$level" -eq 2 ] || { echo "perf_event_paranoid is $level, not 2"; exit 77; }
cp "$BUILD/unhalted" unhalted
chmod 755 . unhalted

# expect STATUS TEXT OPTION...
expect()
{
	expected=$1
	text=$2
	shift 2
	status=0
	setpriv --reuid 65534 --clear-groups ./unhalted stat "$@" >out 2>&1 || status=$?
	if [ $status -ne "$expected" ] || ! grep -q -e "$text" out; then
		echo "$*: exit status $status, expected $expected and '$text'"
		cat out
		exit 1
	fi
}

expect 0 'task-clock:u' -e task-clock,cs true
grep -q '<not permitted> *cs' out
grep -q 'sysctl kernel.perf_event_paranoid=1' out
expect 0 ':u: user mode only' --no-emulate true
expect 125 'counting whole processors needs 0' -a -e cs sleep 0.05
expect 125 "another user's process" -p 1 -e task-clock --timeout 50
expect 125 'cannot write /f: Permission denied' -o /f -e task-clock true
expect 126 'Permission denied' -e task-clock /etc/shadow
