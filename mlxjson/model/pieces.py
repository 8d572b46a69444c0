"""What each token of a vocabulary writes, as bytes.

Tokenizers spell their pieces in one of three alphabets, and the piece that stands in the file is
not the text it stands for:

- byte-level: one printable character per byte, after GPT-2's `bytes_to_unicode`;
- byte-fallback: text with U+2581 for a space, and `<0xNN>` for a single byte (SentencePiece);
- raw: the text itself.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

SPACE_MARK = "\u2581"
_SEPARATOR = "\U0010ffff"
BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class Alphabet(StrEnum):
    """How a tokenizer spells its pieces."""

    BYTE_LEVEL = "byte-level"
    BYTE_FALLBACK = "byte-fallback"
    RAW = "raw"


def _byte_level_table() -> dict[int, int]:
    """Code point of each of the 256 characters -> the byte it stands for.

    Bytes that are printable in Latin-1 stand for themselves; the 68 others follow from U+0100.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in printable]
    return dict(zip(printable, printable, strict=True)) | {
        0x100 + place: byte for place, byte in enumerate(rest)
    }


BYTE_LEVEL_TABLE = _byte_level_table()


def piece_bytes(piece: str, alphabet: Alphabet) -> bytes:
    """The bytes of one piece. A piece outside the byte-level alphabet is its own text."""
    if alphabet is Alphabet.BYTE_LEVEL:
        try:
            return piece.translate(BYTE_LEVEL_TABLE).encode("latin-1")
        except UnicodeEncodeError:
            return piece.encode()
    if alphabet is Alphabet.BYTE_FALLBACK:
        if match := BYTE.fullmatch(piece):
            return bytes([int(match[1], 16)])
        return piece.replace(SPACE_MARK, " ").encode()
    return piece.encode()


def all_bytes(pieces: Sequence[str], alphabet: Alphabet) -> list[bytes]:
    """The bytes of every piece, in order; b"" for "", which stands for an id without a piece."""
    if alphabet is not Alphabet.BYTE_LEVEL:
        return [piece_bytes(piece, alphabet) for piece in pieces]
    # One translation of all pieces takes half the time of one each; no text holds the separator.
    spelled = _SEPARATOR.join(pieces).translate(BYTE_LEVEL_TABLE).split(_SEPARATOR)
    if len(spelled) != len(pieces):
        return [piece_bytes(piece, alphabet) for piece in pieces]
    try:
        return [text.encode("latin-1") for text in spelled]
    except UnicodeEncodeError:
        return [_latin_1(text, piece) for text, piece in zip(spelled, pieces, strict=True)]


def _latin_1(spelled: str, piece: str) -> bytes:
    try:
        return spelled.encode("latin-1")
    except UnicodeEncodeError:
        return piece.encode()
