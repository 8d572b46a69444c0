"""Ids to whole code points to text."""

import codecs
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate


class TextStream:
    """Turns ids into text as they come, holding back the bytes of an unfinished code point."""

    def __init__(self, tokens: Sequence[bytes]) -> None:
        """Args: tokens: the bytes of every id."""
        self._tokens = tokens
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def feed(self, ids: Iterable[int]) -> str:
        """The code points that are complete once these ids are written."""
        return self._decoder.decode(b"".join(map(self._bytes, ids)))

    def close(self) -> str:
        """What was held back, which ends in a replacement character if it was cut."""
        return self._decoder.decode(b"", final=True)

    def _bytes(self, token_id: int) -> bytes:
        return self._tokens[token_id] if token_id < len(self._tokens) else b""


def index_of(ids: Sequence[int], tokens: Sequence[bytes], text: str, character: int) -> int:
    """The index of the id that writes `text[character]`, where `ids` write `text`."""
    ends = list(accumulate(len(tokens[i]) for i in ids))
    return bisect_right(ends, len(text[:character].encode()))


def on_one_line(document: str) -> str:
    """A JSON document without its line breaks, which can only stand between its parts."""
    return document.replace("\r", " ").replace("\n", " ")
