"""The shapes of arrays: all array conditions of one alternative put together item by item."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mlxjson.schema.items import ARRAY, ArrayFacet, Gap, Item, Items
from mlxjson.schema.negate import opposite
from mlxjson.schema.shapes import Array, Contains, NodeId, Shape
from mlxjson.schema.term import Term, Watch

if TYPE_CHECKING:
    from mlxjson.schema.builder import Builder

_NONE: NodeId = 1
_UNFOLDED = 8


@dataclass(slots=True)
class _Layout:
    """What is known of the items before `contains` is looked at."""

    prefix: list[Items]
    rest: Items
    least: int
    most: int | None
    unique: bool

    def at(self, index: int) -> Items:
        return self.prefix[index] if index < len(self.prefix) else self.rest


def shapes(builder: "Builder", term: Term, gaps: list[Gap]) -> Iterator[Shape]:
    """The arrays of an alternative; several where `contains` may be met in several places."""
    facets = term.arrays
    layout = _layout(builder, term, gaps)
    counted = [facet for facet, _ in facets if facet.contains is not None]
    for facet in counted:
        if facet.most == 0:
            _forbid_everywhere(layout, facet)
    left = [f for f in counted if f.most != 0 and (f.least or f.most is not None)]
    for facet in left[1:]:
        gaps.append(Gap(facet.place, facet.keyword, "of several contains one is enforced", ARRAY))
    if any(facet.most == 0 and facet.least for facet in counted):
        return
    made = _with_contains(builder, layout, left[0], gaps) if left else [_plain(builder, layout)]
    for shape in made:
        fitted = _fitted(shape)
        if fitted is not None:
            yield fitted


def _layout(builder: "Builder", term: Term, gaps: list[Gap]) -> _Layout:
    facets = [facet for facet, _ in term.arrays]
    most = [facet.max_items for facet in facets if facet.max_items is not None]
    size = max((len(facet.prefix) for facet in facets), default=0)
    layout = _Layout(
        prefix=[_items_at(facets, index) for index in range(size)],
        rest=_items_at(facets, size),
        least=max((facet.min_items for facet in facets), default=0),
        most=min(most, default=None),
        unique=any(facet.unique for facet in facets),
    )
    for watch in term.watches:
        if watch.watched.items is not None:
            _add_unevaluated(builder, term, watch, layout, gaps)
    return layout


def _items_at(facets: list[ArrayFacet], index: int) -> Items:
    found: list[Item] = []
    for facet in facets:
        found += facet.prefix[index] if index < len(facet.prefix) else facet.rest
    return tuple(found)


def _add_unevaluated(
    builder: "Builder", term: Term, watch: Watch, layout: _Layout, gaps: list[Gap]
) -> None:
    """`unevaluatedItems`: what every item must be that nothing inside the schema spoke of.

    Source: JSON Schema core 2020-12, section 11.2.
    """
    if watch.number in term.unknown:
        reason = "which items are evaluated is left open"
        gaps.append(Gap(watch.watched.place, "unevaluatedItems", reason, ARRAY))
        return
    inside = [facet for facet, groups in term.arrays if watch.number in groups]
    nested = any(
        watch.number in other.outer and other.watched.items is not None for other in term.watches
    )
    if nested or any(facet.evaluates_rest for facet in inside):
        return
    reach = max((len(f.prefix) for f in inside if f.evaluates_prefix), default=0)
    condition = _unless_contained(builder, watch, inside)
    for index in range(reach, len(layout.prefix)):
        layout.prefix[index] += condition
    while len(layout.prefix) < reach:
        layout.prefix.append(layout.rest)
    layout.rest += condition


def _unless_contained(builder: "Builder", watch: Watch, inside: list[ArrayFacet]) -> Items:
    """The unevaluated schema, or one of those `contains` that evaluate what they match."""
    condition = watch.watched.items or ()
    for facet in inside:
        if facet.contains is not None and facet.evaluates_contains:
            choice = builder.either(facet.contains, condition, facet.place, "unevaluatedItems")
            condition = (choice,)
    return condition


def _forbid_everywhere(layout: _Layout, facet: ArrayFacet) -> None:
    """No item matches: the negation holds for each."""
    wrong = opposite(facet.contains or (), facet.place)
    if wrong is None:
        layout.most = 0
        return
    layout.prefix = [items + wrong for items in layout.prefix]
    layout.rest += wrong


def _plain(builder: "Builder", layout: _Layout) -> Array:
    rest = builder.node(layout.rest)
    return Array(
        prefix=tuple(builder.node(items) for items in layout.prefix),
        rest=None if rest == _NONE else rest,
        min_items=layout.least,
        max_items=layout.most,
        unique=layout.unique,
    )


def _with_contains(
    builder: "Builder", layout: _Layout, facet: ArrayFacet, gaps: list[Gap]
) -> list[Array]:
    """Arrays with at least `least` and at most `most` items that match.

    Source: JSON Schema core 2020-12, section 10.3.1.3; validation, sections 6.4.4 and 6.4.5.
    """
    match = facet.contains or ()
    plain = _plain(builder, layout)
    if not layout.prefix:
        return [_counted(builder, layout, facet, plain)]
    if facet.least > 1 or facet.most is not None:
        reason = "counting the items that match behind fixed ones is not enforced"
        gaps.append(Gap(facet.place, facet.keyword, reason, ARRAY))
        return [plain]
    return list(_somewhere(builder, layout, match, facet, gaps))


def _counted(builder: "Builder", layout: _Layout, facet: ArrayFacet, plain: Array) -> Array:
    match = facet.contains or ()
    matching = builder.node(layout.rest + match)
    if matching == plain.rest:
        most = [m for m in (facet.most, plain.max_items) if m is not None]
        least = max(facet.least, plain.min_items)
        return replace(plain, min_items=least, max_items=min(most, default=None))
    other = builder.node(layout.rest)
    if facet.most is not None:
        wrong = opposite(match, facet.place)
        other = _NONE if wrong is None else builder.node(layout.rest + wrong)
    return replace(plain, contains=Contains(matching, other, facet.least, facet.most))


def _somewhere(
    builder: "Builder", layout: _Layout, match: Items, facet: ArrayFacet, gaps: list[Gap]
) -> Iterator[Array]:
    """One shape for each place where the first match may stand."""
    size = len(layout.prefix)
    bounded = layout.most is not None and layout.most <= size + _UNFOLDED
    last = layout.most if bounded and layout.most is not None else size
    for index in range(last):
        items = [layout.at(i) for i in range(max(index + 1, size))]
        items[index] += match
        least = max(layout.least, index + 1)
        yield _plain(builder, replace(layout, prefix=items, least=least))
    if bounded:
        return
    behind = _plain(builder, replace(layout, least=max(layout.least, size + 1)))
    if behind.rest is not None and builder.node(layout.rest + match) != behind.rest:
        reason = "a match behind the fixed items is not enforced"
        gaps.append(Gap(facet.place, facet.keyword, reason, ARRAY))
    yield behind


def _fitted(shape: Array) -> Array | None:
    """The shape cut where no further item can be; None if it then can't be long enough."""
    prefix, rest, most = shape.prefix, shape.rest, shape.max_items
    if _NONE in prefix:
        prefix, rest = prefix[: prefix.index(_NONE)], None
    if rest is None and shape.contains is None:
        most = len(prefix) if most is None else min(most, len(prefix))
    if most is not None and shape.contains is None and most <= len(prefix):
        prefix, rest = prefix[:most], None
    if most is not None and shape.min_items > most:
        return None
    if rest is None and most == len(prefix):
        most = None
    return replace(shape, prefix=prefix, rest=rest, max_items=most)
