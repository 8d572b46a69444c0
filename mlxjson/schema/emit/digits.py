"""Runs of decimal digits between two bounds, as grammar notation."""

from mlxjson.schema.emit.notation import Lit, either, item, seq, times

ZERO = '"0"'


def any_digits(least: int, most: int | None) -> str:
    """`least` to `most` digits; "" for none at all."""
    return times("[0-9]", least, most)


def one_of(low: int, high: int) -> str:
    """One digit from `low` to `high`."""
    return Lit(str(low)) if low == high else f"[{low}-{high}]"


def between(low: str, high: str) -> str:
    """The numbers from `low` to `high`, both with the same count of digits: a body of a rule."""
    return either(_between(low, high))


def _between(low: str, high: str) -> list[str]:
    shared = next((i for i, (a, b) in enumerate(zip(low, high, strict=True)) if a != b), len(low))
    if shared:
        rest = _between(low[shared:], high[shared:]) if shared < len(low) else []
        return [_joined(Lit(low[:shared]), rest)]
    size = len(low) - 1
    first, last = int(low[0]), int(high[0])
    ways = []
    if low[1:].strip("0"):
        ways.append(_joined(Lit(low[0]), _from(low[1:])))
        first += 1
    tail = []
    if high[1:].strip("9"):
        tail.append(_joined(Lit(high[0]), _up_to(high[1:])))
        last -= 1
    if first <= last:
        ways.append(seq(one_of(first, last), any_digits(size, size)))
    return ways + tail


def _joined(head: str, rest: list[str]) -> str:
    if not rest:
        return seq(head)
    return seq(head, rest[0] if len(rest) == 1 else f"({either(rest)})")


def _from(low: str) -> list[str]:
    """As many digits as `low` has, and not less."""
    return _between(low, "9" * len(low))


def _up_to(high: str) -> list[str]:
    return _between("0" * len(high), high)


def whole(low: int, high: int | None, most_digits: int) -> str:
    """Whole numbers from `low` (>= 0) to `high` without leading zeros: a body of a rule.

    "" if there is none of at most `most_digits` digits.
    """
    top = 10**most_digits - 1
    high = top if high is None else min(high, top)
    if low > high:
        return ""
    ways = ['"0"'] if low == 0 else []
    low = max(low, 1)
    if low > high:
        return '"0"'
    size, last = len(str(low)), len(str(high))
    if size == last:
        return either([*ways, *_between(str(low), str(high))])
    ways += _from(str(low)) if low != 10 ** (size - 1) else []
    full = size if low == 10 ** (size - 1) else size + 1
    end = last if high == 10**last - 1 else last - 1
    if full <= end:
        ways.append(seq("[1-9]", any_digits(full - 1, end - 1)))
    if end < last:
        ways += _between("1" + "0" * (last - 1), str(high))
    return either(ways)


def fraction(low: str, low_open: bool, high: str | None, high_open: bool, most: int) -> str:
    """Point and digits so that 0.digits lies between 0.low and 0.high: a body of a rule.

    `high` None stands for one, which is never reached. The empty text stands for a fraction of
    nought. "" if nothing fits.
    """
    low = low.rstrip("0")
    high = high if high is None else high.rstrip("0")
    ways = []
    if not low and not low_open and not (high == "" and high_open):
        ways.append('""')
    inner = _fraction(low, low_open, high, high_open, max(most, 1))
    if inner:
        ways.append(seq(Lit("."), item(either(inner))))
    return either(ways)


def _fraction(low: str, low_open: bool, high: str | None, high_open: bool, most: int) -> list[str]:
    """At least one digit more, so that what follows lies in between."""
    if high is None:
        return _fraction_from(low, low_open, most)
    if not low and not low_open:
        return _fraction_to(high, high_open, most)
    if not high:
        return []
    first, last = int((low or "0")[0]), int(high[0])
    if first == last:
        rest = _fraction(low[1:], low_open, high[1:], high_open, most - 1)
        ends = low[1:] == "" and not low_open and not (high[1:] == "" and high_open)
        return [_digit(first, rest, ends)] if rest or ends else []
    ways = []
    after = _fraction_from(low[1:], low_open, most - 1)
    ends = low[1:] == "" and not low_open
    if after or ends:
        ways.append(_digit(first, after, ends))
    if first + 1 < last:
        ways.append(seq(one_of(first + 1, last - 1), any_digits(0, max(most - 1, 0))))
    before = _fraction_to(high[1:], high_open, most - 1)
    if before or not (high[1:] == "" and high_open):
        ways.append(_digit(last, before, not (high[1:] == "" and high_open)))
    return ways


def _digit(digit: int, rest: list[str], ends: bool) -> str:
    """A digit and then `rest`, which may be left out if `ends`."""
    if not rest:
        return seq(Lit(str(digit)))
    return seq(Lit(str(digit)), f"({either(rest)})" + ("?" if ends else ""))


def _fraction_from(low: str, low_open: bool, most: int) -> list[str]:
    """At least one digit, so that 0.digits is at least (above) 0.low."""
    if most < 1 and not low:
        return []
    if not low:
        if not low_open:
            return [any_digits(1, most)]
        return [seq(times(ZERO, 0, most - 1), "[1-9]", any_digits(0, most - 1))]
    first = int(low[0])
    rest = _fraction_from(low[1:], low_open, most - 1)
    ends = low[1:] == "" and not low_open
    ways = [_digit(first, rest, ends)] if rest or ends else []
    if first < 9:
        ways.append(seq(one_of(first + 1, 9), any_digits(0, max(most - 1, 0))))
    return ways


def _fraction_to(high: str, high_open: bool, most: int) -> list[str]:
    """At least one digit, so that 0.digits is at most (below) 0.high."""
    if not high:
        return [] if high_open or most < 1 else [times(ZERO, 1, most)]
    last = int(high[0])
    ways = [seq(one_of(0, last - 1), any_digits(0, max(most - 1, 0)))] if last else []
    ends = not (high[1:] == "" and high_open)
    rest = _fraction_to(high[1:], high_open, most - 1)
    if rest or ends:
        ways.append(_digit(last, rest, ends))
    return ways
