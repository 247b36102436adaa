#!/usr/bin/env bash
# A peer of the benchmark that is slow takes no more than its share of the time, one that hangs even less, and all others
# are measured as often as was asked for. Batches in which the core was taken away count where only the threads of the
# same rank can have done so. Ranks, clock and machine are pretended.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
cd "$SRC" || exit 2
exec python3 -B - <<'END'
import sys

sys.path.insert(0, "bench")
from harness import jobs, measure
from harness.cells import Cell
from harness.contenders import Contender

BUDGET, FAR_FROM, ROUNDS = 200.0, 120.0, 9
NEAR_THEN_FAR = [[60.0, 0.5], [260.0, 0.5]]


class Clock:
    now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class Pretended:
    """A job whose every command takes `seconds`, or for ever: None. `lost`: how often a batch lost its core."""

    def __init__(self, name, kind, seconds, threads=1, lost=0):
        self.contender = Contender(name, name, kind, name, [], threads=threads)
        self.seconds, self.lost, self.asked = seconds, lost, 0.0
        self.variants = [jobs.Variant(f"default:{jobs.OPS.index('allreduce')}:0:0:{1 << 30}:64")]

    def command(self, text, patience=jobs.ANSWER_SECONDS):
        took = patience if self.seconds is None else min(self.seconds, patience)
        clock.now += took
        self.asked += took
        if self.seconds is None:
            raise jobs.Broken("no answer")
        machine = NEAR_THEN_FAR[clock.now > FAR_FROM]
        if text.startswith("check"):
            return [[0.0]]
        return [machine if text == "probe" else [1e6, 0, 0, self.lost, *machine, *machine]]

    def kill(self):
        pass


def measured(everyone, cells, others_want_cores=False):
    clock.now = 0.0
    measure.regimes.others_want_cores = lambda: others_want_cores
    runner = measure.Runner(list(everyone), cells, ROUNDS, 5.0, 190.0, lambda text: None)
    runner.cores = 2
    runner.run(BUDGET)
    return runner


def batches(runner, job, cell, regime):
    return len(runner.costs.get((cell, regime, job.contender.name, "default"), ()))


wrong = []
clock = measure.time = Clock()
everyone = [Pretended("xcoll", "xcoll", 0.005), Pretended("quick", "peer", 0.005), Pretended("slow", "peer", 4.0),
            Pretended("hanging", "peer", None), Pretended("bare", "bare", 0.005)]
cells = [Cell("allreduce", "f32", False, 2, honest, 1 << bits) for bits in range(3, 13) for honest in (False, True)]
runner = measured(everyone, cells)
share = runner.shares.seconds
xcoll, quick, slow, hanging, bare = everyone
for job in (xcoll, quick, bare):
    for cell in cells:
        for regime in ("near", "far"):
            if batches(runner, job, cell, regime) < ROUNDS:
                wrong.append(f"{job.contender.name} has {batches(runner, job, cell, regime)} batches: {cell}, {regime}")
one_batch = 20 * slow.seconds  # with what comes before a cell's first
if not 0 < slow.asked <= share + one_batch:
    wrong.append(f"the slow one had {slow.asked} s, its share is {share} s")
if hanging.asked > share / 2 or list(runner.broken) != ["hanging"]:
    wrong.append(f"the hanging one was waited for {hanging.asked} s of {share}; out are {list(runner.broken)}")
if list(runner.shares.over(runner.jobs)) != ["slow"]:
    wrong.append(f"expected to hear of the slow one, not of {list(runner.shares.over(runner.jobs))}")
if share > BUDGET / 2:
    wrong.append(f"a share of {share} s is most of {BUDGET} s")

for threads, others_want_cores, counts in ((1, False, False), (2, False, True), (2, True, False)):
    job = Pretended("gloo", "peer", 0.005, threads, lost=3)
    runner = measured([job], cells[:1], others_want_cores)
    if (batches(runner, job, cells[0], "near") > 0) != counts:
        wrong.append(f"{threads} threads a rank, others want cores: {others_want_cores}; expected that it counts: {counts}")

print("\n".join(wrong))
sys.exit(bool(wrong))
END
