# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmarks share: processor time of whole commands, taken in turn.

Seconds of one machine on one day say little; every figure here is a ratio of two commands
measured alternately in one run, and the median over the rounds is what is quoted.
"""
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time

BUILD = os.path.abspath(os.environ.get("BUILD", "build"))
UNHALTED = os.path.join(BUILD, "unhalted")


def spent(command, repeat=1, environment=None):
    """Processor and wall seconds of one command, children included, for each repetition."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    for _ in range(repeat):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, env=environment, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n"
                     f"{done.stderr.decode(errors='replace')[-2000:]}")
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu / repeat, wall / repeat


def in_turn(commands, rounds, repeat=1):
    """{name: ([cpu seconds], [wall seconds])}, the commands taken in turn."""
    times = {name: ([], []) for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            cpu, wall = spent(command, repeat)
            times[name][0].append(cpu)
            times[name][1].append(wall)
    return times


def median_ratio(above, below):
    """The median of the ratios round by round."""
    return statistics.median(a / b for a, b in zip(above, below))


class Report:
    """A line a figure, with the limit it has to keep; the exit status says whether all did."""

    def __init__(self):
        self.missed = 0

    def line(self, text, value, limit, at_most):
        kept = value <= limit if at_most else value >= limit
        self.missed += not kept
        sign = "<=" if at_most else ">="
        print(f"{text:62} {value:8.3f}   {sign} {limit:<6g} {'kept' if kept else 'MISSED'}",
              flush=True)

    def note(self, text):
        print(text, flush=True)

    def finish(self):
        sys.exit(1 if self.missed else 0)


def need(program, package):
    if not shutil.which(program):
        print(f"skipped: {program} is not installed (apt install {package})")
        sys.exit(77)
