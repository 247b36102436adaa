"""Goes round the cells until each has enough batches in every regime, or the time is over."""

import os
import random
import statistics
import time
from dataclasses import dataclass

from . import regimes
from .jobs import DTYPES, OPS, Broken
from .shares import Shares

MOST_ITERATIONS = 200_000
LEADING_BATCHES = 4  # a bare loop is dropped from a cell when it trails after so many batches,
TRAILING = 1.5       # by this factor
WAIT_SECONDS = 0.5
TRIES = 4  # of a batch that something disturbed


@dataclass
class Batch:
    cell: object
    contender: str
    variant: str
    visit: int
    regime: object  # None: it changed during the batch, or a rank lost its core to another process
    lost: int
    cost_us: float
    loop_us: float
    empty_us: float
    iterations: int
    before: tuple
    after: tuple
    seconds: float


class Runner:
    """Measures the cells of one number of ranks with the jobs of that number."""

    def __init__(self, jobs, cells, rounds, batch_ms, far_ns, say):
        self.jobs, self.cells, self.rounds, self.far_ns, self.say = jobs, cells, rounds, far_ns, say
        self.batch_ns = batch_ms * 1e6
        self.batches = []
        self.costs = {}      # (cell, regime, contender, variant) -> [µs]
        self.trailing = set()  # (cell, regime, variant): bare loops that are clearly not the best
        self.last_visit = {}
        self.visits = 0
        self.until = 0.0
        self.loop_ns = {}    # (cell, contender, variant) -> ns of an iteration, as last seen
        self.broken = {}     # contender -> why it takes part no longer
        self.shares = Shares(0.0, jobs)
        self.wrong = []
        self.shuffle = random.Random(1)
        self.cores = len(os.sched_getaffinity(0))
        self.began = time.monotonic()

    def run(self, budget):
        """Returns when all is measured or `budget` seconds have passed."""
        until = self.until = time.monotonic() + budget
        self.shares = Shares(budget, self.jobs)
        current = self.probe()
        said = time.monotonic()
        while time.monotonic() < until and self.jobs:
            todo = [cell for cell in self.cells if self.have(cell, current) < self.rounds]
            if todo:
                cell = min(todo, key=lambda c: (self.have(c, current), self.last_visit.get(c, -1)))
                current = self.visit(cell) or current
            elif all(self.have(cell, regime) >= self.rounds for cell in self.cells for regime in regimes.NEEDED):
                break
            else:
                time.sleep(WAIT_SECONDS)
                current = self.probe()
            if time.monotonic() - said > 10:
                said = time.monotonic()
                self.say(self.progress(current, until - said, bool(todo)))

    def work(self, cell):
        return [(job, variant) for job in self.jobs for variant in job.variants if variant.serves(cell)]

    def have(self, cell, regime):
        """How many batches everyone has who still matters there."""
        return min((len(self.costs.get((cell, regime, job.contender.name, variant.name), ()))
                    for job, variant in self.work(cell)
                    if (cell, regime, variant) not in self.trailing and self.shares.left(job) > 0),
                   default=self.rounds)

    def ask(self, job, text):
        """A command whose time counts towards the job's share."""
        began = time.monotonic()
        try:
            return job.command(text, self.shares.patience(job))
        finally:
            self.shares.use(job, time.monotonic() - began)

    def progress(self, current, left, measuring):
        parts = []
        for regime in regimes.ORDER:
            done = sum(min(self.rounds, self.have(cell, regime)) for cell in self.cells)
            parts.append(f"{regimes.TITLES[regime]} {100 * done // (self.rounds * len(self.cells))} %")
        doing = "now" if measuring else "waiting for another regime; now"
        return f"  {left:4.0f} s left; {', '.join(parts)}; {doing}: {regimes.TITLES[current]}"

    def probe(self):
        for job in list(self.jobs):
            try:
                answers = job.command("probe")
            except Broken as why:
                self.drop(job, str(why))
                continue
            return regimes.classify(*answers[0], self.far_ns)
        return regimes.NEAR

    def visit(self, cell):
        """One batch of everyone, in an order that changes. Returns the regime that the machine was seen in last."""
        self.visits += 1
        self.last_visit[cell] = self.visits
        work = self.work(cell)
        self.shuffle.shuffle(work)
        last = None
        for job, variant in work:
            if time.monotonic() > self.until:
                break
            if job not in self.jobs or (cell, last, variant) in self.trailing:
                continue
            try:
                last = self.undisturbed_batch(cell, job, variant) or last
            except Broken as why:
                self.drop(job, str(why))
        if last:
            self.find_trailing(cell, last)
        return last

    def undisturbed_batch(self, cell, job, variant):
        """Tries again when another process took a core. Returns the regime, or None when no try counts."""
        for _ in range(TRIES):
            if self.shares.left(job) <= 0:
                break
            batch = self.batch(cell, job, variant)
            self.batches.append(batch)
            if batch.regime:
                key = (cell, batch.regime, job.contender.name, variant.name)
                self.costs.setdefault(key, []).append(batch.cost_us)
                return batch.regime
        return None

    def find_trailing(self, cell, regime):
        medians = {}
        for job, variant in self.work(cell):
            costs = self.costs.get((cell, regime, job.contender.name, variant.name), ())
            if job.contender.kind == "bare" and not variant.shared_buffers and len(costs) >= LEADING_BATCHES:
                medians[variant] = statistics.median(costs)
        best = min(medians.values(), default=0)
        self.trailing.update((cell, regime, variant) for variant, cost in medians.items() if cost > TRAILING * best)

    def batch(self, cell, job, variant):
        known = (cell, job.contender.name, variant.name)
        if known not in self.loop_ns:
            self.first_contact(cell, job, variant)
        count = max(2, min(MOST_ITERATIONS, int(self.batch_ns / self.loop_ns[known])))
        # Threads of a rank that take turns on a core look as if another process took it, so it is asked otherwise then.
        turns = cell.ranks <= self.cores < cell.ranks * job.contender.threads
        others = turns and regimes.others_want_cores()
        answers = self.time(cell, job, variant, max(2, count // 4), count)
        loop, empty = max(a[0] for a in answers), max(a[1] for a in answers)
        self.loop_ns[known] = loop
        before, after = tuple(answers[0][4:6]), tuple(answers[0][6:8])
        lost = int(sum(a[3] for a in answers))
        disturbed = lost > 0 and cell.ranks <= self.cores and (not turns or others or regimes.others_want_cores())
        regime = None if disturbed else regimes.of_batch(before, after, self.far_ns)
        return Batch(cell, job.contender.name, variant.name, self.visits, regime, lost,
                     (loop - empty) / 1e3, loop / 1e3, empty / 1e3, count, before, after,
                     time.monotonic() - self.began)

    def first_contact(self, cell, job, variant):
        """Checks the result once, then finds out how long an iteration takes."""
        in_place = int(cell.in_place)
        if cell.op != "barrier":
            answers = self.ask(job, f"check {variant.name} {OPS.index(cell.op)} {list(DTYPES).index(cell.dtype)} "
                                    f"{in_place} {cell.bytes}")
            wrong = sum(int(a[0]) for a in answers)
            if wrong:
                raise Broken(f"{wrong} wrong elements in {cell.words()} {variant.name}")
        calibration = self.batch_ns / 16
        count = 2
        while True:
            answers = self.time(cell, job, variant, 1, count)
            loop = max(a[0] for a in answers)
            if loop * count > calibration or count >= MOST_ITERATIONS:
                break
            count = min(MOST_ITERATIONS, max(2 * count, int(1.5 * calibration / max(loop, 1))))
        self.loop_ns[cell, job.contender.name, variant.name] = max(loop, 1)

    def time(self, cell, job, variant, warm, count):
        answers = self.ask(job, f"time {variant.name} {OPS.index(cell.op)} {list(DTYPES).index(cell.dtype)} "
                                f"{int(cell.in_place)} {cell.bytes} {int(cell.one_root)} {int(cell.honest)} "
                                f"{warm} {count}")
        if any(a[2] for a in answers):
            raise Broken(f"wrong results while timing {cell.words()} {variant.name}")
        return answers

    def drop(self, job, why):
        self.broken[job.contender.name] = why
        self.say(f"  {job.contender.label} is out: {why}")
        job.kill()
        self.jobs.remove(job)
