"""Turns of a conversation as they are written: what is given, what is chosen, what would repeat."""

import json
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from training.general import Request
from training.packing import Batch, padded
from training.tokenise import Encoded

# No three ids twice in one text: the base, greedy as the tool is, soon goes round in circles.
REPEATED = 3
# From this many ids on a text may end with its sentence: the base goes on until it is cut off.
_ENOUGH = 28


@dataclass
class Written:
    """Ids of a turn, and the places of its texts: those of weight 1, the end of each included.

    `banned` pairs the n-th of these places, from 0, with an id that would repeat `REPEATED` ids,
    `closed` with the id that would end the text where a sentence of it has ended.
    """

    ids: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    banned: list[tuple[int, int]] = field(default_factory=list)
    closed: list[tuple[int, int]] = field(default_factory=list)
    places: int = 0

    def told(self, ids: list[int], after_text: bool = False) -> None:
        """Ids that are given: the prompt, keys, punctuation; the first may end a text."""
        self.ids += ids
        self.weights += [float(after_text and not at) for at in range(len(ids))]
        self.places += after_text

    def chosen(self, ids: list[int], sentences: list[int], closing: int) -> None:
        """Ids of a text without what ends it; after so many ids each, `sentences` of it end."""
        for length in range(len(ids) + 1):
            self.banned += [(self.places + length, one) for one in repeating(ids[:length])]
        self.closed += [(self.places + at, closing) for at in sentences if at >= _ENOUGH]
        self.ids += ids
        self.weights += [1.0] * len(ids)
        self.places += len(ids)


def repeating(ids: list[int]) -> set[int]:
    """Ids after which the last `REPEATED` of a text had stood in it before."""
    last, size = ids[len(ids) - REPEATED + 1 :], REPEATED - 1
    if len(ids) < REPEATED:
        return set()
    return {ids[at + size] for at in range(len(ids) - size) if ids[at : at + size] == last}


def pieces(one: Request) -> list[str]:
    """What stands before, between and after the free texts."""
    if one.schema is None:
        return ["", ""]
    return json.dumps(one.values, ensure_ascii=False).replace("null", '"null"').split("null")


def ends_sentence(text: str) -> bool:
    """Whether a sentence ends with `text`; the point behind a number of a list ends none."""
    return text[-1:] in {".", "!", "?"} and not text[-2:-1].isdigit()


@dataclass(frozen=True)
class Turns:
    """A batch; int64 `banned` and `closed` (n, 2): a place of it, by its number, and an id."""

    batch: Batch
    banned: np.ndarray
    closed: np.ndarray


def together(chosen: list[Written]) -> Turns:
    """Turns as one batch."""
    rows = [Encoded(np.array(t.ids, np.uint16), np.array(t.weights, np.float16)) for t in chosen]
    firsts = list(accumulate((turn.places for turn in chosen), initial=0))
    return Turns(
        padded(rows),
        _moved([turn.banned for turn in chosen], firsts),
        _moved([turn.closed for turn in chosen], firsts),
    )


def _moved(pairs: list[list[tuple[int, int]]], firsts: list[int]) -> np.ndarray:
    """Pairs of all turns, their places counted through the batch."""
    turns = zip(firsts[:-1], pairs, strict=True)
    found = [(first + at, one) for first, some in turns for at, one in some]
    return np.array(found, np.int64).reshape(-1, 2)
