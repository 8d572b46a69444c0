"""Grammars in one line: `(a|b|)` chooses, `[slot]` is filled in, `{` `}` write parentheses."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random


@dataclass(frozen=True)
class Slot:
    """A place for a value; `form` asks for another shape of it (`ord`, `short`, `digits`)."""

    name: str
    form: str = ""


@dataclass(frozen=True)
class Choice:
    """One of several sequences."""

    options: tuple[tuple["str | Slot | Choice", ...], ...]


Piece = str | Slot


@lru_cache(maxsize=65536)
def parse(source: str) -> tuple["str | Slot | Choice", ...]:
    """The sequence that a line of grammar stands for."""
    sequence, end = _sequence(source, 0, top=True)
    if end != len(source):
        raise ValueError(f"unbalanced ')' in {source!r}")
    return sequence


def _sequence(
    source: str, at: int, top: bool = False
) -> tuple[tuple["str | Slot | Choice", ...], int]:
    found: list[str | Slot | Choice] = []
    literal = ""
    while at < len(source) and (top or source[at] not in "|)"):
        char = source[at]
        if char in "([":
            if literal:
                found.append(literal)
                literal = ""
            piece, at = _choice(source, at + 1) if char == "(" else _slot(source, at + 1)
            found.append(piece)
            continue
        literal += {"{": "(", "}": ")"}.get(char, char)
        at += 1
    if literal:
        found.append(literal)
    return tuple(found), at


def _choice(source: str, at: int) -> tuple[Choice, int]:
    options = []
    while True:
        option, at = _sequence(source, at)
        options.append(option)
        if at >= len(source):
            raise ValueError(f"missing ')' in {source!r}")
        at += 1
        if source[at - 1] == ")":
            return Choice(tuple(options)), at


def _slot(source: str, at: int) -> tuple[Slot, int]:
    end = source.index("]", at)
    name, _, form = source[at:end].partition(":")
    return Slot(name, form), end + 1


def slots(source: str) -> frozenset[str]:
    """Names of the slots that may occur."""
    return frozenset(_slots(parse(source)))


def _slots(sequence: tuple["str | Slot | Choice", ...]) -> Iterator[str]:
    for piece in sequence:
        if isinstance(piece, Slot):
            yield piece.name
        elif isinstance(piece, Choice):
            for option in piece.options:
                yield from _slots(option)


def expand(source: str, rng: Random) -> list[Piece]:
    """One sentence of the grammar, its slots left in place."""
    pieces: list[Piece] = []
    _expand(parse(source), rng, pieces)
    return pieces


def _expand(sequence: tuple["str | Slot | Choice", ...], rng: Random, pieces: list[Piece]) -> None:
    for piece in sequence:
        if isinstance(piece, Choice):
            _expand(rng.choice(piece.options), rng, pieces)
        else:
            pieces.append(piece)


def say(source: str, rng: Random) -> str:
    """One sentence of a grammar that has no slots."""
    return "".join(str(piece) for piece in expand(source, rng))
