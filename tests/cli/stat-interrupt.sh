# SPDX-License-Identifier: BSD-3-Clause
# A run that is interrupted still shows what it counted, and the program is not left behind.
set -eu

# interrupt SIGNAL STATUS OPTION...: stops `unhalted stat OPTION...` with SIGNAL
interrupt()
{
	signal=$1
	expected=$2
	shift 2
	# A background command of a shell ignores SIGINT, and so would its children.
	python3 -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("unhalted", ["unhalted", "stat"] + sys.argv[1:])' "$@" 2>err &
	stat=$!
	sleep 0.5
	kill -"$signal" $stat
	status=0
	wait $stat || status=$?
	if [ $status -ne "$expected" ] || ! grep -q cs err; then
		echo "$signal, $*: exit status $status, expected $expected"
		cat err
		exit 1
	fi
}

interrupt INT 130 -e cs -- sleep 7.001
interrupt TERM 143 -e cs -- sleep 7.001
interrupt HUP 129 -e cs -- sleep 7.001
interrupt TERM 0 -a -e cs
interrupt INT 0 -a -e cs -I 100
grep -q '0\.[1-4]' err
interrupt TERM 143 -e cs -r 0 -- sleep 7.001
interrupt INT 0 -p $$ -e cs,task-clock -I 100
interrupt TERM 5 -e cs -- sh -c 'trap "exit 5" TERM; while :; do sleep 0.1; done'

# Into a file: it is complete, and no temporary file stays.
unhalted stat -e cs -o figures -- sleep 7.001 2>err &
stat=$!
sleep 0.5
kill $stat
status=0
wait $stat || status=$?
[ $status -eq 143 ]
grep -q cs figures
[ "$(echo figures*)" = figures ]

if pgrep -f '^sleep 7\.001$'; then
	echo 'a program was left behind'
	exit 1
fi
