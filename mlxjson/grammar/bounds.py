"""What a grammar's text is checked for before xgrammar reads it."""

import re

from mlxjson.errors import ConstraintError
from mlxjson.grammar.sources import LarkSource, Source

MOST_BYTES = 16 << 20
# xgrammar reads a count modulo 2^32.
MOST_REPETITIONS = 1_000_000_000

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_COUNT = re.compile(r"\{\s*(\d*)\s*,?\s*(\d*)\s*\}")
# What is skipped is matched first; what may hold counts is the group.
_EBNF = re.compile(rf"{_STRING}|\[(?:[^\]\\\n]|\\.)*\]|#[^\n]*|({_COUNT.pattern})")
_LARK = re.compile(rf"{_STRING}|//[^\n]*|(/(?:[^/\\\n]|\\.)+/|{_COUNT.pattern})")


def check_text(source: Source) -> None:
    """Refuse texts and counts that xgrammar would misread or choke on.

    Raises:
        ConstraintError: with line and column where there is one.
    """
    text = source.text
    if len(text) > MOST_BYTES:
        raise ConstraintError(f"more than {MOST_BYTES >> 20} MiB of grammar", where=source.name)
    if "\0" in text:
        raise at(source, text.index("\0"), "a NUL character; write \\x00 for one")
    if lone := re.search("[\ud800-\udfff]", text):
        raise at(source, lone.start(), "half a surrogate pair is no character")
    _check_counts(source)


def _check_counts(source: Source) -> None:
    pattern = _LARK if isinstance(source, LarkSource) else _EBNF
    for piece in pattern.finditer(source.text):
        for count in _COUNT.finditer(piece[1] or ""):
            for digits in count.groups():
                if len(digits) > 10 or int(digits or 0) > MOST_REPETITIONS:
                    most = f"at most {MOST_REPETITIONS:,}"
                    message = f"a repetition of {digits[:30]} is too large: {most}"
                    raise at(source, piece.start() + count.start(), message)


def at(source: Source, place: int, message: str) -> ConstraintError:
    """An error at character `place` of `source`: file, line and column."""
    line = source.text.count("\n", 0, place) + 1
    column = place - source.text.rfind("\n", 0, place)
    return ConstraintError(message, where=f"{source.name}:{line}:{column}")
