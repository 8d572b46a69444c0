"""An instance as JSON text in a layout."""

from typing import Any

from mlxjson.constraint import Layout
from mlxjson.schema.emit.literals import literal_text
from mlxjson.schema.emit.space import first_level


def serialise(value: Any, layout: Layout = Layout.SPACED) -> str:
    """`value` as the grammar of `layout` writes it, keys in the order they have.

    Numbers given as Decimal keep the digits of their source. `flexible` is written as `spaced`.
    A recursive part, which the grammar of `indent` writes on one line below some depth, is
    indented here all the same.
    """
    return literal_text(value, layout, first_level(layout))
