#!/usr/bin/env python3
"""Breaks the library in many small ways and expects a test to notice each of them.

    tests/mutants/run.py [--build DIRECTORY] [--jobs N] [--list] [WORD...]

Works on a copy of the tree, in a temporary directory or the given one, which it leaves there: with what the tests
printed in logs/, and so that the next run builds less. WORDs pick mutations by their names. Needs nothing but Python, make and what the tests need.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from mutations import MUTATIONS  # noqa: E402

SOURCE = Path(__file__).resolve().parent.parent.parent
COPIED = ["Makefile", "configure.ac", ".build", "include", "src", "tests"]
TEST_SECONDS = 400

# How a test that failed says so: shown in the table.
SYMPTOMS = [
    ("data race", "WARNING: ThreadSanitizer"),
    ("deadlock", "nobody can move"),
    ("livelock", "more than .* events"),
    ("wrong result", "wrong result|the sum is wrong"),
    ("not reported", "nobody said so"),
    ("another operation's head", "must call the same operations"),
    ("overwritten memory", "memory beside|send buffer was written"),
    ("crash", "Segmentation fault|AddressSanitizer|Aborted|terminate called"),
    ("error", "rank \\d+ of \\d+|FAILED|failed|differ"),
]


def copy_tree(build):
    """Copies what has changed, with its times, so that make builds only that."""
    for name in COPIED:
        source, target = SOURCE / name, build / "tree" / name
        if source.is_dir():
            wanted = set()
            for path in source.rglob("*"):
                if path.is_dir() or "__pycache__" in path.parts:
                    continue
                place = target / path.relative_to(source)
                wanted.add(place)
                if not place.exists() or place.read_bytes() != path.read_bytes():
                    place.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, place)
            for place in target.rglob("*"):
                if place.is_file() and place not in wanted:
                    place.unlink()
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists() or target.read_bytes() != source.read_bytes():
                shutil.copy(source, target)


def with_threads(test):
    """ThreadSanitizer watches all but the simulator, which has one thread."""
    return not test.startswith("sim/")


class Bench:
    def __init__(self, build, jobs):
        self.build, self.tree, self.jobs = build, build / "tree", jobs

    def make(self, test):
        threads = with_threads(test)
        directory = self.build / ("threads" if threads else "plain")
        target = directory / "tests" / test
        environment = dict(os.environ, XCOLL_NO_INSTALL="1")
        command = ["make", f"-j{self.jobs}", f"BUILD={directory}", "CXXFLAGS=-O1", str(target)]
        if threads:
            command += ["CONFIGURE_ARGS=--enable-sanitizer=thread"]
        result = subprocess.run(command, cwd=self.tree, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"{test} cannot be built:\n" + result.stdout[-3000:])
        return target

    def run(self, test):
        """The status of a test (None: killed) and what it printed."""
        name, argument = test
        command = [str(self.make(name))]
        environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1", XCOLL_TIMEOUT="30")
        if argument:
            command.append(f"*{argument}*" if name.startswith("sim/") else argument)
        if with_threads(name) and shutil.which("setarch"):
            command = ["setarch", os.uname().machine, "-R"] + command
        try:
            result = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    text=True, errors="replace", timeout=TEST_SECONDS, check=False)
            return result.returncode, result.stdout
        except subprocess.TimeoutExpired as late:
            return None, (late.stdout or b"").decode(errors="replace")

    def apply(self, mutation):
        """Returns the original texts by file."""
        originals = {}
        for file, text, replacement in mutation.edits:
            path = self.tree / file
            now = path.read_text()
            originals.setdefault(path, now)
            if now.count(text) != 1:
                self.restore(originals)
                raise RuntimeError(f"stale: {file} has its text {now.count(text)} times, expected once:\n{text}")
            path.write_text(now.replace(text, replacement))
        return originals

    @staticmethod
    def restore(originals):
        for path, text in originals.items():
            path.write_text(text)


def symptom(status, output):
    if status is None:
        return "killed after %d s" % TEST_SECONDS
    for name, pattern in SYMPTOMS:
        if re.search(pattern, output):
            return name
    return f"status {status}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    chosen = [m for m in MUTATIONS if not options.words or any(word in m.name for word in options.words)]
    if options.list:
        for mutation in chosen:
            print(f"{mutation.name:52} {' '.join(mutation.test):48} {mutation.why}")
        return 0
    if not chosen:
        print("No mutation has a name with: " + " ".join(options.words))
        return 1
    build = Path(options.build or tempfile.mkdtemp(prefix="mutants-")).resolve()
    failures = 0
    try:
        copy_tree(build)
        bench = Bench(build, options.jobs)
        for test in sorted({mutation.test for mutation in chosen}):
            status, output = bench.run(test)
            if status != 0:
                print(f"{' '.join(test)} fails without any mutation ({symptom(status, output)}):\n{output[-3000:]}")
                return 1
        print(f"{'mutation':52} {'test that must fail':48} outcome", flush=True)
        for mutation in chosen:
            begin = time.monotonic()
            try:
                originals = bench.apply(mutation)
            except RuntimeError as error:
                failures += 1
                print(f"{mutation.name:52} {' '.join(mutation.test):48} FAILED: {error}", flush=True)
                continue
            try:
                status, output = bench.run(mutation.test)
                survived = status == 0
                (build / "logs").mkdir(exist_ok=True)
                (build / "logs" / re.sub(r"\W+", "_", mutation.name)).write_text(output)
                outcome = "SURVIVED: " + mutation.why if survived else "failed: " + symptom(status, output)
            except RuntimeError as error:
                survived, outcome = True, f"FAILED: {error}"
            finally:
                bench.restore(originals)
            failures += survived
            print(f"{mutation.name:52} {' '.join(mutation.test):48} {outcome} ({time.monotonic() - begin:.0f} s)",
                  flush=True)
    finally:
        if not options.build:
            shutil.rmtree(build, ignore_errors=True)
    print(f"{len(chosen) - failures} noticed, {failures} not")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
