"""How close the two cores are at the moment.

A virtual machine's cores are moved under it: for some seconds they share an L3, then they do not, at times they are two
hardware threads of one core. All figures differ by a factor of 2 to 5, so every batch says in which regime it ran.

The round trip of a cache line and of another one back, as probe.c measures it, in ns:
                  one L3                     two L3s
    Zen 4         50 to 63                   243 to 288
    Zen 5         76 to 150                  370 to 570
FAR_NS lies in the gap of both (its geometric middle is 190). Two hardware threads of one core (Zen 5: 40 to 60 ns) are told
from two cores by their multiply-add units, which they share: half a cycle an instruction alone, a whole one together.
"""

SMT, NEAR, FAR = "smt", "near", "far"
ORDER = [NEAR, FAR, SMT]
NEEDED = [NEAR, FAR]
TITLES = {NEAR: "one L3", FAR: "two L3s", SMT: "two threads of one core"}
FAR_NS = 190.0
SHARED_FMA = 0.65


def classify(round_trip_ns, fma_per_add, far_ns):
    if round_trip_ns > far_ns:
        return FAR
    return SMT if fma_per_add > SHARED_FMA else NEAR


def of_batch(before, after, far_ns):
    """None when the machine changed during the batch."""
    first, last = classify(*before, far_ns), classify(*after, far_ns)
    return first if first == last else None


def others_want_cores():
    """Whether anybody but this process runs or would like to at this moment. Ranks that idle do not."""
    with open("/proc/stat", encoding="ascii") as file:
        running = [int(line.split()[1]) for line in file if line.startswith("procs_running")]
    return bool(running) and running[0] > 1
