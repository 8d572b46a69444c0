"""Constants: those values of an enum that all its sibling conditions allow."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mlxjson.schema.evaluate import Unclear, holds
from mlxjson.schema.items import ARRAY, NUMBER, OBJECT, STRING, Gap, Items, Members
from mlxjson.schema.literals import key, type_of, writable
from mlxjson.schema.member import belongs
from mlxjson.schema.shapes import Literal, NodeId, Shape
from mlxjson.schema.term import Term

if TYPE_CHECKING:
    from mlxjson.schema.builder import Builder


class _InProgress(Exception):
    """The shapes of a node depend on themselves, through the very literal that is looked at."""


def shapes(builder: "Builder", term: Term, members: Members, gaps: list[Gap]) -> Iterator[Literal]:
    """A literal for each value that the rest of the term allows."""
    plain = any(facet.plain for facet in term.numbers)
    for value in members.values.values():
        bit = type_of(value)
        if not term.mask & bit or not writable(value):
            continue
        try:
            fits = _holds(term, bit, value)
        except Unclear:
            yield from _built(builder, term, {key(value): value}, gaps)
            continue
        if fits:
            gaps += (gap for gap in term.gaps if gap.mask & bit and gap not in gaps)
            yield Literal(value, plain)


def _holds(term: Term, bit: int, value: object) -> bool:
    """Whether a value satisfies the facets of a term."""
    if bit in (ARRAY, OBJECT) and term.watches:
        raise Unclear
    facets: dict[int, Items] = {
        NUMBER: tuple(term.numbers),
        STRING: tuple(term.strings),
        ARRAY: tuple(facet for facet, _ in term.arrays),
        OBJECT: tuple(facet for facet, _ in term.objects),
    }
    return holds(facets.get(bit, ()), value)


def _built(
    builder: "Builder", term: Term, values: Mapping[Any, Any], gaps: list[Gap]
) -> Iterator[Literal]:
    """The same by the shapes that the term has without its enum, and what these leave open."""
    made: dict[int, tuple[list[Shape], list[Gap]]] = {}
    plain = any(facet.plain for facet in term.numbers)

    def of_node(node: NodeId) -> tuple[Shape, ...]:
        if builder.busy(node):
            raise _InProgress
        return builder.shapes(node)

    for value in values.values():
        bit = type_of(value)
        if bit not in made:
            found: list[Gap] = []
            made[bit] = builder.of_type(term, bit, found), found
        allowed, missing = made[bit]
        try:
            fits = any(belongs(of_node, shape, value) for shape in allowed)
        except _InProgress:
            fits = True
            reason = "whether a value fits depends on the schema itself"
            assert term.members
            missing = [*missing, Gap(term.members.place, term.members.keyword, reason)]
        if fits:
            gaps += (gap for gap in missing if gap not in gaps)
            gaps += _inner_gaps(builder, value, allowed).values()
            yield Literal(value, plain)


def _inner_gaps(
    builder: "Builder", value: object, shapes: list[Shape]
) -> dict[tuple[int, str], Gap]:
    """What the nodes below leave open about an array or object: it may not fit after all."""
    if not isinstance(value, list | dict):
        return {}
    nodes = {node for shape in shapes for node in builder.below(shape)}
    found = (gap for node in sorted(nodes) for gap in builder.gaps.get(node, ()))
    return {(id(gap.place), gap.keyword): gap for gap in found}


def identity(literal: Literal) -> object:
    """Equal for literals with equal values."""
    return ("literal", key(literal.value), literal.plain)
