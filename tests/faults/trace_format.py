"""The rules of the Trace Event Format that a timeline must keep for any viewer to take it: of all that the format has,
what xcoll-doctor --trace writes."""

from numbers import Real

# What a phase needs beside name, pid and tid, and what it must not have.
PHASES = {
    "M": ({"args"}, {"ts", "dur", "id2"}),
    "X": ({"ts", "dur"}, {"id2"}),
    "B": ({"ts"}, {"dur", "id2"}),
    "b": ({"ts", "id2", "cat"}, {"dur"}),
    "e": ({"ts", "id2", "cat"}, {"dur"}),
    "i": ({"ts", "s"}, {"dur", "id2"}),
}
# The one member that the arguments of metadata have, its type, and whether it is of a process or of a track of one.
METADATA = {
    "process_name": ("name", str, "pid"),
    "process_labels": ("labels", str, "pid"),
    "process_sort_index": ("sort_index", int, "pid"),
    "thread_name": ("name", str, "tid"),
    "thread_sort_index": ("sort_index", int, "tid"),
}


def is_time(value):
    """Microseconds, which may be fractions."""
    return isinstance(value, Real) and not isinstance(value, bool) and value >= 0


def check_event(event):
    needed, forbidden = PHASES[event["ph"]]
    assert needed <= set(event) and not forbidden & set(event), event
    assert isinstance(event["name"], str) and event["name"], event
    assert all(type(event[key]) is int and event[key] >= 0 for key in ("pid", "tid")), event
    assert all(is_time(event[key]) for key in ("ts", "dur") if key in event), event
    assert isinstance(event.get("args", {}), dict) and isinstance(event.get("cat", ""), str), event
    assert "id" not in event and event.get("s", "t") in ("g", "p", "t"), event
    local = event.get("id2", {"local": ""})
    assert list(local) == ["local"] and isinstance(local["local"], str), event


def id_of(event):
    """A local id is one of its process; a plain "id" would take the event out of the process that it belongs to."""
    return event["pid"], event.get("cat"), event["id2"]["local"]


def check_metadata(events):
    """Each once, and every process and track that has events has its name."""
    seen = set()
    for event in events:
        if event["ph"] == "M":
            member, kind, of = METADATA[event["name"]]
            assert list(event["args"]) == [member] and type(event["args"][member]) is kind, event
            place = event["name"], event["pid"], event["tid"] if of == "tid" else None
            assert place not in seen, event
            seen.add(place)
    for event in events:
        assert ("process_name", event["pid"], None) in seen, event
        assert event["ph"] == "M" or ("thread_name", event["pid"], event["tid"]) in seen, event


def check_pairs(events):
    """An end belongs to the one begin of its process, category and id, which comes before it."""
    begun = {}
    for event in events:
        if event["ph"] == "b":
            assert id_of(event) not in begun, event
            begun[id_of(event)] = event
        elif event["ph"] == "e":
            begin = begun[id_of(event)]
            assert begin["ph"] == "b" and begin["ts"] <= event["ts"], (begin, event)
            assert [begin[k] for k in ("tid", "name")] == [event[k] for k in ("tid", "name")], (begin, event)
            begun[id_of(event)] = event


def check(whole):
    assert isinstance(whole, dict) and whole.get("displayTimeUnit", "ms") in ("ms", "ns"), whole.keys()
    events = whole["traceEvents"]
    for event in events:
        check_event(event)
    check_metadata(events)
    check_pairs(events)
