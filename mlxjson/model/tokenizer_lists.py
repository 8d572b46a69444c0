"""A BPE tokenizer as lists, from which it is built in a third of the time that its JSON takes.

The lists are the pieces in the order of their ids, joined by NUL; the ids of the two sides of every
merge as one number, left << 32 | right, sorted (uint64); and the ranks of these (uint32), all
little-endian. The rest of the tokenizer is a small JSON object.
"""

from __future__ import annotations

import json
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from .pieces import BYTE

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Backend

_ADDED = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")
_BEHIND = "\0"
_RIGHT = (1 << 32) - 1


def to_lists(backend: Backend) -> tuple[dict[str, Any], bytes] | None:
    """The rest and the lists; None where the tokenizer built from them would be another."""
    form: dict[str, Any] = json.loads(backend.to_str())
    model = form["model"]
    if model.get("type") != "BPE":
        return None
    if model["continuing_subword_prefix"] or model["end_of_word_suffix"]:
        return None  # a piece made of two is not simply the one behind the other
    ids, merges = model.pop("vocab"), model.pop("merges")
    pieces = _BEHIND.join(sorted(ids, key=ids.__getitem__)).encode()
    pairs = [ids[left] << 32 | ids[right] for left, right in merges]
    order = sorted(range(len(pairs)), key=pairs.__getitem__)
    keys, ranks = array("Q", map(pairs.__getitem__, order)), array("I", order)
    lists = b"".join([pieces, _little(keys).tobytes(), _little(ranks).tobytes()])
    rest = {
        "added": form.pop("added_tokens"),
        "form": form,
        "merges": len(merges),
        "longest": max(map(len, ids), default=0),
    }
    return (rest, lists) if from_lists(rest, lists).to_str() == backend.to_str() else None


def from_lists(rest: dict[str, Any], lists: bytes) -> Backend:
    """The tokenizer that `to_lists` took apart."""
    return with_model(rest, Bpe(rest, lists).whole())


def with_model(rest: dict[str, Any], model: Any) -> Backend:
    """The tokenizer with another model. That has to know the ids of all added tokens."""
    from tokenizers import AddedToken, Tokenizer

    form = {**rest["form"], "added_tokens": []}
    bare = {**form["model"], "vocab": {}, "merges": []}
    backend = Tokenizer.from_str(json.dumps({**form, "model": bare}))
    backend.model = model
    for token in rest["added"]:
        added = [AddedToken(**{name: token[name] for name in _ADDED})]
        (backend.add_special_tokens if token["special"] else backend.add_tokens)(added)
    return backend


class Bpe:
    """The model of a tokenizer that was taken apart: whole, or as much of it as a text can need."""

    def __init__(self, rest: dict[str, Any], lists: bytes) -> None:
        end = len(lists) - 12 * rest["merges"]
        middle = end + 8 * rest["merges"]
        pieces = lists[:end].decode().split(_BEHIND) if end else []
        self.ids = dict(zip(pieces, range(len(pieces)), strict=True))
        self.longest: int = rest["longest"]
        self._pieces = pieces
        self._keys = _little(array("Q", lists[end:middle]))
        self._ranks = _little(array("I", lists[middle:]))
        form = rest["form"]["model"].items()
        self.options = {name: value for name, value in form if value is not None and name != "type"}

    def whole(self) -> Any:
        """The model as it was."""
        pieces, pairs = self._pieces, [0] * len(self._keys)
        for key, rank in zip(self._keys, self._ranks, strict=True):
            pairs[rank] = key
        merges = [(pieces[key >> 32], pieces[key & _RIGHT]) for key in pairs]
        return self._model(self.ids, merges)

    def letters(self, more: dict[str, int] | None = None) -> Any:
        """The model without merges: it cuts a text into the symbols that merging begins with.

        That is characters, bytes, and the piece for what is unknown; `more` are let in besides.
        """
        unknown = self.options.get("unk_token")
        symbols = {
            piece: token_id
            for piece, token_id in self.ids.items()
            if len(piece) == 1 or piece == unknown or (piece[:3] == "<0x" and BYTE.fullmatch(piece))
        }
        return self._model(symbols | (more or {}), [], cache_capacity=0)

    def part(self, words: Iterable[Sequence[str]]) -> Any:
        """A model that does to words of these symbols what the whole one does.

        A merge that ever applies makes a piece out of neighbouring symbols, of two such pieces.
        So it is among those that are kept, and these keep their order.
        """
        found: dict[str, int] = {}
        for word in {tuple(word) for word in words}:
            for start in range(len(word)):
                piece = ""
                for symbol in word[start:]:
                    piece += symbol
                    if len(piece) > self.longest:
                        break
                    if piece in self.ids:
                        found[piece] = self.ids[piece]
        unknown = self.options.get("unk_token")
        if unknown in self.ids:
            found[unknown] = self.ids[unknown]
        return self._model(found, self._merges(found), cache_capacity=0)

    def _merges(self, pieces: dict[str, int]) -> list[tuple[str, str]]:
        """The merges that make one of `pieces` out of two of them, in their order."""
        ranked = []
        for piece in pieces:
            for cut in range(1, len(piece)):
                left, right = piece[:cut], piece[cut:]
                if left in pieces and right in pieces:
                    key = pieces[left] << 32 | pieces[right]
                    place = bisect_left(self._keys, key)
                    if place < len(self._keys) and self._keys[place] == key:
                        ranked.append((self._ranks[place], left, right))
        return [(left, right) for _, left, right in sorted(ranked)]

    def _model(self, vocabulary: dict[str, int], merges: list[tuple[str, str]], **more: int) -> Any:
        from tokenizers import models

        return models.BPE(vocab=vocabulary, merges=merges, **self.options, **more)


def _little(numbers: array[int]) -> array[int]:
    """Numbers from this machine's order of bytes to little-endian, or back."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
