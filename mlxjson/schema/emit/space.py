"""White space between the tokens of JSON, for each layout.

`indent` writes two spaces for each level. A grammar can't count levels without end, so a part of
the schema that contains itself is indented down to `RECURSIVE_LEVELS` and written on one line
below that.
"""

from dataclasses import dataclass

from mlxjson.constraint import Layout
from mlxjson.schema.emit.notation import Lit, Part

RECURSIVE_LEVELS = 4
# Enough for pretty printing eight levels deep; white space without a bound never ends.
FLEXIBLE = ("ws", "[ \\n\\t]{0,16}")

Level = int | None  # None: on one line


@dataclass(frozen=True, slots=True)
class Space:
    """The separators of one container: behind its opening, between entries, before its end."""

    opening: Part
    comma: tuple[Part, ...]
    closing: Part
    colon: tuple[Part, ...]


_SPACED = Space(Lit(""), (Lit(", "),), Lit(""), (Lit(": "),))
_COMPACT = Space(Lit(""), (Lit(","),), Lit(""), (Lit(":"),))
_FLEXIBLE = Space("ws", (Lit(","), "ws"), "ws", (Lit(":"), "ws"))


def space(layout: Layout, level: Level) -> Space:
    """The separators of a container at `level`; the whole document is at level 0."""
    if layout is Layout.COMPACT:
        return _COMPACT
    if layout is Layout.FLEXIBLE:
        return _FLEXIBLE
    if layout is Layout.SPACED or level is None:
        return _SPACED
    inner = Lit("\n" + "  " * (level + 1))
    return Space(inner, (Lit("," + inner),), Lit("\n" + "  " * level), (Lit(": "),))


def first_level(layout: Layout) -> Level:
    """The level of the whole document: only `indent` tells levels apart."""
    return 0 if layout is Layout.INDENT else None
