# SPDX-License-Identifier: BSD-3-Clause
# Side by side with perf stat on the same second of the same machine: both must tell the same story.
# time limit: 120
set -eu

command -v perf >/dev/null || { echo 'perf is not installed'; exit 77; }
perf stat -a -e task-clock true 2>/dev/null || { echo 'perf cannot count the whole machine here'; exit 77; }

# Load, so that there is something to compare.
sh -c 'while :; do /bin/true; done' &
load=$!
trap 'kill $load' EXIT

events=task-clock,page-faults,context-switches
try()
{
	perf stat -a -I 1000 -x, -e $events -o perf.csv sleep 3.3 &
	unhalted stat -a -I 1000 --interval-count 3 -x, -e $events -o ours.csv
	wait $!
	python3 - <<'EOF'
import sys
def totals(path, intervals):
    sums, times = {}, set()
    for line in open(path):
        cells = line.strip().split(",")
        if line.startswith("#") or len(cells) < 4:
            continue
        times.add(cells[0])
        if len(times) <= intervals:
            sums[cells[3]] = sums.get(cells[3], 0) + float(cells[1])
    return sums
perf, ours = totals("perf.csv", 3), totals("ours.csv", 3)
wrong = []
# The clock is the number of processors times the time; the others are a moving target, and
# the two do not start in the same instant.
for event, tolerance in (("task-clock", 0.02), ("page-faults", 0.15), ("context-switches", 0.15)):
    a, b = perf[event], ours[event]
    print(f"{event}: perf {a:g}, unhalted {b:g}, {100 * (b / a - 1) if a else 0:+.2f} %")
    if abs(a - b) > tolerance * max(a, b):
        wrong.append(event)
sys.exit(1 if wrong else 0)
EOF
}
# A burst of somebody else's at the edge of the three seconds is not our fault twice.
try || try
