# SPDX-License-Identifier: BSD-3-Clause
# Ten thousand threads, each with counters of its own, under a low limit on open files: a soft limit
# is raised, a hard one is told with the number that it would need.
# shellcheck disable=SC3045
set -eu

mkfifo in out
"$BUILD/tests/many_threads" 10000 <in >out 2>why &
process=$!
exec 8>in 9<out
read -r word <&9 || word=
if [ "$word" != ready ]; then
	wait $process || true
	cat why
	exit 77
fi

fail()
{
	echo "$*"
	cat err
	kill $process
	exit 1
}

hard=$(ulimit -Hn)
if [ "$hard" = unlimited ] || [ "$hard" -ge 10100 ]; then
	(ulimit -Sn 256 && exec unhalted stat -e cs -p $process --timeout 50 2>err) || status=$?
	# Threads that sleep all the time have nothing to count, which is an answer.
	[ "${status:-0}" -eq 0 ] || fail "soft limit: exit status ${status:-0}, expected 0"
	grep -q 'its counter never ran' err || fail 'soft limit: the threads were not opened'
fi

status=0
(ulimit -n 256 && exec unhalted stat -e cs,faults -p $process --timeout 50 2>err) || status=$?
[ $status -eq 125 ] || fail "hard limit: exit status $status, expected 125"
grep -q '2 events at 10001 places need one each, the limit is 256' err || fail 'hard limit: not told'
grep -q 'ulimit -n 20066' err || fail 'hard limit: not told what to do'

(ulimit -n 256 && exec unhalted stat -e cs -t $process --timeout 50 2>err) || status=$?
grep -q 'ulimit' err && fail 'one thread needs no more than the limit'
exec 8>&-
wait $process
