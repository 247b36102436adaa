"""What traces of traced.cpp must be, for trace.sh: timeline.py JOB FILE [ARGUMENT...]"""

import json
import sys

import trace_format

BARRIER = {"form": "blocking"}
SPLIT = {"form": "blocking"}


def every_form(rank, size):
    """The operations of the job, in their order: name, number, what is told of it."""
    mismatch = ("refused", {}) if rank == 0 else ("allreduce", {"count": 1, "result": "XCOLL_ERR_MISMATCH"})
    reduction = {"dtype": "float32", "operator": "sum", "count": 4, "bytes": 16, "root": 0, "form": "persistent"}
    numbered = [
        ("barrier", BARRIER),
        ("bcast", {"dtype": "float64", "count": 5, "bytes": 40, "root": size - 1, "form": "blocking"}),
        ("allreduce", {"dtype": "int32", "operator": "sum", "count": 3, "bytes": 12, "form": "blocking"}),
        ("allreduce", {"dtype": "int64", "operator": "max", "count": 7, "bytes": 56, "form": "i"}),
        ("allgather", {"dtype": "int16", "count": 2, "bytes": 4, "form": "i"}),
        ("barrier", {"form": "enqueue"}),
        ("reduce", reduction),
        ("reduce", reduction),
        ("group", {"calls": 2, "bytes_out": 8, "bytes_in": 8 * (size - 1), "form": "group"}),
        ("allreduce", {"dtype": "int32", "operator": "sum", "count": 1, "bytes": 4, "form": "group"}),
        ("allgatherv", {"dtype": "int32", "bytes_out": 4 * (rank + 1), "form": "blocking",
                        "bytes_in": 4 * (size * (size + 1) // 2 - rank - 1)}),
        mismatch,
        *[("split", SPLIT)] * 4,  # two for each of two communicators
    ]
    messages = [
        ("recv", {"peer": "any", "room": 9, "tag": 5, "form": "i"}),
        ("send", {"peer": (rank + 1) % size, "bytes": 9, "tag": 5, "form": "blocking"}),
    ]
    events = [(name, dict(told, sequence=n)) for n, (name, told) in enumerate(numbered, 1)]
    events[11:11] = messages
    return events


class Trace:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.whole = json.loads(file.read().decode("utf-8"))
        trace_format.check(self.whole)
        self.names, self.operations = {}, {}
        ends = {}
        for event in self.whole["traceEvents"]:
            place = event["pid"], event["tid"]
            if event["ph"] == "M":
                self.names.setdefault(event["name"], {})[place] = event["args"]
            elif event["ph"] == "e":
                key = trace_format.id_of(event)
                assert key not in ends, event
                ends[key] = event
            elif event["ph"] != "i":
                self.operations.setdefault(place, []).append(event)
        for track in self.operations.values():
            for event in track:
                end = ends.pop(trace_format.id_of(event), None) if event["ph"] == "b" else None
                event["end"] = end["ts"] if end else self.end_of(event) if event["ph"] == "X" else None
                assert not end or [end[k] for k in ("pid", "tid", "cat", "name")] == \
                    [event[k] for k in ("pid", "tid", "cat", "name")], (event, end)
        assert not ends, ends
        self.check_times()

    @staticmethod
    def end_of(event):
        """Of times in thousandths, of which the sum is one too, and no later than the same time written down."""
        return round(event["ts"] + event["dur"], 3)

    def check_times(self):
        for place, track in self.operations.items():
            assert [e["ts"] for e in track] == sorted(e["ts"] for e in track), place
            assert all(e["end"] is None or e["end"] >= e["ts"] >= 0 for e in track), place
            nested = [e for e in track if e["ph"] in "XB"]
            for before, after in zip(nested, nested[1:]):
                assert before["end"] is not None and before["end"] <= after["ts"], (before, after)

    def ranks(self):
        return sorted({pid for pid, _ in self.operations})

    def is_after(self, n):
        """Nobody leaves the barrier with this number before all have entered it."""
        barriers = [e for (_, tid), track in self.operations.items() if tid == 1
                    for e in track if e["args"].get("sequence") == n]
        assert all(e["name"] == "barrier" for e in barriers) and len(barriers) == len(self.ranks()), barriers
        assert max(e["ts"] for e in barriers) <= min(e["end"] for e in barriers), barriers

    def has(self, place, expected):
        track = self.operations[place]
        assert [e["name"] for e in track] == [name for name, _ in expected], (place, [e["name"] for e in track])
        for event, (name, told) in zip(track, expected):
            told = dict({"operation": name}, **told)
            if name != "refused":
                told.setdefault("result", "XCOLL_SUCCESS")
            for key, value in told.items():
                assert event["args"].get(key) == value, (place, key, value, event)
            is_message = name in ("send", "recv")
            assert is_message or event["args"]["algorithm"], event
            assert event["ph"] == ("X" if told.get("form", "blocking") in ("blocking", "enqueue") else "b") or \
                told.get("result") == "unfinished" or name == "refused", event


def all_forms(trace, size):
    are_threads = size > 1 and len({track["file"] for track in trace.whole["otherData"]["tracks"]}) == 1
    assert trace.ranks() == list(range(size)), trace.ranks()
    assert set(trace.operations) == {(r, c) for r in range(size) for c in (1, 2)}, set(trace.operations)
    for rank in range(size):
        trace.has((rank, 1), every_form(rank, size))
        trace.has((rank, 2), [("barrier", dict(BARRIER, sequence=1, rank=rank, size=size))])
        name = trace.names["process_name"][rank, 1]["name"]
        assert name.startswith(f"rank {rank} of {size} on "), name
        label = trace.names["thread_name"][rank, 2]["name"]
        hostile = '"quoted" \\ \t\x1b[31m \ufffd\u00e9\ufffd\ufffd\ufffd'
        assert label == f'communicator 2 "{hostile}", rank {rank} of {size}', ascii(label)
        first, second = (e for e in trace.operations[rank, 1] if e["args"]["form"] == "i" and "peer" not in e["args"])
        # Of threads, another rank's wait may have moved the first to its end before.
        assert are_threads or second["ts"] < first["end"], (first, second)
    trace.is_after(1)
    assert all(track["dropped"] == 0 for track in trace.whole["otherData"]["tracks"])


def met(trace, size):
    """On several machines too, a communicator has one number."""
    assert trace.ranks() == list(range(size)), trace.ranks()
    assert {rank for rank, tid in trace.operations if tid == 1} == set(range(size)), set(trace.operations)
    trace.is_after(1)


def away(trace, size):
    """All but the last are in a request and in a barrier, and have no end."""
    for rank in range(size):
        stuck = [("allreduce", {"sequence": 2, "form": "i", "result": "unfinished"}),
                 ("barrier", {"sequence": 3, "form": "blocking", "result": "unfinished"})]
        trace.has((rank, 1), [("barrier", dict(BARRIER, sequence=1))] + (stuck if rank < size - 1 else []))
        assert [e["ph"] for e in trace.operations[rank, 1]] == ["X"] + (["b", "B"] if rank < size - 1 else [])
        assert all(e["end"] is None for e in trace.operations[rank, 1][1:])


def hundred(trace, size):
    """The ring has 64 places."""
    for rank in range(size):
        trace.has((rank, 1), [("barrier", dict(BARRIER, sequence=n)) for n in range(37, 101)])
    assert [t["dropped"] for t in trace.whole["otherData"]["tracks"]] == [36] * size
    told = [e for e in trace.whole["traceEvents"] if e["ph"] == "i"]
    assert len(told) == size and all(e["name"].startswith("36 operations before") for e in told), told


def paused(trace, size, lasted_ns):
    """Times and durations are microseconds: those between which rank 0 has slept are as far apart, and no further than the
    job has lasted."""
    pause, lasted = 20_000, lasted_ns / 1000
    first, second = trace.operations[0, 1]
    assert second["ts"] - first["end"] >= pause, (first, second)
    for rank in range(size):
        first, second = trace.operations[rank, 1]
        assert pause <= second["end"] - first["ts"] <= lasted, (first, second, lasted)
    trace.is_after(2)


def forked(trace, size):
    for rank in range(size):
        trace.has((rank, 1), [("barrier", dict(BARRIER, sequence=n)) for n in (1, 2)])


def two_jobs(trace, size):
    """In one folder: their ranks have different places, and each its own name."""
    assert trace.ranks() == list(range(2 * size)), trace.ranks()
    names = sorted(args["name"].split(" on ")[0] for args in trace.names["process_name"].values())
    assert names == sorted([f"rank {r} of {size}" for r in range(size)] * 2), names


def readable(trace, _):
    """Of a file that says anything."""


if __name__ == "__main__":
    jobs = {f.__name__: f for f in (all_forms, met, away, hundred, paused, forked, two_jobs, readable)}
    jobs[sys.argv[1]](Trace(sys.argv[2]) if sys.argv[1] != "readable" else json.load(open(sys.argv[2], encoding="utf-8")),
                      *map(int, sys.argv[3:]))
