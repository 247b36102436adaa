#!/usr/bin/env python3
"""Measures xcoll, its peers and hand-written loops side by side; see bench/README.md."""

import argparse
import os
import platform
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import cells, contenders, measure, plot, regimes, results, tables  # noqa: E402
from harness.jobs import DTYPES, OPS, Broken, Jobs  # noqa: E402

QUICK_SECONDS, FULL_SECONDS = 240, 3600
QUICK_ROUNDS, FULL_ROUNDS = 9, 21
ROOTS = {"turns": [False], "one": [True], "both": [False, True]}  # values of Cell.one_root


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--quick", action="store_true", help="chosen sizes, f32, 2 ranks; the default")
    mode.add_argument("--full", action="store_true",
                      help="all sizes to 64 MiB, f32 and bf16, out of and in place, 2, 4 and 8 ranks")
    mode.add_argument("--render", metavar="FILE.json", help="measure nothing: make table and pictures of this again")
    parser.add_argument("--build", default="build", metavar="DIR", help="where xcoll and bench/ were built (build)")
    parser.add_argument("--also", action="append", default=[], metavar="NAME=DIR",
                        help="another build of xcoll to run beside it; the same DIR shows the noise")
    parser.add_argument("--bare-way", action="append", default=[], metavar="WAY",
                        help="one more bare loop to try, see bench/bare/ways.h")
    parser.add_argument("--ops", default=",".join(OPS), help="the default is all: " + ", ".join(OPS))
    parser.add_argument("--sizes", help="8,64,1K or 8:64M (all powers of two between)")
    parser.add_argument("--dtype", help=f"any of {','.join(DTYPES)}")
    parser.add_argument("--ranks", help="2 or 2,4,8")
    parser.add_argument("--loops", default="osu,honest", help="any of osu,honest")
    parser.add_argument("--in-place", choices=["no", "yes", "both"], help="allreduce only")
    parser.add_argument("--roots", choices=list(ROOTS), default="turns",
                        help="of bcast, reduce, gather(v), scatter(v): another one every time, or rank 0 (%(default)s)")
    parser.add_argument("--contenders", default="xcoll,persistent,openmpi,mpich,intelmpi,oneccl,ucc,gloo,bare",
                        help="any of the default (%(default)s), heap, nonblocking and ucc_persistent")
    parser.add_argument("--rounds", type=int, help=f"batches per cell and regime ({QUICK_ROUNDS} or {FULL_ROUNDS})")
    parser.add_argument("--batch-ms", type=float, default=5.0, help="shorter ones survive on a busy machine (5)")
    parser.add_argument("--time-budget", type=float, metavar="SECONDS",
                        help=f"when to stop at the latest ({QUICK_SECONDS} or {FULL_SECONDS})")
    parser.add_argument("--far-above", type=float, default=regimes.FAR_NS, metavar="NS",
                        help=f"round trip from which two cores have two L3s ({regimes.FAR_NS:g})")
    parser.add_argument("--output", metavar="DIR", help="where results.json, results.md and pictures go "
                        "(the build directory's bench/results)")
    options = parser.parse_args()
    options.sizes_chosen = cells.parse_sizes(options.sizes) if options.sizes else (
        cells.FULL_SIZES if options.full else cells.QUICK_SIZES)
    options.dtypes = (options.dtype or ("f32,bf16" if options.full else "f32")).split(",")
    options.rank_counts = [int(n) for n in (options.ranks or ("2,4,8" if options.full else "2")).split(",")]
    options.in_places = {"no": [False], "yes": [True], "both": [False, True]}[
        options.in_place or ("both" if options.full else "no")]
    options.rounds = options.rounds or (FULL_ROUNDS if options.full else QUICK_ROUNDS)
    options.time_budget = options.time_budget or (FULL_SECONDS if options.full else QUICK_SECONDS)
    options.output = options.output or os.path.join(options.build, "bench", "results")
    known_contenders = contenders.makers(options.build)
    for given, known in ((options.ops.split(","), OPS), (options.dtypes, DTYPES),
                         (options.loops.split(","), ["osu", "honest"]),
                         (options.contenders.split(","), known_contenders)):
        for word in given:
            if word not in known:
                parser.error(f"'{word}' is none of {', '.join(known)}")
    options.more_builds = [tuple(text.split("=", 1)) for text in options.also]
    for build in options.more_builds:
        if len(build) != 2 or build[0] in known_contenders:
            parser.error(f"--also {'='.join(build)}: expected NAME=DIR, the name none of {', '.join(known_contenders)}")
    return options


def machine():
    """What a reader must know about where this ran."""
    processor = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        lines = [line.split(":", 1) for line in file if ":" in line]
    facts = {key.strip(): value.strip() for key, value in reversed(lines)}
    if "model name" in facts:
        processor = f"{facts['model name']} (family {facts['cpu family']} model {facts['model']})"
    return {"processor": processor, "cores": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())}


def measure_ranks(options, ranks, budget, states, batches):
    """All cells of one number of ranks. The ranks are started once and idle between their batches."""
    loops = [loop == "honest" for loop in options.loops.split(",")]
    # More ranks than cores: how much is copied matters less than who runs, so the sizes stop where it does.
    crowded = ranks > len(os.sched_getaffinity(0))
    sizes = [size for size in options.sizes_chosen if not crowded or size <= 1 << 20]
    fewer = sizes if options.sizes or options.full else [size for size in sizes if size in cells.FEWER_SIZES]
    chosen = cells.select(options.ops.split(","), sizes, fewer, options.dtypes[:1] if crowded else options.dtypes, ranks,
                          loops[:1] if crowded else loops, [False] if crowded else options.in_places,
                          ROOTS[options.roots])
    with Jobs() as jobs:
        started = []
        for contender in contenders.standard(options.build, options.contenders.split(","), crowded,
                                              options.more_builds, options.bare_way):
            why = contender.missing()
            try:
                if not why:
                    started.append(jobs.start(contender, ranks))
            except Broken as broken:
                why = f"with {ranks} ranks: {broken}"
            record = states.setdefault(contender.name, {"name": contender.name, "label": contender.label,
                                                        "kind": contender.kind, "state": "measured"})
            if why:
                record["state"] = why
                print(f"  {contender.label} is out: {why}", flush=True)
        print(f"{ranks} ranks: {len(chosen)} cells, {len(started)} contenders, {budget:.0f} s", flush=True)
        runner = measure.Runner(started, chosen, options.rounds, options.batch_ms, options.far_above,
                                lambda text: print(text, flush=True))
        try:
            runner.run(budget)
        finally:
            batches += [results.batch_record(batch) for batch in runner.batches]
            for name, why in {**runner.shares.over(runner.jobs), **runner.broken}.items():
                states[name]["state"] = f"with {ranks} ranks: {why}"


def report(found, folder):
    os.makedirs(folder, exist_ok=True)
    pictures = []
    for name, picture in plot.figures(found):
        pictures.append(name)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(picture)
    with open(os.path.join(folder, "results.md"), "w", encoding="utf-8") as file:
        file.write(tables.markdown(found, pictures))
    print(tables.terminal(found))
    print(f"\nwritten to {folder}: results.md {' '.join(pictures)}")


def main():
    options = arguments()
    if options.render:
        report(results.Results.load(options.render), os.path.dirname(os.path.abspath(options.render)))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    about, states, batches = machine(), {}, []
    about["command"] = "bench/run.py " + " ".join(sys.argv[1:])
    about["far above"] = f"{options.far_above:g} ns round trip"
    interrupted = False
    for i, ranks in enumerate(options.rank_counts):
        # Two ranks take as long as all others together.
        weights = [2.0 if n <= about["cores"] else 1.0 for n in options.rank_counts]
        budget = options.time_budget * weights[i] / sum(weights)
        try:
            measure_ranks(options, ranks, budget, states, batches)
        except KeyboardInterrupt:
            interrupted = True
            print("interrupted: reporting what there is", flush=True)
            break
    found = results.Results(about, list(states.values()), batches)
    os.makedirs(options.output, exist_ok=True)
    found.save(os.path.join(options.output, "results.json"))
    report(found, options.output)
    return 130 if interrupted else 0


if __name__ == "__main__":
    sys.exit(main())
