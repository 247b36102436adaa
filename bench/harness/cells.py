"""What is measured: one cell is one line of one table."""

from dataclasses import dataclass

QUICK_SIZES = [8, 64, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20]
FEWER_SIZES = [8, 1 << 10, 8 << 10, 64 << 10, 1 << 20]  # what a quick run measures of the other operations
FULL_SIZES = [1 << power for power in range(3, 27)]
LARGEST = 64 << 20
MOST_IN_GROUP = 16 << 10  # a group is for what is small

REDUCTIONS = ("allreduce", "reduce", "reduce_scatter", "reduce_scatterv", "scan", "exscan", "group_allreduce")
ROOTED = ("bcast", "reduce", "gather", "scatter", "gatherv", "scatterv")
# Their size is that of one block; of those whose blocks are uneven, the mean.
BLOCKS = ("reduce_scatter", "allgather", "alltoall", "gather", "scatter", "allgatherv", "alltoallv", "reduce_scatterv",
          "gatherv", "scatterv")
GROUP_CALLS = 64
GROUPS = {"group": "all-gathers", "group_allreduce": "allreduces"}


@dataclass(frozen=True)
class Cell:
    op: str
    dtype: str
    in_place: bool
    ranks: int
    honest: bool
    bytes: int
    one_root: bool = False  # rank 0 is the root every time

    def table(self):
        """The cells that share everything but the size stand in one table."""
        return (self.op, self.dtype, self.in_place, self.ranks, self.honest, self.one_root)

    def words(self):
        parts = [op_name(self.op)]
        if self.op != "barrier":
            parts += [size_name(self.bytes), self.dtype]
        if self.in_place:
            parts.append("in place")
        parts.append(f"{self.ranks} ranks")
        if self.op != "barrier":
            parts.append(loop_name(self.honest, self.one_root))
        return " ".join(parts)


def op_name(op):
    return f"group of {GROUP_CALLS} {GROUPS[op]}" if op in GROUPS else op


def fits(op, size, ranks):
    """The ranks' programs have buffers of LARGEST."""
    if op in GROUPS:
        return size <= MOST_IN_GROUP and GROUP_CALLS * ranks * size <= LARGEST
    return op not in BLOCKS or (ranks + 1) * size <= LARGEST


def loop_name(honest, one_root):
    return ("honest loop" if honest else "OSU-style loop") + (", one root" if one_root else "")


def size_name(count):
    for unit, shift in (("Mi", 20), ("Ki", 10)):
        if count >= 1 << shift and count % (1 << shift) == 0:
            return f"{count >> shift} {unit}"
    return str(count)


def parse_size(text):
    units = {"k": 10, "m": 20, "g": 30}
    text = text.strip().lower().removesuffix("b").removesuffix("i")
    shift = units.get(text[-1:], 0)
    count = int(text[:-1] if shift else text) << shift
    if not 4 <= count <= LARGEST or count % 4:
        raise ValueError(f"a size is a multiple of 4 from 4 to 64M, not {text}")
    return count


def parse_sizes(text):
    """`8,64,1K` or `8:64M`: all powers of two from one to the other."""
    sizes = []
    for part in text.split(","):
        if ":" in part:
            first, last = (parse_size(word) for word in part.split(":"))
            while first <= last:
                sizes.append(first)
                first *= 2
        else:
            sizes.append(parse_size(part))
    return sorted(set(sizes))


def select(ops, sizes, fewer, dtypes, ranks, loops, in_places, one_roots):
    """`fewer`: the sizes of all but bcast and allreduce."""
    cells = []
    for op in ops:
        if op == "barrier":
            cells.append(Cell(op, "f32", False, ranks, False, 0))
            continue
        chosen = [size for size in (sizes if op in ("bcast", "allreduce") else fewer) if fits(op, size, ranks)]
        for dtype in dtypes if op in REDUCTIONS else dtypes[:1]:
            for in_place in in_places if op == "allreduce" else [False]:
                for one_root in one_roots if op in ROOTED else [False]:
                    for honest in loops:
                        cells += [Cell(op, dtype, in_place, ranks, honest, size, one_root) for size in chosen]
    return cells
