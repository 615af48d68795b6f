# SPDX-License-Identifier: BSD-3-Clause
# What the pages show is what happens: each command of the tutorial and of the manual page is run, and
# the words of its documented output (not the numbers) must come again.
# time limit: 120
set -eu

command -v qemu-x86_64 >/dev/null || { echo 'qemu-x86_64 is not installed'; exit 77; }
for pmu in cpu cpu_core; do
	[ ! -e /sys/bus/event_source/devices/$pmu ] ||
		{ echo 'the pages show a machine without a PMU'; exit 77; }
done

python3 - "$SOURCE/doc/tutorial/counting.md" "$SOURCE/doc/man/unhalted-stat.1.scd" <<'EOF'
import re, subprocess, sys
wrong = commands = 0
# A rate has another letter, and a clock another digit, each time.
words = lambda text: {w for w in re.findall(r"[A-Za-z<>_-]{4,}", text)}
for path in sys.argv[1:]:
    for block in re.findall(r"```\n(.*?)\n```", open(path, encoding="utf-8").read(), re.S):
        command, _, shown = block.partition("\n")
        if not command.startswith("$ unhalted") or "./server" in block:
            continue
        commands += 1
        run = subprocess.run(["sh", "-c", command[2:] + " 2>&1"], stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False)
        missing = words(shown) - words(run.stdout)
        if missing:
            wrong += 1
            print(f"{path}: {command}: not printed: {' '.join(sorted(missing))}\n{run.stdout}")
if commands < 8:
    sys.exit(f"only {commands} commands found")
sys.exit(1 if wrong else 0)
EOF
