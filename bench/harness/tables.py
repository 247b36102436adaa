"""The tables, for the terminal and as Markdown."""

from dataclasses import replace

from . import regimes
from .cells import loop_name, op_name, size_name
from .results import BARE, FEW, XCOLL, geometric_mean


def micros(value):
    if value < 0.005:
        return "~0"
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def times(ratio):
    return "" if ratio is None else f"{ratio:.2f}"


def title_of(table):
    op, dtype, in_place, ranks, honest, one_root = table
    if op == "barrier":
        return f"barrier, {ranks} ranks"
    return f"{op_name(op)} {dtype}, {'in place, ' if in_place else ''}{ranks} ranks, {loop_name(honest, one_root)}"


def ratio_columns(rows):
    """(heading, function of a row) of the ratios that these rows have."""
    columns = []
    if any(row.peer_to_xcoll() for row in rows):
        columns.append(("best peer / xcoll", lambda row: row.peer_to_xcoll()))
    if any(row.peer_to_persistent() for row in rows):
        columns.append(("best peer / start + wait", lambda row: row.peer_to_persistent()))
    if any(row.xcoll_to_bare() for row in rows):
        columns.append(("xcoll / bare", lambda row: row.xcoll_to_bare()))
    elif any(row.peer_to_bare() for row in rows):
        columns.append(("best peer / bare", lambda row: row.peer_to_bare()))
    return columns


def grid(results, rows, spread):
    """Headings and lines of one table as text."""
    names = results.columns_of(rows)
    ratios = ratio_columns(rows)
    headings = ["bytes", *(results.labels[name] for name in names), *(heading for heading, _ in ratios), "n", ""]
    lines = []
    for row in rows:
        line = ["" if row.cell.op == "barrier" else size_name(row.cell.bytes)]
        for name in names:
            figure = row.figures.get(name)
            if figure is None:
                line.append("")
                continue
            text = micros(figure.median)
            if spread and figure.batches > 1:
                text += f" ({micros(figure.least)}..{micros(figure.most)})"
            line.append(f"{text} {figure.variant}" if name == BARE else text)
        line += [times(ratio(row)) for _, ratio in ratios]
        lines.append(line + [str(row.batches), row.flags()])
    if len(rows) > 1:
        means = [times(geometric_mean([ratio(row) for row in rows])) for _, ratio in ratios]
        lines.append(["geometric mean", *[""] * len(names), *means, "", ""])
    return headings, lines


def terminal(results):
    out = []
    for regime in regimes.ORDER:
        for table in results.tables():
            rows = results.rows_of(table, regime)
            if not rows:
                continue
            headings, lines = grid(results, rows, spread=False)
            out += ["", f"{regimes.TITLES[regime]}: {title_of(table)}, µs"]
            widths = [max(len(line[i]) for line in [headings, *lines]) for i in range(len(headings))]
            for line in [headings, *lines]:
                cells = [text.rjust(width) for text, width in zip(line[:-1], widths)]
                out.append(("  " + "  ".join(cells) + "  " + line[-1]).rstrip())
    headings, lines = overview(results)
    widths = [max(len(line[i]) for line in [headings, *lines]) for i in range(len(headings))]
    out += ["", "best peer / xcoll"]
    out += ["  " + "  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip()
            for line in [headings, *lines]]
    return "\n".join(out + ["", *summary(results)])


def markdown(results, pictures):
    out = ["# Benchmark of collectives, side by side", ""]
    out += [f"- {key}: {value}" for key, value in results.about.items()]
    out += ["", *[f"- {line}" for line in summary(results)], ""]
    headings, lines = overview(results)
    out += ["## Best peer / xcoll at a glance", ""]
    out += ["| " + " | ".join(line) + " |" for line in [headings, ["---"] * 2 + ["---:"] * 4, *lines]] + [""]
    out += ["Medians in µs, in brackets minimum..maximum over the batches; `n` is the smallest number of batches of a "
            "line. `bare loops` names the best hand-written loop; `shared buffers` needs the user's buffers in shared "
            "memory and is for reference. How it is measured: bench/README.md.", ""]
    for name in pictures:
        out += [f"![{name}]({name})", ""]
    for regime in regimes.ORDER:
        for table in results.tables():
            rows = results.rows_of(table, regime)
            if not rows:
                continue
            headings, lines = grid(results, rows, spread=True)
            out += [f"## {regimes.TITLES[regime]}: {title_of(table)}", ""]
            out.append("| " + " | ".join(headings) + " |")
            out.append("| " + " | ".join(["---:"] * (len(headings) - 1) + ["---"]) + " |")
            out += ["| " + " | ".join(line) + " |" for line in lines]
            out.append("")
    return "\n".join(out)


def overview(results):
    """Headings and lines: each operation's best peer / xcoll at a glance, up to the size where memory decides."""
    headings = ["", "loop", *(f"{regimes.TITLES[regime]}: {what}" for regime in regimes.NEEDED
                              for what in ("geometric mean to 1 Mi", "least"))]
    lines = []
    for table in results.tables():
        op, dtype, in_place, ranks, honest, one_root = table
        name = f"{op_name(op)} {'' if op == 'barrier' else dtype}{' in place' if in_place else ''}, {ranks} ranks"
        line = [name.replace(" ,", ","), "" if op == "barrier" else loop_name(honest, one_root).replace(" loop", "")]
        for regime in regimes.NEEDED:
            rows = [row for row in results.rows_of(table, regime) if row.peer_to_xcoll()]
            worst = min(rows, key=lambda row: row.peer_to_xcoll(), default=None)
            line.append(times(geometric_mean([row.peer_to_xcoll() for row in rows if row.cell.bytes <= 1 << 20])))
            line.append("" if worst is None else
                        times(worst.peer_to_xcoll()) + (f" at {size_name(worst.cell.bytes)}" if worst.cell.bytes else ""))
        if any(line[2:]):
            lines.append(line)
    return headings, lines


def exchanges(results):
    """The smallest allreduce beside the barrier among the bare loops, which is nothing but an exchange of lines."""
    out = []
    for (cell, regime), row in results.rows.items():
        barrier = results.rows.get((replace(cell, op="barrier", dtype="f32", honest=False, bytes=0), regime))
        if cell.op == "allreduce" and cell.bytes == 8 and not cell.in_place and barrier and not row.crowded:
            ratio = row.ratio(row.xcoll, barrier.bare)
            if ratio:
                out.append(f"{regimes.TITLES[regime]}: {cell.words()} takes {ratio:.2f} times a bare exchange of lines")
    return out


def summary(results):
    """What a reader must know before the figures: who is missing, how the machine was, where targets are missed."""
    out = [f"{c['label']}: {c['state']}" for c in results.contenders if c["state"] != "measured"]
    for regime, trips in sorted(results.round_trips().items(), key=lambda item: regimes.ORDER.index(item[0])):
        out.append(f"{regimes.TITLES[regime]}: cache-line round trip {trips[len(trips) // 2]:.0f} ns "
                   f"(nine in ten {trips[len(trips) // 20]:.0f}..{trips[-1 - len(trips) // 20]:.0f}), "
                   f"{len(trips) // 2} batches")
    dropped = [batch for batch in results.batches if not batch["regime"]]
    lost = sum(1 for batch in dropped if batch["lost"])
    out.append(f"{len(dropped)} of {len(results.batches)} batches dropped: {len(dropped) - lost} because the regime "
               f"changed, {lost} because another process took a core")
    for regime in (regimes.NEAR, regimes.FAR):
        cells = results.lacking(regime, FEW)
        if cells:
            named = ", ".join(cell.words() for cell in cells[:6])
            more = f" and {len(cells) - 6} more" if len(cells) > 6 else ""
            out.append(f"fewer than {FEW} batches with {regimes.TITLES[regime]}: {named}{more}")
    if XCOLL in results.kinds:
        out += exchanges(results)
        missed = sum(1 for row in results.rows.values() if row.missed())
        out.append(f"targets missed in {missed} of {len(results.rows)} lines (marked)")
    return out
