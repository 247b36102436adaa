"""Who takes part and how each one's ranks are started."""

import os
import shutil
import subprocess


class Contender:
    """`kind` is what it is compared as: xcoll; form, another way of calling xcoll; peer or bare. `threads`: of a rank,
    that work or wake while others are measured."""

    def __init__(self, name, label, kind, program, launcher, arguments=(), hint="", threads=1):
        self.name, self.label, self.kind = name, label, kind
        self.program, self.launcher, self.arguments = program, launcher, list(arguments)
        self.hint = hint  # how it is installed
        self.threads = threads

    def command(self, ranks):
        return [word.replace("{n}", str(ranks)) for word in [*self.launcher, self.program, *self.arguments]]

    def missing(self):
        """Why it cannot take part, or None."""
        if self.launcher and not shutil.which(self.launcher[0]):
            return f"{self.launcher[0]} is not installed{self.hint}"
        if not os.access(self.program, os.X_OK):
            return f"{self.program} was not built{self.hint or ' (make -f bench/bench.mk BUILD=...)'}"
        return None


def version_of(command, fallback):
    try:
        lines = subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return fallback
    for line in lines:
        words = line.replace("(", " ").replace(")", " ").split()
        for word in words:
            if word[:1].isdigit() and "." in word:
                return f"{fallback} {word}"
    return fallback


def package_version(build, package, fallback):
    pip = os.path.join(build, "bench", "peers", "bin", "pip")
    return version_of([pip, "show", "--disable-pip-version-check", package], fallback)


def makers(build, crowded=False, more_builds=(), more_ways=()):
    """Makes each contender, by its name, in the order of the tables. `more_builds`: other builds of xcoll to run beside
    this one, as (name, directory); `more_ways`: bare loops."""
    def program(name):
        return os.path.join(build, "bench", name)

    def xcoll(name, label, directory=build, kind="xcoll", form="blocking"):
        return lambda: Contender(name, label, kind, os.path.join(directory, "bench", "xcoll"),
                                 [os.path.join(directory, "xcollrun"), "-n", "{n}"], [form])

    def ucc(name, form, suffix=""):
        return lambda: Contender(name, version_of([program("ucc"), "version"], "UCC") + suffix, "peer", program("ucc"),
                                 [os.path.join(build, "xcollrun"), "-n", "{n}"], [form],
                                 hint=": make bench UCC_HOME=PREFIX, or have pkg-config find ucc")

    def from_package(name, package, label, *more):
        """One that `make bench-peers` installs, started by Intel MPI's launcher, which leaves the pinning to the rank."""
        launcher = os.path.join(build, "bench", "peers", "bin", "mpiexec.hydra")
        return lambda: Contender(name, package_version(build, package, label), "peer", program(name),
                                 [launcher, "-genv", "I_MPI_PIN", "0", *more, "-n", "{n}"], hint=": make bench-peers")

    # Open MPI yields the core while it waits only if it is told that cores are scarce.
    yielding = ["--mca", "mpi_yield_when_idle", "1"] if crowded else []
    return {
        "xcoll": xcoll("xcoll", "xcoll"),
        **{name: xcoll(name, name, directory) for name, directory in more_builds},
        "heap": xcoll("heap", "from its heap", kind="form", form="heap"),
        "persistent": xcoll("persistent", "start + wait", kind="form", form="persistent"),
        "nonblocking": xcoll("nonblocking", "i + wait", kind="form", form="nonblocking"),
        "openmpi": lambda: Contender(
            "openmpi", version_of(["mpirun.openmpi", "--version"], "Open MPI"), "peer", program("openmpi"),
            ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "none", "--oversubscribe", *yielding, "-n", "{n}"]),
        "mpich": lambda: Contender("mpich", version_of(["mpirun.mpich", "--version"], "MPICH"), "peer", program("mpich"),
                                   ["mpirun.mpich", "-bind-to", "none", "-n", "{n}"]),
        "intelmpi": from_package("intelmpi", "impi-rt", "Intel MPI"),
        # A rank has one core, and a worker thread of oneCCL would take it away: whoever calls does the work.
        "oneccl": from_package("oneccl", "oneccl-cpu", "oneCCL", "-genv", "CCL_WORKER_OFFLOAD", "0"),
        "gloo": lambda: Contender("gloo", "Gloo", "peer", program("gloo"),
                                  [os.path.join(build, "xcollrun"), "-n", "{n}"],
                                  hint=": apt-get install libgloo-dev", threads=2),
        "ucc": ucc("ucc", "blocking"),
        "ucc_persistent": ucc("ucc_persistent", "persistent", ", persistent"),
        "bare": lambda: Contender("bare", "bare loops", "bare", program("bare"), [], ["{n}", *more_ways]),
    }


def standard(build, wanted, crowded, more_builds=(), more_ways=()):
    chosen = {name for name, _ in more_builds} | set(wanted)
    return [make() for name, make in makers(build, crowded, more_builds, more_ways).items() if name in chosen]
