"""Deterministic automata as plain data."""

Row = tuple[tuple[int, int, int], ...]


class Dfa:
    """A deterministic automaton: state 0 is the start, a gap between ranges refuses.

    Attributes:
        rows: for each state its moves (lowest, highest code point, target), sorted and disjoint.
        accepting: for each state whether a word may end there.

    Every state leads to an accepting one, except state 0 of the empty language.
    """

    __slots__ = ("accepting", "rows")

    def __init__(self, rows: list[Row], accepting: list[bool]) -> None:
        self.rows = rows
        self.accepting = accepting
