"""Programs written by hand, their grammars, and what these accept."""

import json
from decimal import Decimal
from functools import cache
from typing import Any

from mlxjson.constraint import Layout
from mlxjson.grammar import Compiled, EbnfSource
from mlxjson.schema.emit import Emitted, emit
from mlxjson.schema.shapes import Bound, Program, Shape
from tests.grammar_helpers import small_engine


def program(*shapes: Shape, **more: tuple[Shape, ...]) -> Program:
    """A program whose root is `shapes`; `n7=(…)` is node 7."""
    nodes = {0: shapes} | {int(name[1:]): parts for name, parts in more.items()}
    return Program(nodes, 0, {node: f"/{node}" if node else "" for node in nodes})


@cache
def compiled(ebnf: str) -> Compiled:
    return small_engine().compile(EbnfSource(ebnf), trusted=True)


def accepts(ebnf: str, text: str | bytes) -> bool:
    """Whether the grammar accepts the whole of `text`."""
    matcher = compiled(ebnf).matcher()
    data = text.encode() if isinstance(text, str) else text
    return matcher.accept_text(data) and matcher.may_end


def written(*shapes: Shape, layout: Layout = Layout.SPACED, closed: bool = True,
            **more: tuple[Shape, ...]) -> Emitted:  # fmt: skip
    return emit(program(*shapes, **more), layout, closed=closed)


def takes(emitted: Emitted, value: Any) -> bool:
    """Whether the grammar accepts `value` as json.dumps writes it."""
    return accepts(emitted.ebnf, json.dumps(value, ensure_ascii=False))


def at(value: float | str, inclusive: bool = True) -> Bound:
    return Bound(Decimal(str(value)), inclusive)
