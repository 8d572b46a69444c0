"""Constants: those values of an enum that all its sibling conditions allow."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mlxjson.schema.items import Gap, Members
from mlxjson.schema.literals import key, type_of, writable
from mlxjson.schema.member import belongs
from mlxjson.schema.shapes import Literal, NodeId, Shape
from mlxjson.schema.terms import Term

if TYPE_CHECKING:
    from mlxjson.schema.builder import Builder


class _InProgress(Exception):
    """The shapes of a node depend on themselves, through the very literal that is looked at."""


def shapes(builder: "Builder", term: Term, members: Members, gaps: list[Gap]) -> Iterator[Literal]:
    """A literal for each value that the rest of the term allows."""
    made: dict[int, tuple[list[Shape], list[Gap]]] = {}

    def of_node(node: NodeId) -> tuple[Shape, ...]:
        if builder.busy(node):
            raise _InProgress
        return builder.shapes(node)

    for value in members.values.values():
        bit = type_of(value)
        if not term.mask & bit or not writable(value):
            continue
        if bit not in made:
            found: list[Gap] = []
            made[bit] = builder.of_type(term, bit, found), found
        allowed, missing = made[bit]
        try:
            fits = any(belongs(of_node, shape, value) for shape in allowed)
        except _InProgress:
            fits = True
            reason = "whether a value fits depends on the schema itself"
            missing = [*missing, Gap(members.place, members.keyword, reason)]
        if fits:
            gaps += (gap for gap in missing if gap not in gaps)
            gaps += _inner_gaps(builder, value, allowed)
            yield Literal(value)


def _inner_gaps(builder: "Builder", value: object, shapes: list[Shape]) -> Iterator[Gap]:
    """What the nodes below leave open about an array or object: it may not fit after all."""
    if not isinstance(value, list | dict):
        return
    for shape in shapes:
        for node in builder.below(shape):
            yield from builder.gaps.get(node, ())


def identity(literal: Literal) -> object:
    """Equal for literals with equal values."""
    return ("literal", key(literal.value))
