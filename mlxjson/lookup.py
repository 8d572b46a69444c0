"""Guessing the next tokens by how they are spelled.

The same value is cut into other tokens behind a quote than behind a space, and behind a first
letter than in one piece; so what was written last is looked up as text, and what follows there is
cut into tokens anew.
"""

from collections.abc import Callable, Sequence

from mlxjson.decode.draft import PromptLookup

# What stands around a value in JSON, and around a word in a text.
_BOUNDARIES = bytes.maketrans(b'"_\n\t', b"    ")
_LONGEST = 32  # bytes that are looked up
_BYTES_PER_ID = 8
_SPARE = 24  # bytes behind those, so that the last word is whole


class SpelledLookup(PromptLookup):
    """Looks up text where the tokenizer's cut can be had, else ids.

    Args:
        tokens: the bytes of every id.
        encode: cuts a text into ids.
    """

    def __init__(self, tokens: Sequence[bytes], encode: Callable[[str], Sequence[int]]) -> None:
        super().__init__()
        self._tokens = tokens
        self._encode = encode
        self._text = b""

    def extend(self, ids: Sequence[int]) -> None:
        super().extend(ids)
        self._text += self._spelled(ids)

    def guess(self, behind: Sequence[int], limit: int) -> Sequence[int]:
        text = self._text + self._spelled(behind)
        start = _continuation(text)
        if start is None:
            return ()
        follows = text[start : start + _BYTES_PER_ID * limit + _SPARE]
        ids = self._encode(follows.decode("utf-8", "ignore"))[:limit]
        if not follows.startswith(self._spelled(ids)):
            return super().guess(behind, limit)
        # The last id may be cut short with the text.
        return ids[:-1] if len(ids) > 1 and self._spelled(ids) == follows else ids

    def _spelled(self, ids: Sequence[int]) -> bytes:
        return b"".join(self._tokens[i] for i in ids if i < len(self._tokens))


def _continuation(text: bytes) -> int | None:
    """Where the longest end of `text` that occurs in it before, latest, is continued."""
    plain = text.translate(_BOUNDARIES)
    if not text or (plain[-1:] == b" " and text[-1:] != b" "):
        return None  # Before a value nothing says which one it will be.
    longest = 0
    end = -1
    for step in (32, 16, 8, 4, 2, 1):
        length = longest + step
        if length <= min(_LONGEST, len(plain) - 1):
            at = plain.rfind(plain[-length:], 0, len(plain) - 1)
            if at >= 0:
                longest, end = length, at + length
    return end if longest else None
