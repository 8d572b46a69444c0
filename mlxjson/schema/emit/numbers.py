"""Numbers: free ones, ranges, multiples.

Ranges are written out digit by digit, without exponents. In what is generated digits are bounded,
so that a model that likes digits comes to an end, and no number is too large for a double.
"""

from collections.abc import Iterator
from decimal import ROUND_FLOOR, Decimal, localcontext

from mlxjson.schema.emit import digits
from mlxjson.schema.emit.multiples import multiples
from mlxjson.schema.emit.notation import Lit, either, item, seq
from mlxjson.schema.emit.rules import Rules
from mlxjson.schema.shapes import Bound, Number

# Digits before and behind the point. xgrammar writes short repetitions out, so many digits cost.
_OPEN = (40, 40)
_CLOSED = (19, 17)
# Few enough that a double close to a bound stays on its side of it.
_CLOSED_RANGE = (15, 10)
_MOST_EXCLUDED = 64

# Up to 1.7e308, the largest double.
_SIZE = '("0" | [1-9] [0-9]{0,39}) ("." [0-9]+)?'
_POWER = '[eE] ("+"? ([0-9]? | "1" [0-9] | "2" [0-5]) [0-9] | "-" ([12]? [0-9])? [0-9])'
_HUGE = (
    '[1-9] ("." [0-9]+)? [eE] "+"? ("2" [6-9] [0-9] | "30" [0-7]) | '
    '"1" ("." [0-6] [0-9]*)? [eE] "+"? "308"'
)
_PLAIN_INTEGER = '"-"? ("0" | [1-9] [0-9]{0,39})'
_OPEN_INTEGER = f'{_PLAIN_INTEGER} ("." "0"+)?'
_OPEN_UNSIGNED = f"{_SIZE} ({_POWER})? | {_HUGE}"
_OPEN_NUMBER = f'"-"? ({_OPEN_UNSIGNED})'
_ZERO = Bound(Decimal(0))
Interval = tuple[Bound | None, Bound | None]


def number(rules: Rules, shape: Number, closed: bool) -> tuple[str, list[str]]:
    """A body for the numbers of `shape`, and the keywords that it leaves out; "" for no number."""
    if not shape.excluded and shape.multiple_of is None and shape.low is None is shape.high:
        text = _free(shape, closed)
        # One rule for all of them: written out in each place it is most of many a grammar.
        return text if closed else rules.shared("num", text), []
    skipped: list[str] = []
    excluded = shape.excluded
    if len(excluded) > _MOST_EXCLUDED:
        excluded = frozenset()
        skipped.append("not")
    writer = _Writer(rules, shape, closed, skipped)
    ways: list[str] = []
    for interval in _intervals(shape.low, shape.high, excluded):
        ways += writer.signed(interval)
    return either(way for way in ways if way), list(dict.fromkeys(skipped))


def _free(shape: Number, closed: bool) -> str:
    whole, behind = _CLOSED if closed else _OPEN
    if shape.integer and (closed or shape.plain):
        return f'"0" | "-"? [1-9] [0-9]{{0,{whole - 1}}}' if closed else _PLAIN_INTEGER
    if shape.integer:
        return _OPEN_INTEGER
    if shape.fractional:
        return seq('"-"?', f'("0" | [1-9] [0-9]{{0,{whole - 1}}})', _not_whole(behind))
    if closed:
        plain = f'("0" | [1-9] [0-9]{{0,14}}) ("." [0-9]{{1,{behind}}})?'
        return f'"-"? {plain} ([eE] [+-]? [0-9]{{1,2}})?'
    return _OPEN_NUMBER


def _not_whole(most: int) -> str:
    return f'"." "0"{{0,{most - 1}}} [1-9] [0-9]{{0,{most - 1}}}'


def _intervals(
    low: Bound | None, high: Bound | None, excluded: frozenset[Decimal]
) -> Iterator[Interval]:
    """The range without the excluded values."""
    for value in sorted(excluded):
        if (low is None or value >= low.value) and (high is None or value <= high.value):
            yield low, Bound(value, False)
            low = Bound(value, False)
    yield low, high


class _Writer:
    def __init__(self, rules: Rules, shape: Number, closed: bool, skipped: list[str]) -> None:
        self.rules = rules
        self.shape = shape
        self.closed = closed
        self.skipped = skipped

    def signed(self, interval: Interval) -> Iterator[str]:
        """The part from nought up and the part below, which is mirrored."""
        low, high = interval
        if high is None or high.value >= 0:
            yield self._unsigned(low if low is not None and low.value >= 0 else _ZERO, high)
        if low is None or low.value < 0:
            has_zero = high is None or high.value > 0 or (high.value == 0 and high.inclusive)
            below = Bound(Decimal(0), has_zero and not self.closed)
            if high is not None and high.value < 0:
                below = _mirrored(high)
            body = self._unsigned(below, _mirrored(low) if low else None)
            yield seq(Lit("-"), item(body)) if body else ""

    def _unsigned(self, low: Bound, high: Bound | None) -> str:
        if _is_empty(low, high):
            return ""
        shape, closed = self.shape, self.closed
        if shape.multiple_of is not None:
            body = multiples(self.rules, shape, low, high, closed or shape.plain)
            if body is not None:
                return body
            self.skipped.append("multipleOf")
        sizes = _CLOSED_RANGE if closed else _OPEN
        if shape.integer:
            return _whole(low, high, _CLOSED[0] if closed else sizes[0], closed or shape.plain)
        if high is not None or low.value > 0 or closed or shape.fractional:
            return _decimal(low, high, shape.fractional, sizes)
        if low.inclusive:
            return _OPEN_UNSIGNED
        above = _decimal(low, high, shape.fractional, sizes)
        return f'{above} | [1-9] [0-9]{{0,39}} ("." [0-9]+)? {_POWER} | {_HUGE}'


def _is_empty(low: Bound, high: Bound | None) -> bool:
    if high is None or high.value > low.value:
        return False
    return high.value < low.value or not (low.inclusive and high.inclusive)


def _mirrored(bound: Bound) -> Bound:
    return Bound(-bound.value, bound.inclusive)


def _whole(low: Bound, high: Bound | None, most: int, closed: bool) -> str:
    first = -_floor(-low.value)
    first += not low.inclusive and first == low.value
    last = None
    if high is not None:
        last = _floor(high.value)
        last -= not high.inclusive and last == high.value
    # A lower bound beyond what is usual must leave room above it.
    body = digits.whole(first, last, max(most, len(str(first)) + 1))
    return body if closed or not body else seq(item(body), '("." "0"{1,20})?')


def _floor(value: Decimal) -> int:
    with localcontext() as context:
        context.prec = max(28, value.adjusted() + 3)
        return int(value.to_integral_value(ROUND_FLOOR))


def _decimal(low: Bound, high: Bound | None, fractional: bool, sizes: tuple[int, int]) -> str:
    """Numbers with or without a fraction; `fractional` ones have one that is not nought."""
    first, first_part = _parts(low.value)
    low_open = not low.inclusive or (fractional and not first_part.rstrip("0"))
    last, last_part = (None, "") if high is None else _parts(high.value)
    high_open = high is not None and not high.inclusive
    whole = max(sizes[0], len(str(first)) + 1)
    most = max(sizes[1], len(first_part) + 2, len(last_part) + 2)
    if last == first:
        end = digits.fraction(first_part, low_open, last_part, high_open, most)
        return seq(Lit(str(first)), _group(end)) if end else ""
    ways = []
    start = first
    if first_part.rstrip("0") or low_open:
        ways.append(_under(first, digits.fraction(first_part, low_open, None, False, most)))
        start += 1
    inner = digits.whole(start, None if last is None else last - 1, whole)
    if inner:
        ways.append(
            seq(item(inner), _not_whole(most) if fractional else f'("." [0-9]{{1,{most}}})?')
        )
    if last is not None and len(str(last)) <= whole:
        ways.append(_under(last, digits.fraction("", fractional, last_part, high_open, most)))
    return either(way for way in ways if way)


def _parts(value: Decimal) -> tuple[int, str]:
    """Whole part and the digits behind the point."""
    whole = _floor(value)
    text = format(value, "f")
    return whole, text.partition(".")[2]


def _under(whole: int, fraction: str) -> str:
    return seq(Lit(str(whole)), _group(fraction)) if fraction else ""


def _group(body: str) -> str:
    return "" if body == '""' else item(body)
