"""A BPE tokenizer as lists, from which it is built in a third of the time that its JSON takes.

The lists are the pieces in the order of their ids, joined by NUL, and the ids of all left and of
all right sides of the merges (uint32, little-endian). The rest of it is a small JSON object.
"""

from __future__ import annotations

import json
import sys
from array import array
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Backend

_ADDED = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")
_BEHIND = "\0"


def to_lists(backend: Backend) -> tuple[dict[str, Any], bytes] | None:
    """The rest and the lists; None where the tokenizer built from them would be another."""
    form: dict[str, Any] = json.loads(backend.to_str())
    model = form["model"]
    if model.get("type") != "BPE":
        return None
    ids, merges = model.pop("vocab"), model.pop("merges")
    pieces = _BEHIND.join(sorted(ids, key=ids.__getitem__)).encode()
    sides = [_little(array("I", [ids[pair[side]] for pair in merges])) for side in (0, 1)]
    lists = b"".join([pieces, *(side.tobytes() for side in sides)])
    rest = {"added": form.pop("added_tokens"), "form": form, "merges": len(merges)}
    return (rest, lists) if from_lists(rest, lists).to_str() == backend.to_str() else None


def from_lists(rest: dict[str, Any], lists: bytes) -> Backend:
    """The tokenizer that `to_lists` took apart."""
    from tokenizers import AddedToken, Tokenizer

    form = {**rest["form"], "added_tokens": []}
    bare = {**form["model"], "vocab": {}, "merges": []}
    backend = Tokenizer.from_str(json.dumps({**form, "model": bare}))
    backend.model = _model(form["model"], lists, rest["merges"])
    for token in rest["added"]:
        added = [AddedToken(**{name: token[name] for name in _ADDED})]
        (backend.add_special_tokens if token["special"] else backend.add_tokens)(added)
    return backend


def _model(form: dict[str, Any], lists: bytes, merges: int) -> Any:
    from tokenizers import models

    end, half = len(lists) - 8 * merges, len(lists) - 4 * merges
    pieces = lists[:end].decode().split(_BEHIND) if end else []
    left, right = _little(array("I", lists[end:half])), _little(array("I", lists[half:]))
    sides = map(pieces.__getitem__, left), map(pieces.__getitem__, right)
    options = {name: value for name, value in form.items() if value is not None and name != "type"}
    vocabulary = dict(zip(pieces, range(len(pieces)), strict=True))
    return models.BPE(vocab=vocabulary, merges=list(zip(*sides, strict=True)), **options)


def _little(numbers: array[int]) -> array[int]:
    """Numbers from this machine's order of bytes to little-endian, or back."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
