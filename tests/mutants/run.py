#!/usr/bin/env python3
"""Breaks the library in many small ways and expects a test to notice each of them.

    tests/mutants/run.py [--build DIRECTORY] [--jobs N] [--list] [--check] [--table] [WORD...]

Works on a copy of the tree, in a temporary directory or the given one, which it leaves there: with what the tests
printed in logs/, and so that the next run builds less. WORDs pick mutations by their names. --table writes what came
out into NOTICED.md, --check only holds the mutations against the tree and that table. Needs nothing but Python, make and
what the tests need.
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
TABLE = SOURCE / "tests/mutants/NOTICED.md"
COPIED = ["Makefile", "configure.ac", ".build", "include", "src", "tests"]
TEST_SECONDS = 400

TABLE_TEXT = """# Which test notices what

Written by `tests/mutants/run.py --table`, which breaks the library in these ways, one at a time, and runs the test named
beside it. A word behind a test picks some of its promises, a number says by how many ranks. Outside `sim/`
ThreadSanitizer watches. What has no row has not been tried since the table began: `tests/mutants/run.py --list` has all.

"""
SURVIVED = "**nothing shows**"

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


def where_stale(mutation, tree):
    """What of its texts is not in the tree once; nothing if all are."""
    for file, text, _ in mutation.edits:
        times = (tree / file).read_text().count(text)
        if times != 1:
            return f"stale: {file} has its text {times} times, expected once:\n{text}"
    return ""


def test_of(mutation):
    return "`" + " ".join(mutation.test).strip() + "`"


def read_table():
    """The cells of each mutation's row, by its name."""
    lines = TABLE.read_text().splitlines() if TABLE.exists() else []
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return {row[0]: row for row in rows[2:]}  # behind the head


def write_table(outcomes):
    """New outcomes by name; what was not tried keeps its row."""
    rows = read_table()
    rows.update({m.name: [m.name, m.why, test_of(m), outcomes[m.name]] for m in MUTATIONS if m.name in outcomes})
    kept = [rows[m.name] for m in MUTATIONS if m.name in rows]
    head = [["broken", "what it would do", "test", "how it shows"], ["---"] * 4]
    TABLE.write_text(TABLE_TEXT + "".join("| " + " | ".join(row) + " |\n" for row in head + kept))


def check():
    """Without building anything: the mutations fit the tree, the table the mutations."""
    complaints = [f"{m.name}: {where_stale(m, SOURCE)}" for m in MUTATIONS if where_stale(m, SOURCE)]
    tests = {m.name: test_of(m) for m in MUTATIONS}
    complaints += [f"{name}: NOTICED.md says what {row[2]} makes of it, which is not its test"
                   for name, row in read_table().items() if tests.get(name) != row[2]]
    print("\n".join(complaints) or f"{len(MUTATIONS)} mutations fit the tree and the table.")
    return 1 if complaints else 0


class Bench:
    def __init__(self, build, jobs):
        self.build, self.tree, self.jobs = build, build / "tree", jobs

    def make(self, test):
        # Relative, as a compiler cache may write it into lists of dependencies: make must know it again.
        kind = "threads" if with_threads(test) else "plain"
        target = f"../{kind}/tests/{test}"
        environment = dict(os.environ, XCOLL_NO_INSTALL="1")
        command = ["make", f"-j{self.jobs}", f"BUILD=../{kind}", "CXXFLAGS=-O1", target]
        if with_threads(test):
            command += ["CONFIGURE_ARGS=--enable-sanitizer=thread"]
        result = subprocess.run(command, cwd=self.tree, env=environment, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        if result.returncode != 0:
            raise RuntimeError(f"{test} cannot be built:\n" + result.stdout[-3000:])
        return self.tree / target

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
        stale = where_stale(mutation, self.tree)
        if stale:
            raise RuntimeError(stale)
        originals = {}
        for file, text, replacement in mutation.edits:
            path = self.tree / file
            originals.setdefault(path, path.read_text())
            path.write_text(path.read_text().replace(text, replacement))
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


def try_one(bench, mutation):
    """How the test failed; nothing if it passed."""
    originals = bench.apply(mutation)
    try:
        status, output = bench.run(mutation.test)
    finally:
        bench.restore(originals)
    logs = bench.build / "logs"
    logs.mkdir(exist_ok=True)
    (logs / re.sub(r"\W+", "_", mutation.name)).write_text(output)
    return symptom(status, output) if status != 0 else ""


def pass_unchanged(bench, tests):
    for test in sorted(tests):
        status, output = bench.run(test)
        if status != 0:
            print(f"{' '.join(test)} fails without any mutation ({symptom(status, output)}):\n{output[-3000:]}")
            return False
    return True


def try_all(bench, chosen, keeps_table):
    """How the tests failed, by the mutation's name. The table has each at once: whoever ends this keeps what came out."""
    outcomes = {}
    print(f"{'mutation':52} {'test that must fail':48} outcome", flush=True)
    for mutation in chosen:
        begin = time.monotonic()
        try:
            how = try_one(bench, mutation)
            outcomes[mutation.name] = how or SURVIVED
            outcome = f"failed: {how}" if how else f"SURVIVED: {mutation.why}"
            if keeps_table:
                write_table({mutation.name: outcomes[mutation.name]})
        except RuntimeError as error:
            outcome = f"FAILED: {error}"
        print(f"{mutation.name:52} {' '.join(mutation.test):48} {outcome} ({time.monotonic() - begin:.0f} s)",
              flush=True)
    return outcomes


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    for flag in ("--list", "--check", "--table"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("words", nargs="*")
    return parser.parse_args()


def main():
    options = parse_options()
    if options.check:
        return check()
    chosen = [m for m in MUTATIONS if not options.words or any(word in m.name for word in options.words)]
    if options.list:
        for mutation in chosen:
            print(f"{mutation.name:52} {' '.join(mutation.test):48} {mutation.why}")
        return 0
    if not chosen:
        print("No mutation has a name with: " + " ".join(options.words))
        return 1
    build = Path(options.build or tempfile.mkdtemp(prefix="mutants-")).resolve()
    try:
        copy_tree(build)
        bench = Bench(build, options.jobs)
        if not pass_unchanged(bench, {mutation.test for mutation in chosen}):
            return 1
        outcomes = try_all(bench, chosen, options.table)
    finally:
        if not options.build:
            shutil.rmtree(build, ignore_errors=True)
    noticed = sum(how != SURVIVED for how in outcomes.values())
    print(f"{noticed} noticed, {len(chosen) - noticed} not")
    return 0 if noticed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
