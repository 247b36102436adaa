"""From batches to the figures of the tables; reads and writes the JSON file."""

import json
import math
import statistics
from dataclasses import dataclass

from . import regimes
from .cells import Cell

XCOLL, PEER, BARE, PERSISTENT = "xcoll", "peer", "bare", "persistent"
SHARED = "shared"  # the bare loop on shared buffers: a reference, not a yardstick for private ones
BARE_LIMIT = 1.25
FEW = 3  # batches: too few to say anything
TICK_US = 1000.0  # no small message takes so long, but whoever spins beside a rank that needs the core
COLUMNS = ["op", "dtype", "in_place", "ranks", "honest", "bytes", "one_root", "contender", "variant",
           "visit", "regime", "lost", "cost_us", "loop_us", "empty_us", "iterations", "round_trip_before_ns",
           "fma_before", "round_trip_after_ns", "fma_after", "seconds"]


@dataclass
class Figure:
    median: float
    least: float
    most: float
    batches: int
    variant: str

    @staticmethod
    def of(costs, variant):
        return Figure(statistics.median(costs), min(costs), max(costs), len(costs), variant)


class Row:
    """One cell in one regime."""

    def __init__(self, cell, figures, kinds, cores):
        self.cell, self.figures = cell, figures
        self.crowded = cell.ranks > cores
        peers = [figures[name] for name in figures if kinds.get(name) == PEER]
        self.peer = min(peers, key=lambda figure: figure.median, default=None)
        self.xcoll, self.bare, self.persistent = figures.get(XCOLL), figures.get(BARE), figures.get(PERSISTENT)
        # What the pictures compare with: not every operation has a bare loop.
        self.yardstick = self.bare or self.peer
        self.batches = min(figure.batches for figure in figures.values())

    @staticmethod
    def ratio(over, under):
        """None where either is missing or too short to be told from nothing."""
        if over is None or under is None or over.median <= 0 or under.median <= 0:
            return None
        return over.median / under.median

    def peer_to_xcoll(self):
        return self.ratio(self.peer, self.xcoll)

    def peer_to_persistent(self):
        return self.ratio(self.peer, self.persistent)

    def xcoll_to_bare(self):
        return self.ratio(self.xcoll, self.bare)

    def peer_to_bare(self):
        return self.ratio(self.peer, self.bare)

    def missed(self):
        """The targets that this line misses."""
        found = []
        gain, over = self.peer_to_xcoll(), self.xcoll_to_bare()
        if gain is not None and gain < 1:
            sure = self.xcoll.least > self.peer.median
            found.append("SLOWER than a peer" if sure else "slower than a peer (within the spread)")
        if self.crowded and self.xcoll and self.cell.bytes <= 4096 and self.xcoll.most > TICK_US:
            found.append("a rank waited for the scheduler's tick")
        if over is not None and over > BARE_LIMIT and not self.crowded:
            sure = self.xcoll.least > BARE_LIMIT * self.bare.median
            found.append(f"above {BARE_LIMIT} x bare" + ("" if sure else " (within the spread)"))
        if self.xcoll and self.persistent and self.persistent.least > self.xcoll.median and not self.crowded:
            found.append("start + wait slower than the blocking call")
        return found

    def flags(self):
        return "; ".join(self.missed() + ([] if self.batches >= FEW else ["few batches"]))


class Results:
    def __init__(self, about, contenders, batches):
        """`contenders`: [{name, label, kind, state}]; `batches`: dictionaries with the keys of COLUMNS."""
        self.about, self.contenders, self.batches = about, contenders, batches
        self.kinds = {c["name"]: c["kind"] for c in contenders}
        self.labels = {c["name"]: c["label"] for c in contenders}
        self.labels[SHARED] = "shared buffers"
        self.cells = list(dict.fromkeys(self.cell_of(batch) for batch in batches))
        self.rows = self.make_rows()

    @staticmethod
    def cell_of(batch):
        return Cell(batch["op"], batch["dtype"], bool(batch["in_place"]), batch["ranks"], bool(batch["honest"]),
                    batch["bytes"], bool(batch.get("one_root")))  # older files have none

    def make_rows(self):
        costs = {}
        for batch in self.batches:
            if batch["regime"]:
                ways = costs.setdefault((self.cell_of(batch), batch["regime"]), {}).setdefault(batch["contender"], {})
                ways.setdefault(batch["variant"], []).append(batch["cost_us"])
        rows = {}
        for key, contenders in costs.items():
            figures = {}
            for name, ways in contenders.items():
                of_ways = [Figure.of(found, variant) for variant, found in ways.items()]
                private = [figure for figure in of_ways if figure.variant != SHARED]
                # A loop that was dropped early for trailing cannot be the best; one with a single lucky batch neither.
                enough = max((figure.batches for figure in private), default=0) / 2
                private = [figure for figure in private if figure.batches >= enough]
                if private:
                    figures[name] = min(private, key=lambda figure: figure.median)
                for figure in of_ways:
                    if figure.variant == SHARED:
                        figures[SHARED] = figure
            rows[key] = Row(key[0], figures, self.kinds, self.about["cores"])
        return rows

    def tables(self):
        return list(dict.fromkeys(cell.table() for cell in self.cells))

    def rows_of(self, table, regime):
        found = [row for (cell, seen), row in self.rows.items() if cell.table() == table and seen == regime]
        return sorted(found, key=lambda row: row.cell.bytes)

    def columns_of(self, rows):
        order = [c["name"] for c in self.contenders] + [SHARED]
        return [name for name in order if any(name in row.figures for row in rows)]

    def regimes_of(self, tables):
        return [regime for regime in regimes.ORDER if any(self.rows_of(table, regime) for table in tables)]

    def lacking(self, regime, least):
        """Cells with fewer than `least` batches in a regime."""
        return [cell for cell in self.cells
                if (cell, regime) not in self.rows or self.rows[cell, regime].batches < least]

    def round_trips(self):
        """Per regime the round trips around the batches, sorted."""
        found = {}
        for batch in self.batches:
            if batch["regime"]:
                found.setdefault(batch["regime"], []).extend(
                    (batch["round_trip_before_ns"], batch["round_trip_after_ns"]))
        return {regime: sorted(values) for regime, values in found.items()}

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            document = {"about": self.about, "contenders": self.contenders, "columns": COLUMNS, "batches": []}
            text = json.dumps(document, indent=1)
            lines = ",\n".join(json.dumps([batch[column] for column in COLUMNS]) for batch in self.batches)
            file.write(text.replace('"batches": []', f'"batches": [\n{lines}\n ]') + "\n")

    @staticmethod
    def load(path):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        batches = [dict(zip(document["columns"], batch)) for batch in document["batches"]]
        return Results(document["about"], document["contenders"], batches)


def geometric_mean(ratios):
    found = [ratio for ratio in ratios if ratio is not None]
    return math.exp(sum(math.log(ratio) for ratio in found) / len(found)) if found else None


def batch_record(batch):
    cell = batch.cell
    values = [cell.op, cell.dtype, cell.in_place, cell.ranks, cell.honest, cell.bytes, cell.one_root,
              batch.contender, batch.variant, batch.visit, batch.regime, batch.lost,
              round(batch.cost_us, 5), round(batch.loop_us, 5), round(batch.empty_us, 5), batch.iterations, *batch.before, *batch.after, round(batch.seconds, 3)]
    return dict(zip(COLUMNS, values))
