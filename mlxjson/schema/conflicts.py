"""Why nothing satisfies a conjunction, in words: only asked for once a schema turned out empty."""

from collections.abc import Iterator

from mlxjson.schema import numbers, strings
from mlxjson.schema.items import ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING
from mlxjson.schema.places import Place
from mlxjson.schema.term import Term, note_objects

Reason = tuple[str, str]  # JSON Pointer and clause

_NAMES = {NULL: "null", BOOLEAN: "boolean", NUMBER: "number", STRING: "string", ARRAY: "array",
          OBJECT: "object"}  # fmt: skip


def why(terms: list[Term], pointer: str) -> Reason:
    """The first reason found, among the alternatives of a node without values."""
    return next((reason for term in terms for reason in _reasons(term)), (pointer, "no value fits"))


def _reasons(term: Term) -> Iterator[Reason]:
    note_objects(term)
    if term.conflict is not None:
        yield term.conflict
        return
    if term.members is not None:
        yield _at(term.members.place), f"no value of its {term.members.keyword} fits the rest"
    for bit, explain in ((NUMBER, _number), (STRING, _string), (ARRAY, _array), (OBJECT, _object)):
        if term.mask & bit:
            yield from explain(term)
    for bit, name in _NAMES.items():
        if term.mask == bit:
            places = [facet.place for facet in term.numbers]
            places += [facet.place for facet in term.strings]
            yield from ((_at(place), f"no {name} fits all its keywords") for place in places)


def _at(place: Place) -> str:
    return place.pointer


def _number(term: Term) -> Iterator[Reason]:
    lows = [facet for facet in term.numbers if facet.low]
    highs = [facet for facet in term.numbers if facet.high]
    for low in lows:
        for high in highs:
            if numbers.shape((low, high)) is None and low.low and high.high:
                ends = f"{low.keyword} {low.low.value:f} and {high.keyword} {high.high.value:f}"
                yield _at(low.place), f"no number lies between {ends}"
    if numbers.shape(term.numbers) is None and term.numbers:
        yield _at(term.numbers[0].place), "no number of its range is a multiple as asked for"


def _string(term: Term) -> Iterator[Reason]:
    least = max(term.strings, key=lambda facet: facet.min_length, default=None)
    most = min(
        (facet for facet in term.strings if facet.max_length is not None),
        key=lambda facet: facet.max_length or 0,
        default=None,
    )
    if least and most and most.max_length is not None and least.min_length > most.max_length:
        clause = f"minLength {least.min_length} is above maxLength {most.max_length}"
        yield _at(least.place), clause
    elif strings.shape(term.strings)[0] is None:
        keywords = sorted({facet.keyword for facet in term.strings})
        yield _at(term.strings[0].place), f"no string satisfies {' and '.join(keywords)} together"


def _array(term: Term) -> Iterator[Reason]:
    facets = [facet for facet, _ in term.arrays]
    least = max(facets, key=lambda facet: facet.min_items, default=None)
    most = [facet.max_items for facet in facets if facet.max_items is not None]
    if least is None or not least.min_items:
        return
    if most and least.min_items > min(most):
        yield _at(least.place), f"minItems {least.min_items} is above maxItems {min(most)}"
    else:
        yield _at(least.place), f"no {least.min_items} items are possible, as minItems asks for"


def _object(term: Term) -> Iterator[Reason]:
    facets = [facet for facet, _ in term.objects]
    least = max(facets, key=lambda facet: facet.min_properties, default=None)
    most = [facet.max_properties for facet in facets if facet.max_properties is not None]
    if most and len(term.required) > min(most):
        clause = f"{len(term.required)} properties are required, above maxProperties {min(most)}"
        yield _at(facets[0].place), clause
    elif least is not None and least.min_properties:
        if most and least.min_properties > min(most):
            clause = f"minProperties {least.min_properties} is above maxProperties {min(most)}"
        else:
            clause = f"no {least.min_properties} properties are possible, as minProperties asks for"
        yield _at(least.place), clause
    elif term.required:
        names = ", ".join(map(repr, sorted(term.required)[:3]))
        yield _at(facets[0].place), f"what it requires can't be there: {names}"
