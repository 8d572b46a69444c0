"""Multiples of a number, digit by digit.

Numbers are scaled so that the step is whole: 2.5 with step 0.5 becomes 25 with step 5, one of its
digits behind the point. What may follow k digits before the end depends only on the remainder
that they must leave, so each remainder and count of digits is one rule.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from mlxjson.schema.emit.notation import Lit, either, item, seq, times
from mlxjson.schema.emit.rules import Rules
from mlxjson.schema.emit.trie import constants
from mlxjson.schema.shapes import Bound, Number

MOST_STATES = 2500
MOST_CONSTANTS = 5000
FEW_CONSTANTS = 64
MOST_DIGITS = 19
_FEWEST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high` (None: no end), both whole numbers of units 10^-places."""

    low: int
    high: int | None
    places: int


@dataclass(frozen=True, slots=True)
class _State:
    """`left` digits that make up at least `low`, at most `high` and `need` modulo the step."""

    left: int
    need: int
    low: str | None
    high: str | None
    whole: bool  # all digits behind the point were noughts so far


def multiples(
    rules: Rules, shape: Number, low: Bound, high: Bound | None, closed: bool
) -> str | None:
    """Multiples from `low` (>= 0) up: a body; "" for none, None where it can't be said."""
    step, fractional = shape.multiple_of, shape.fractional
    assert step is not None
    places = max(0, -int(step.normalize().as_tuple().exponent))
    unit = 10**places
    size = int(step * unit)
    last = None if high is None else _scaled(high, unit, up=False)
    bounds = Range(_scaled(low, unit, up=True), last, places)
    count = _count(bounds, size)
    if count is not None and (count <= FEW_CONSTANTS or (closed and count <= MOST_CONSTANTS)):
        return _listed(bounds, size, closed, fractional)
    digits = _digits(bounds, size)
    if digits is None:
        if count is not None and count <= MOST_CONSTANTS:
            return _listed(bounds, size, closed, fractional)
        return None
    return _Writer(rules, size, places, closed, fractional).all(bounds, digits)


def _scaled(bound: Bound, unit: int, up: bool) -> int:
    exact = Fraction(bound.value) * unit
    value = -((-exact) // 1) if up else exact // 1
    if not bound.inclusive and value == exact:
        value += 1 if up else -1
    return int(value)


def _count(bounds: Range, size: int) -> int | None:
    if bounds.high is None:
        return None
    return max(0, bounds.high // size - (bounds.low + size - 1) // size + 1)


def _listed(bounds: Range, size: int, closed: bool, fractional: bool) -> str:
    assert bounds.high is not None
    first = (bounds.low + size - 1) // size * size
    unit = 10**bounds.places
    values = [v for v in range(first, bounds.high + 1, size) if not (fractional and v % unit == 0)]
    texts = [_plain(value, bounds.places) for value in values]
    if closed:
        return constants(texts) if texts else ""
    pointed = [text for text in texts if "." in text]
    wholes = [text for text in texts if "." not in text]
    ways = []
    if pointed:
        ways.append(seq(f"({constants(pointed)})", '"0"{0,20}'))
    if wholes:
        ways.append(seq(f"({constants(wholes)})", '("." "0"{1,20})?'))
    return either(ways)


def _plain(value: int, places: int) -> str:
    text = str(value).rjust(places + 1, "0")
    if not places:
        return text
    return f"{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")


def _digits(bounds: Range, size: int) -> int | None:
    """How many digits may stand before the point; None if that takes too many rules."""
    wanted = MOST_DIGITS
    if bounds.high is not None:
        wanted = min(wanted, max(1, len(str(bounds.high)) - bounds.places))
    states, digits = 0, 0
    for left in range(wanted + bounds.places):
        states += size // gcd(size, 10**left)
        if states > MOST_STATES:
            break
        digits = left + 1 - bounds.places
    fewest = max(min(wanted, _FEWEST_DIGITS), len(str(bounds.low)) - bounds.places + 1)
    return digits if digits >= min(fewest, wanted) else None


class _Writer:
    def __init__(self, rules: Rules, size: int, places: int, closed: bool, fraction: bool) -> None:
        self.rules = rules
        self.size = size
        self.places = places
        self.closed = closed
        self.fraction = fraction
        self.names: dict[_State, str] = {}

    def all(self, bounds: Range, digits: int) -> str:
        """Numbers of each length, without leading zeros."""
        ways = []
        for count in range(1, digits + 1):
            total = count + self.places
            low = max(bounds.low, 10 ** (total - 1) if count > 1 else 0)
            high = 10**total - 1 if bounds.high is None else min(bounds.high, 10**total - 1)
            if low <= high:
                start = _state(total, 0, str(low).zfill(total), str(high).zfill(total), True)
                ways.append(self._use(start))
        return either(way for way in ways if way)

    def _use(self, state: _State) -> str:
        """An expression for `state`: a name, something short, or "" for nothing."""
        if state not in self.names:
            body = self._body(state)
            self.names[state] = self.rules.shared("m", body) if body else ""
        return self.names[state]

    def _body(self, state: _State) -> str:
        ways = []
        if state.left <= self.places and self._may_end(state):
            ways.append(self._end(state))
        if state.left == self.places and self.places:
            inner = self._next(state)
            ways += [seq(Lit("."), item(either(inner)))] if inner else []
        elif state.left:
            ways += self._next(state)
        return either(ways)

    def _may_end(self, state: _State) -> bool:
        if state.need or (state.low is not None and state.low.strip("0")):
            return False
        return not (self.fraction and state.whole)

    def _end(self, state: _State) -> str:
        if self.closed or state.left:
            return '""'
        return '"0"{0,20}' if self.places else '("." "0"{1,20})?'

    def _next(self, state: _State) -> list[str]:
        targets: dict[str, list[int]] = {}
        for digit in range(10):
            after = self._after(state, digit)
            name = self._use(after) if after is not None else ""
            if name:
                targets.setdefault(name, []).append(digit)
        return [seq(_class(digits), name) for name, digits in targets.items()]

    def _after(self, state: _State, digit: int) -> _State | None:
        low, high = state.low, state.high
        if (low is not None and digit < int(low[0])) or (high is not None and digit > int(high[0])):
            return None
        left = state.left - 1
        need = (state.need - digit * 10**left) % self.size
        if need >= 10**left:
            return None
        low = low[1:] if low is not None and digit == int(low[0]) else None
        high = high[1:] if high is not None and digit == int(high[0]) else None
        behind = left < self.places
        return _state(left, need, low, high, state.whole and not (behind and digit))


def _state(left: int, need: int, low: str | None, high: str | None, whole: bool) -> _State:
    """Bounds that don't bind are left out, so that equal states meet."""
    low = low if low is not None and low.strip("0") else None
    high = high if high is not None and high.strip("9") else None
    return _State(left, need, low, high, whole)


def _class(digits: list[int]) -> str:
    if len(digits) == 1:
        return Lit(str(digits[0]))
    if len(digits) == 10:
        return "[0-9]"
    return times("[" + "".join(map(str, digits)) + "]", 1, 1)
