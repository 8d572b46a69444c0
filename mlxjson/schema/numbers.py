"""Keywords for numbers: ranges and multiples, exact in decimals.

Source: JSON Schema validation 2020-12, section 6.2; draft 4, sections 5.1.2 and 5.1.3 (boolean
exclusiveMaximum and exclusiveMinimum).
"""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from math import gcd, lcm
from typing import Any

from mlxjson.schema.items import NUMBER, Gap, Item, Items, NumberFacet, Types
from mlxjson.schema.literals import decimal
from mlxjson.schema.places import Place
from mlxjson.schema.shapes import Bound, Number

KEYWORDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})


def read(place: Place, schema: Mapping[str, Any], keywords: frozenset[str]) -> Iterator[Item]:
    """One facet for each keyword."""
    for keyword in KEYWORDS & schema.keys() & keywords:
        value = schema[keyword]
        if isinstance(value, bool) and keyword.startswith("exclusive"):
            _check_boolean(place, keyword)
            continue
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
            raise place.error(f"{keyword} must be a number", keyword)
        if not decimal(value).is_finite():
            raise place.error(f"{keyword} must be a finite number", keyword)
        yield _facet(place, schema, keyword, decimal(value))


def _check_boolean(place: Place, keyword: str) -> None:
    if place.dialect.boolean_exclusive is False:
        raise place.error(f"{keyword} must be a number", keyword)


def _facet(place: Place, schema: Mapping[str, Any], keyword: str, value: Decimal) -> NumberFacet:
    if keyword == "multipleOf":
        if value <= 0:
            raise place.error("multipleOf must be above 0", keyword)
        return NumberFacet(place, keyword, multiple_of=value)
    if keyword == "minimum":
        return NumberFacet(
            place, keyword, low=Bound(value, schema.get("exclusiveMinimum") is not True)
        )
    if keyword == "maximum":
        return NumberFacet(
            place, keyword, high=Bound(value, schema.get("exclusiveMaximum") is not True)
        )
    if keyword == "exclusiveMinimum":
        return NumberFacet(place, keyword, low=Bound(value, False))
    return NumberFacet(place, keyword, high=Bound(value, False))


def negate(facet: NumberFacet) -> tuple[Items, ...]:
    """A number outside the range."""
    place, keyword = facet.place, facet.keyword
    number = Types(NUMBER, place, keyword)

    def unless(**change: Any) -> Items:
        return number, NumberFacet(place, keyword, **change)

    branches: list[Items] = []
    if facet.low:
        branches.append(unless(high=Bound(facet.low.value, not facet.low.inclusive)))
    if facet.high:
        branches.append(unless(low=Bound(facet.high.value, not facet.high.inclusive)))
    if facet.integer:
        branches.append(unless(fractional=True))
    if facet.fractional:
        branches.append(unless(integer=True))
    if facet.multiple_of is not None:
        reason = "a number that is no multiple can't be described"
        branches.append((number, Gap(place, keyword, reason, NUMBER)))
    return tuple(branches)


def shape(facets: Iterable[NumberFacet], excluded: Iterable[Decimal] = ()) -> Number | None:
    """All facets together, or None if no number satisfies them."""
    low: Bound | None = None
    high: Bound | None = None
    integer = fractional = plain = False
    step: Fraction | None = None
    for facet in facets:
        low = _higher(low, facet.low)
        high = _lower(high, facet.high)
        integer, fractional = integer or facet.integer, fractional or facet.fractional
        plain = plain or facet.plain
        if facet.multiple_of is not None:
            step = common_multiple(step, Fraction(facet.multiple_of))
    if integer:
        step = common_multiple(step, Fraction(1))
    if step is not None:
        low, high = _tightened(low, high, step)
        whole = step.denominator == 1
        if fractional and whole:
            return None
        integer = integer or whole
    if low and high and not _meets(low, high):
        return None
    left = frozenset(value for value in excluded if _inside(value, low, high, step))
    if _all_excluded(low, high, step, left):
        return None
    multiple = None if step is None or (integer and step == 1) else _as_decimal(step)
    return Number(low, high, integer, multiple, left, fractional, plain)


def common_multiple(a: Fraction | None, b: Fraction) -> Fraction:
    """The least common multiple of two positive fractions."""
    if a is None:
        return b
    return Fraction(lcm(a.numerator, b.numerator), gcd(a.denominator, b.denominator))


def is_multiple(value: Decimal, step: Decimal) -> bool:
    """Whether `value` is a whole multiple of `step`, exactly."""
    return (Fraction(value) / Fraction(step)).denominator == 1


def _as_decimal(step: Fraction) -> Decimal:
    """`step` exactly: its denominator has no other prime factors than 2 and 5."""
    digits = 0
    while step.denominator != 1:
        step, digits = step * 10, digits + 1
    return Decimal((0, tuple(map(int, str(step.numerator))), -digits))


def _higher(a: Bound | None, b: Bound | None) -> Bound | None:
    if a is None or b is None:
        return a or b
    if a.value == b.value:
        return a if not a.inclusive else b
    return a if a.value > b.value else b


def _lower(a: Bound | None, b: Bound | None) -> Bound | None:
    if a is None or b is None:
        return a or b
    if a.value == b.value:
        return a if not a.inclusive else b
    return a if a.value < b.value else b


def _tightened(
    low: Bound | None, high: Bound | None, step: Fraction
) -> tuple[Bound | None, Bound | None]:
    """The bounds moved inwards to multiples of `step`."""
    if low:
        count = -(-Fraction(low.value) // step)
        count += not low.inclusive and count * step == Fraction(low.value)
        low = Bound(_exact(count * step))
    if high:
        count = Fraction(high.value) // step
        count -= not high.inclusive and count * step == Fraction(high.value)
        high = Bound(_exact(count * step))
    return low, high


def _exact(value: Fraction) -> Decimal:
    return -_as_decimal(-value) if value < 0 else _as_decimal(value)


def _meets(low: Bound, high: Bound) -> bool:
    if low.value == high.value:
        return low.inclusive and high.inclusive
    return low.value < high.value


def _inside(value: Decimal, low: Bound | None, high: Bound | None, step: Fraction | None) -> bool:
    if low and (value < low.value or (value == low.value and not low.inclusive)):
        return False
    if high and (value > high.value or (value == high.value and not high.inclusive)):
        return False
    return step is None or (Fraction(value) / step).denominator == 1


def _all_excluded(
    low: Bound | None, high: Bound | None, step: Fraction | None, left: frozenset[Decimal]
) -> bool:
    if not left or not low or not high:
        return False
    if low.value == high.value:
        return low.value in left
    if step is None:
        return False
    return (Fraction(high.value) - Fraction(low.value)) / step + 1 == len(left)
