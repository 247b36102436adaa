"""One entry of the lists of mutations."""

from dataclasses import dataclass


@dataclass
class Mutation:
    name: str
    why: str  # what the changed code would do
    test: tuple
    edits: list  # of (file, text, replacement)


def mutation(name, test, why, *edits):
    return Mutation(name, why, test, list(edits))
