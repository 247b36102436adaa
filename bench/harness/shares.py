"""What each peer may take of a run's time: one that is slow takes nobody else's, and one that hangs does not stop the run."""

import math

from .jobs import ANSWER_SECONDS

MOST = 1.5  # times an equal part of the time; most take less, for the bare loops, of which there are many, take more
PATIENCE = 30.0  # seconds: with more ranks than cores a batch of a library that never yields takes some


class Shares:
    def __init__(self, budget, jobs):
        self.seconds = MOST * budget / max(1, len(jobs))
        self.used = {}

    def left(self, job):
        """Whoever is no peer may take what there is."""
        if job.contender.kind != "peer":
            return math.inf
        return self.seconds - self.used.get(job.contender.name, 0.0)

    def patience(self, job):
        """How long an answer is waited for."""
        return PATIENCE if job.contender.kind == "peer" else ANSWER_SECONDS

    def use(self, job, seconds):
        self.used[job.contender.name] = self.used.get(job.contender.name, 0.0) + seconds

    def over(self, jobs):
        """Who of them has used its share, and what to say of it."""
        return {job.contender.name: f"not measured further after {self.seconds:.0f} s, its share of the time"
                for job in jobs if self.left(job) <= 0}
