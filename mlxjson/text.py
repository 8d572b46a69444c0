"""Ids to whole code points to text."""

import codecs
from collections.abc import Iterable, Sequence


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
