"""Draws a figure as SVG: time over size on logarithmic axes, and below it how many times the best bare
loop that is, or the best peer where there is no bare loop.
One column of panels per regime, one row per loop."""

import math
from html import escape

from . import regimes
from .cells import loop_name, op_name, size_name
from .results import BARE, SHARED, XCOLL

INK, SOFT, GRID, PAPER = "#1f2933", "#6b7785", "#e6e9ed", "#ffffff"
XCOLL_COLOUR, BARE_COLOUR, SHARED_COLOUR = "#0f6cbd", "#3b4450", "#a3adb8"
PEER_COLOURS = ["#c2571a", "#7a5195", "#4b8b3b", "#b3447a"]
FONT = "font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif\""

PANEL_WIDTH, TIME_HEIGHT, RATIO_HEIGHT = 400, 270, 90
LEFT, LABELS, TOP, BOTTOM, BETWEEN, HEADING = 62, 104, 84, 46, 14, 34
LABEL_GAP = 14


class Scale:
    """From a value to a coordinate, logarithmically."""

    def __init__(self, least, most, start, end):
        self.low, self.high = math.log(least), math.log(max(most, least * 1.001))
        self.least, self.most, self.start, self.end = least, most, start, end

    def __call__(self, value):
        share = (math.log(value) - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * share


class Figure:
    def __init__(self, results, op, dtype, in_place, ranks):
        self.results = results
        self.tables = [t for t in results.tables() if t[:4] == (op, dtype, in_place, ranks)]
        self.regimes = results.regimes_of(self.tables)
        self.title = f"{op_name(op)}, {dtype}, {'in place, ' if in_place else ''}{ranks} ranks"
        rows = [row for table in self.tables for regime in self.regimes for row in results.rows_of(table, regime)]
        self.names = results.columns_of(rows)
        peers = [name for name in self.names if results.kinds.get(name) == "peer"]
        self.colours = {XCOLL: XCOLL_COLOUR, BARE: BARE_COLOUR, SHARED: SHARED_COLOUR,
                        **dict(zip(peers, PEER_COLOURS))}
        has_bare = any(row.bare for row in rows)
        self.yardstick = "bare loop" if has_bare else "best peer"
        self.ratio_values = (0.5, 1, 2, 4, 8, 16) if has_bare else (0.125, 0.25, 0.5, 1, 2, 4)
        self.sizes = sorted({row.cell.bytes for row in rows})
        values = [f.median for row in rows for f in row.figures.values() if f.median > 0.005]
        self.least = min(values) / 1.3
        self.most = max(values) * 1.3
        self.out = []

    def drawable(self):
        return len(self.sizes) > 2 and bool(self.regimes)

    # ------------------------------------------------------------------------------------------------ elements

    def line(self, x1, y1, x2, y2, colour=GRID, width=1.0):
        self.out.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
                        f'stroke-width="{width}"/>')

    def text(self, x, y, text, size=11, colour=SOFT, anchor="start", weight="400"):
        self.out.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
                        f'font-weight="{weight}">{escape(text)}</text>')

    def curve(self, points, name):
        if not points:
            return
        colour = self.colours.get(name, XCOLL_COLOUR)
        width, dash = {XCOLL: (2.8, ""), BARE: (1.6, ""), SHARED: (1.4, "2 3")}.get(name, (1.7, ""))
        if name == BARE:
            dash = "6 3"
        path = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(points))
        self.out.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" '
                        f'stroke-linejoin="round" stroke-linecap="round" stroke-dasharray="{dash}"/>')
        if name == XCOLL:
            self.out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}" stroke="{PAPER}"/>'
                         for x, y in points]

    # -------------------------------------------------------------------------------------------------- panels

    def draw(self):
        width = len(self.regimes) * (LEFT + PANEL_WIDTH + LABELS) + 10
        panel_height = HEADING + TIME_HEIGHT + BETWEEN + RATIO_HEIGHT + BOTTOM
        height = TOP + len(self.tables) * panel_height
        self.out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
                    f'height="{height}" {FONT}>', f'<title>{escape(self.title)}</title>',
                    f'<rect width="{width}" height="{height}" fill="{PAPER}"/>']
        self.text(LEFT, 34, self.title[0].upper() + self.title[1:], 20, INK, weight="600")
        about = self.results.about
        self.text(LEFT, 56, f"{about['processor']}, {about['cores']} cores, {about['date']}. Medians; the shade "
                  "around xcoll spans all its batches. Lower is better.", 12)
        for i, table in enumerate(self.tables):
            for j, regime in enumerate(self.regimes):
                self.panel(table, regime, j * (LEFT + PANEL_WIDTH + LABELS) + LEFT, TOP + i * panel_height)
        self.out.append("</svg>")
        return "\n".join(self.out) + "\n"

    def panel(self, table, regime, left, top):
        rows = self.results.rows_of(table, regime)
        right, time_top = left + PANEL_WIDTH, top + HEADING
        time_bottom = time_top + TIME_HEIGHT
        ratio_top = time_bottom + BETWEEN
        ratio_bottom = ratio_top + RATIO_HEIGHT
        across = Scale(self.sizes[0], self.sizes[-1], left + 8, right - 8)
        times = Scale(self.least, self.most, time_bottom, time_top)
        lowest, highest = self.ratio_values[0], self.ratio_values[-1]
        ratios = Scale(lowest, highest, ratio_bottom, ratio_top)
        self.text(left, top + 18, f"{regimes.TITLES[regime][0].upper()}{regimes.TITLES[regime][1:]}", 14, INK,
                  weight="600")
        self.text(right, top + 18, loop_name(*table[4:]), 12, SOFT, "end")
        self.size_axis(across, time_top, time_bottom, ratio_top, ratio_bottom)
        self.time_axis(times, left, right)
        self.ratio_axis(ratios, left, right)
        self.spread(rows, across, times)
        ends = []
        for name in self.drawing_order():
            points = [(across(row.cell.bytes), times(row.figures[name].median)) for row in rows
                      if name in row.figures and row.figures[name].median > 0.005]
            self.curve(points, name)
            if points:
                ends.append((points[-1][1], name))
            self.curve([(across(row.cell.bytes), ratios(min(highest, max(lowest, ratio)))) for row in rows
                        for ratio in [row.ratio(row.figures.get(name), row.yardstick)]
                        if ratio and name not in (BARE, SHARED)], name)
        self.end_labels(ends, right + 8, time_top, time_bottom)
        if not rows:
            self.text((left + right) / 2, (time_top + time_bottom) / 2, "not seen in this run", 12, SOFT, "middle")

    def drawing_order(self):
        """What matters most is drawn last, on top."""
        def rank(name):
            return {SHARED: 0, BARE: 2, XCOLL: 3}.get(name, 1)
        return sorted(self.names, key=rank)

    def size_axis(self, across, time_top, time_bottom, ratio_top, ratio_bottom):
        for power in range(3, 31, 3):
            size = 1 << power
            if across.least <= size <= across.most:
                self.line(across(size), time_top, across(size), time_bottom)
                self.line(across(size), ratio_top, across(size), ratio_bottom)
                self.text(across(size), ratio_bottom + 16, size_name(size), 11, SOFT, "middle")
        self.text((across.start + across.end) / 2, ratio_bottom + 34, "bytes", 11, SOFT, "middle")

    def time_axis(self, times, left, right):
        exponent = math.ceil(math.log10(self.least))
        while 10.0 ** exponent <= self.most:
            value = 10.0 ** exponent
            self.line(left, times(value), right, times(value))
            name = (f"{value * 1000:.0f} ns" if value < 1 else f"{value:.0f} µs" if value < 1000
                    else f"{value / 1000:.0f} ms")
            self.text(left - 8, times(value) + 4, name, 11, SOFT, "end")
            exponent += 1

    def ratio_axis(self, ratios, left, right):
        for value in self.ratio_values:
            strong = value == 1
            self.line(left, ratios(value), right, ratios(value), BARE_COLOUR if strong else GRID, 1.0)
            self.text(left - 8, ratios(value) + 4, f"{value:g}×", 10, BARE_COLOUR if strong else SOFT, "end")
        self.text(right + 8, ratios(self.ratio_values[3]) + 4, "times the best", 10)
        self.text(right + 8, ratios(self.ratio_values[3]) + 17, self.yardstick, 10)

    def spread(self, rows, across, times):
        found = [(across(row.cell.bytes), row.figures[XCOLL]) for row in rows if XCOLL in row.figures]
        found = [(x, figure) for x, figure in found if figure.least > 0.005]
        if len(found) < 2:
            return
        over = [(x, times(min(self.most, figure.most))) for x, figure in found]
        under = [(x, times(max(self.least, figure.least))) for x, figure in reversed(found)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in over + under)
        self.out.append(f'<polygon points="{points}" fill="{XCOLL_COLOUR}" fill-opacity="0.13"/>')

    def end_labels(self, ends, x, top, bottom):
        """Beside the last points, pushed apart where they would overlap."""
        ends.sort()
        places = []
        for y, _ in ends:
            places.append(max(y, places[-1] + LABEL_GAP) if places else max(y, top + 6))
        limit = bottom
        for i in reversed(range(len(places))):
            places[i] = min(places[i], limit)
            limit = places[i] - LABEL_GAP
        for (y, name), place in zip(ends, places):
            colour = self.colours.get(name, XCOLL_COLOUR)
            self.out.append(f'<path d="M{x - 7:.1f} {y:.1f}L{x - 1:.1f} {place:.1f}" stroke="{colour}" '
                            f'stroke-width="0.8" fill="none"/>')
            label = "best bare loop" if name == BARE else self.results.labels[name]
            self.text(x + 2, place + 4, label, 12, colour, weight="600" if name == XCOLL else "400")


def figures(results):
    """(name of the file, SVG) of every figure that has enough points to draw."""
    for key in dict.fromkeys(table[:4] for table in results.tables()):
        op, dtype, in_place, ranks = key
        if op == "barrier":
            continue
        figure = Figure(results, *key)
        if figure.drawable():
            yield f"{op}-{dtype}{'-in-place' if in_place else ''}-{ranks}.svg", figure.draw()
