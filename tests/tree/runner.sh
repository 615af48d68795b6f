# SPDX-License-Identifier: BSD-3-Clause
# The runner of black-box tests finds what is wrong, and the count of results misses no failure.
# time limit: 120
set -u

wrong=0
complain()
{
	echo "$*"
	wrong=1
}

mkdir build
cat >build/unhalted <<'SH'
#!/bin/sh
case $1 in
kill) kill -9 $$ ;;
args) shift; printf '<%s>' "$@"; echo ;;
fail) echo to-stderr >&2; exit 3 ;;
esac
SH
chmod +x build/unhalted

# expect STATUS LINE PATTERN [CASE]: the runner on one case (or the file test.sh without) ends with
# STATUS and prints a line that matches PATTERN
expect()
{
	file=test.sh
	if [ $# -gt 3 ]; then
		file=test.cases
		printf '%s\n' "$4" >$file
	fi
	status=0
	"$SOURCE/tests/run-cases" --build build $file >out 2>&1 || status=$?
	[ "$status" -eq "$1" ] || complain "$2: exit status $status, expected $1: $(cat out)"
	grep -q -e "$3" out || complain "$2: no line matches '$3': $(cat out)"
}

expect 0 'arguments are split as a shell does' '^\[    OK    \]' 'args "a b" c | 0 | <a b><c>'
expect 0 'standard error counts'   '^\[    OK'     'fail | 3 | to-stderr & !to-stdout'
expect 0 'a pipe in the arguments' '^\[    OK'     "\$ unhalted args x | tr x y | 0 | <y>"
expect 0 'no texts'                '^\[    OK'     'args x | 0'
expect 0 'no texts, but a bar'     '^\[    OK'     'args x | 0 |'
expect 0 'a signal as a shell has it' '^\[    OK'  'kill | 137 |'
expect 0 'a pipe and no texts'     '^\[    OK'     "\$ unhalted args x | grep -q x | 0"
expect 1 'wrong status'            'exit status 3, expected 0' 'fail | 0 | to-stderr'
expect 1 'missing text'            'not found: other'          'fail | 3 | to-stderr & other'
expect 1 'forbidden text'          'found, but should not: std' 'fail | 3 | !std'
expect 1 'unknown condition'       "unknown condition 'moon'"  '[moon] args | 0 | x'
expect 1 'no status'               'want:'                     'args x'
expect 1 'an empty text'           'an empty text'             'args x | 0 | x & '
expect 0 'a condition not met'     'SKIPPED.*nosuchprogram is not installed' \
	'[command:nosuchprogram] args | 9 | x'
expect 1 'a file without tests'    'no tests in it'            '# only a comment'

echo 'exit 0' >test.sh
expect 0 'a script that passes' '^\[    OK'
echo 'exit 1' >test.sh
expect 1 'a script that fails' '^\[  FAILED'
printf 'echo no moon\nexit 77\n' >test.sh
expect 0 'a script that skips' 'SKIPPED.*: no moon$'
echo 'exit 77' >test.sh
expect 1 'a script that skips and says nothing' 'skipped without saying why'
printf '# time limit: 1\nsleep 30 & sleep 30\n' >test.sh
expect 1 'a script that never ends' 'still running after 1 s'
[ "$("$SOURCE/tests/run-cases" --build build test.sh | tail -n 1)" = '0 passed, 1 failed, 0 skipped' ] ||
	complain 'the last line does not count'

# count EXPECTED RECORD...: what the totals say of these lines of meson's log
count()
{
	said=$(python3 - "$SOURCE/tests/check" "$@" <<'PY'
import importlib.machinery, importlib.util, json, sys
loader = importlib.machinery.SourceFileLoader("check", sys.argv[1])
check = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
loader.exec_module(check)
totals = check.Totals()
for record in sys.argv[3:]:
    totals.add_program(json.loads(record))
print(totals.line())
PY
	)
	[ "$said" = "$1" ] || complain "counted '$said', expected '$1'"
}

count '1 passed, 0 failed' '{"result": "OK"}'
count '0 passed, 1 failed' '{"result": "FAIL"}'
count '0 passed, 1 failed' '{"result": "TIMEOUT", "stdout": "[ RUN      ] a\n"}'
count '0 passed, 0 failed, 1 skipped' '{"result": "SKIP"}'
count '2 passed, 0 failed' '{"result": "OK", "stdout": "[       OK ] a\n[       OK ] b\n"}'
count '1 passed, 1 failed' '{"result": "FAIL", "stdout": "[       OK ] a\n[  FAILED  ] b\n"}'
count '1 passed, 1 failed' '{"result": "FAIL", "stdout": "[       OK ] a\n[ RUN      ] b\n"}'
count '1 passed, 0 failed, 1 skipped' '{"result": "OK", "stdout": "[       OK ] a\n[  SKIPPED ] b\n"}'

exit "$wrong"
