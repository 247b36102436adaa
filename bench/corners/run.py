#!/usr/bin/env python3
"""Runs corners for xcoll and for each MPI that corners.mk found, in turns, and writes a table of medians with ratios.

usage: run.py BUILD [ROUNDS]
"""
import os
import statistics
import subprocess
import sys

LAUNCHERS = {
    "xcoll": "{build}/xcollrun -n 2 --bind core",
    "openmpi": "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to core -n 2",
    "mpich": "mpirun.mpich -bind-to core -n 2",
}


def measure(build, name):
    command = LAUNCHERS[name].format(build=build).split() + [f"{build}/bench/corners/corners.{name}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stderr}")
    lines = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return {case: float(time) for case, time in lines}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        fields = [line.split(":", 1) for line in file.read().split("\n\n")[0].splitlines()]
    told = {field[0].strip(): field[1].strip() for field in fields if len(field) == 2}
    name, family, model = (told.get(key, "unknown") for key in ("model name", "cpu family", "model"))
    return f"{name} (family {family}, model {model})"


def shown(us):
    return f"{us:.0f}" if us >= 100 else f"{us:.3g}"


def main(build, rounds=5):
    build = os.path.abspath(build)
    names = [name for name in LAUNCHERS if os.path.exists(f"{build}/bench/corners/corners.{name}")]
    times = {name: [] for name in names}
    for turn in range(int(rounds)):
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            times[name].append(measure(build, name))
    peers = names[1:]
    lines = ["# What no table of sizes shows", "",
             f"`make bench-corners ROUNDS={rounds}` on {processor()}, two ranks: medians of the runs in us; in brackets",
             "how many times as long as xcoll it took.", "",
             "| | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for case in times["xcoll"][0]:
        median = {name: statistics.median(run[case] for run in times[name]) for name in names}
        cells = [shown(median["xcoll"])]
        cells += [f"{shown(median[name])} ({median[name] / median['xcoll']:.2f})" for name in peers]
        lines.append(f"| {case} | " + " | ".join(cells) + " |")
    text = "\n".join(lines) + "\n"
    print(text)
    os.makedirs(f"{build}/bench/results", exist_ok=True)
    with open(f"{build}/bench/results/corners.md", "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
