"""Characters that Python's `re` takes as equal when it ignores case."""

from functools import cache

from mlxjson.regular.charset import Ranges, charset, contains, intersect

# Blocks of the code space with letters that have case.
_CASED = (
    (0x41, 0x2D30), (0xA640, 0xA800), (0xAB30, 0xABC0), (0xFB00, 0xFB07), (0xFF21, 0xFF5B),
    (0x10400, 0x10600), (0x10C80, 0x10D90), (0x118A0, 0x118E0), (0x16E40, 0x16EE0),
    (0x1E900, 0x1E944),
)  # fmt: skip
_ASCII_EXTRA = {"i": (0x130, 0x131), "k": (0x212A,), "s": (0x17F,)}


@cache
def _classes() -> tuple[tuple[int, ...], ...]:
    """Groups of two or more code points that are equal but for case."""
    groups: dict[str, set[int]] = {}
    for first, last in _CASED:
        for code in range(first, last):
            _add(groups, code)
    unique = {id(group): group for group in groups.values() if len(group) > 1}
    return tuple(tuple(sorted(group)) for group in unique.values())


def _add(groups: dict[str, set[int]], code: int) -> None:
    """Join the groups of a character's lower and upper form."""
    char = chr(code)
    # re lowers U+0130 to one character, str.lower to two.
    lower, upper = ("i", "I") if code == 0x130 else (char.lower(), char.upper())
    if lower == upper:
        return
    first = groups.setdefault(lower, set())
    second = groups.setdefault(upper, first)
    first.add(code)
    if second is not first:
        first |= second
        for key, group in list(groups.items()):
            if group is second:
                groups[key] = first


def ignoring_ascii_case(ranges: Ranges) -> Ranges:
    """`ranges` with both forms of each ASCII letter in it: `re` with the flag a."""
    upper = intersect(ranges, ((0x41, 0x5A),))
    lower = intersect(ranges, ((0x61, 0x7A),))
    return charset(
        (*ranges, *((a + 32, b + 32) for a, b in upper), *((a - 32, b - 32) for a, b in lower))
    )


def _ascii(code: int) -> list[tuple[int, int]]:
    char = chr(code)
    others = (code, ord(char.swapcase()), *_ASCII_EXTRA.get(char.lower(), ()))
    return [(other, other) for other in others]


def ignoring_case(ranges: Ranges) -> Ranges:
    """`ranges` and all characters that differ from one of them only in case."""
    if len(ranges) < 8 and all(high < 0x80 for _, high in ranges):
        codes = (code for low, high in ranges for code in range(low, high + 1))
        return charset(pair for code in codes for pair in _ascii(code))
    more = [
        (code, code)
        for group in _classes()
        if any(contains(ranges, code) for code in group)
        for code in group
    ]
    return charset((*ranges, *more))
