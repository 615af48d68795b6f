# SPDX-License-Identifier: BSD-3-Clause
# --control: counting is switched from outside, each command is answered, and what is not
# a command is told and not answered.
set -eu

mkfifo ctl ack
unhalted stat -x, -e task-clock -D -1 --control fifo:ctl,ack -- \
	sh -c 'while :; do :; done' 2>err &
stat=$!
exec 8<>ctl 9<>ack

answer()
{
	echo "$1" >&8
	if ! timeout 10 head -c 4 <&9 >answer || [ "$(cat answer)" != ack ]; then
		echo "$1: answered '$(cat answer)'"
		kill $stat
		exit 1
	fi
}

answer ping
answer enable
sleep 0.2
answer disable
answer disable
sleep 0.5
printf 'nonsense\033[31m\n' >&8
printf '%0200d\n' 7 >&8
answer ping
answer stop
status=0
wait $stat || status=$?
cat err
[ $status -eq 143 ]
grep -q 'unknown command "nonsense?\[31m"' err
[ "$(grep -c 'unknown command' err)" -eq 2 ]
# Switched on for 0.2 of more than 0.7 seconds: the clock ran while it was on, and only then.
time=$(sed -n 's/^\([0-9]*\)\.[0-9]*,msec,task-clock.*/\1/p' err)
[ "$time" -ge 5 ] && [ "$time" -lt 500 ]

# The same through descriptors that are already open, and their mode stays what it was.
unhalted stat -x, -e cs --control fd:8,9 -- sleep 5 2>err &
stat=$!
answer ping
answer stop
wait $stat || status=$?
grep -q ,cs, err
python3 -c 'import fcntl, os, sys; sys.exit(fcntl.fcntl(8, fcntl.F_GETFL) & os.O_NONBLOCK != 0)'

# What cannot be opened is known before the program runs.
for where in fifo:nosuch fifo:ctl,nosuch/ack fd:77 fd:x fd: nonsense ''; do
	status=0
	unhalted stat -e cs --control "$where" touch ran 2>err || status=$?
	[ $status -eq 125 ] || { echo "$where: exit status $status"; cat err; exit 1; }
	[ ! -e ran ] || { echo "$where: the program ran"; exit 1; }
	grep -q -e --control err || { echo "$where:"; cat err; exit 1; }
done

# Whoever asked may go before the answer: that does not end the count.
mkfifo other
tail -f other >/dev/null &
reader=$!
exec 7>other
unhalted stat -x, -e cs --control fd:8,7 -- sleep 0.5 2>err 7>&7 &
stat=$!
kill $reader
wait $reader 2>/dev/null || true
echo ping >&8
wait $stat || { echo "ended with $?"; cat err; exit 1; }
grep -q ,cs, err
