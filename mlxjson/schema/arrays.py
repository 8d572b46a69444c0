"""Keywords for arrays.

Source: JSON Schema core 2020-12, sections 10.3.1 (prefixItems, items, contains) and 11.2
(unevaluatedItems); validation, section 6.4. Drafts up to 2019-09: `items` as an array, and
`additionalItems`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mlxjson.schema.items import ARRAY, ArrayFacet, Gap, Item, Items, Never, Types
from mlxjson.schema.places import Place
from mlxjson.schema.strings import count

KEYWORDS = frozenset(
    {"prefixItems", "items", "additionalItems", "minItems", "maxItems", "uniqueItems", "contains"}
)


def read(place: Place, schema: Mapping[str, Any], keywords: frozenset[str]) -> Iterator[Item]:
    """One facet for each keyword; `items` and its relatives make one together."""
    present = schema.keys() & keywords
    if present & {"prefixItems", "items", "additionalItems"}:
        yield from _items(place, schema, present)
    if "contains" in present:
        yield from _contains(place, schema, present)
    if "minItems" in present:
        yield ArrayFacet(place, "minItems", min_items=count(place, "minItems"))
    if "maxItems" in present:
        yield ArrayFacet(place, "maxItems", max_items=count(place, "maxItems"))
    if "uniqueItems" in present:
        if not isinstance(schema["uniqueItems"], bool):
            raise place.error("uniqueItems must be true or false", "uniqueItems")
        if schema["uniqueItems"]:
            yield ArrayFacet(place, "uniqueItems", unique=True)


def _items(place: Place, schema: Mapping[str, Any], present: set[str]) -> Iterator[Item]:
    """`prefixItems` and `items`, or the older `items: [...]` and `additionalItems`."""
    items = schema.get("items") if "items" in present else None
    front, front_name = schema.get("prefixItems"), "prefixItems"
    later, later_name = ("items", "items") if "items" in present else (None, "items")
    if isinstance(items, list) and place.dialect.items_array:
        front, front_name = items, "items"
        later, later_name = "additionalItems", "additionalItems"
        later = later if later in present else None
    if front is not None and "prefixItems" not in present and front_name == "prefixItems":
        front = None
    if front is not None and not isinstance(front, list):
        raise place.error("prefixItems must be an array", front_name)
    if front is None and later is None:
        return
    world = place.world
    prefix = tuple(
        (world.child(place, each, front_name, str(index)),)
        for index, each in enumerate(front or ())
    )
    rest: Items = () if later is None else (world.child(place, schema[later], later),)
    yield ArrayFacet(
        place, later_name if later else front_name, prefix=prefix, rest=rest,
        evaluates_prefix=True, evaluates_rest=later is not None,
    )  # fmt: skip


def _contains(place: Place, schema: Mapping[str, Any], present: set[str]) -> Iterator[Item]:
    least = count(place, "minContains") if "minContains" in present else 1
    most = count(place, "maxContains") if "maxContains" in present else None
    match: Items = (place.world.child(place, schema["contains"], "contains"),)
    yield ArrayFacet(
        place, "contains", contains=match, least=least, most=most,
        evaluates_contains=place.dialect.contains_evaluates,
    )  # fmt: skip


def negate(facet: ArrayFacet, opposite: Callable[[Items], Items | None]) -> tuple[Items, ...]:
    """An array that breaks the facet somewhere. `opposite` negates a conjunction (None: never)."""
    return tuple(_broken(facet, opposite, Types(ARRAY, facet.place, facet.keyword)))


def _broken(
    facet: ArrayFacet, opposite: Callable[[Items], Items | None], array: Types
) -> Iterator[Items]:
    place, keyword = facet.place, facet.keyword
    if facet.min_items:
        yield array, ArrayFacet(place, keyword, max_items=facet.min_items - 1)
    if facet.max_items is not None:
        yield array, ArrayFacet(place, keyword, min_items=facet.max_items + 1)
    if facet.unique:
        reason = "an array with an item twice can't be described"
        yield array, ArrayFacet(place, keyword, min_items=2), Gap(place, keyword, reason, ARRAY)
    for index, items in enumerate(facet.prefix):
        wrong = opposite(items)
        if wrong is not None:
            prefix = (*(() for _ in range(index)), wrong)
            yield array, ArrayFacet(place, keyword, prefix=prefix, min_items=index + 1)
    wrong = opposite(facet.rest)
    if wrong is not None:
        yield _broken_rest(facet, wrong, array)
    if facet.contains is not None:
        yield from _broken_contains(facet, array)


def _broken_rest(facet: ArrayFacet, wrong: Items, array: Types) -> Items:
    """An item behind the prefix that is wrong."""
    place, keyword, size = facet.place, facet.keyword, len(facet.prefix)
    if not wrong:
        return array, ArrayFacet(place, keyword, min_items=size + 1)
    if not facet.prefix:
        return array, ArrayFacet(place, keyword, contains=wrong)
    reason = "a wrong item behind others can't be described"
    longer = ArrayFacet(place, keyword, min_items=size + 1)
    return array, longer, Gap(place, keyword, reason, ARRAY)


def _broken_contains(facet: ArrayFacet, array: Types) -> Iterator[Items]:
    place, keyword = facet.place, facet.keyword
    if facet.least == 1 and facet.contains is not None:
        yield array, ArrayFacet(place, keyword, contains=facet.contains, least=0, most=0)
    elif facet.least:
        fewer = ArrayFacet(place, keyword, contains=facet.contains, least=0, most=facet.least - 1)
        yield array, fewer
    if facet.most is not None:
        yield array, ArrayFacet(place, keyword, contains=facet.contains, least=facet.most + 1)


def is_never(items: Items) -> bool:
    """Whether a conjunction is plainly unsatisfiable."""
    return any(isinstance(i, Never) or (isinstance(i, Place) and i.schema is False) for i in items)
