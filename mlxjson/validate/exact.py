"""Numbers and equality as JSON has them: decimal, of any size, and apart from booleans."""

from decimal import Decimal
from typing import Any


def is_number(value: Any) -> bool:
    """Whether a parsed value is a JSON number."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def is_whole(value: Any) -> bool:
    """Whether a number has no fraction: 1, 1.0 and 1e2 do, so they are integers since draft 6."""
    if not is_number(value):
        return False
    if isinstance(value, Decimal):
        return value == value.to_integral_value()
    return isinstance(value, int) or value.is_integer()


def exactly(value: Any) -> Any:
    """A copy in which every float is the Decimal of its shortest spelling, so 0.1 is a tenth."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, list):
        return [exactly(item) for item in value]
    if isinstance(value, dict):
        return {key: exactly(item) for key, item in value.items()}
    return value


def is_multiple(value: int | Decimal, step: int | Decimal) -> bool:
    """Whether `value` is a whole number of `step`s, exactly, whatever the exponents."""
    (digits, power), (step_digits, step_power) = _scaled(value), _scaled(step)
    if digits == 0 or step_digits == 0:
        return digits == 0
    if power < step_power:
        return False  # `digits` does not end in a zero, so no power of ten divides it
    return digits * pow(10, power - step_power, step_digits) % step_digits == 0


def _scaled(value: int | float | Decimal) -> tuple[int, int]:
    """The number as (digits, power of ten), without sign, the digits not ending in a zero."""
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    _, digits, power = number.as_tuple()
    kept = len(digits)
    while kept and digits[kept - 1] == 0:
        kept -= 1
    return int(Decimal((0, digits[:kept], 0))), int(power) + len(digits) - kept


def identity(value: Any) -> Any:
    """A hashable key that two JSON values share if and only if they are equal (1 and 1.0 are)."""
    if isinstance(value, bool) or value is None:
        return ("constant", value)
    if isinstance(value, list):
        return ("array", tuple(identity(item) for item in value))
    if isinstance(value, dict):
        return ("object", frozenset((key, identity(item)) for key, item in value.items()))
    return value
