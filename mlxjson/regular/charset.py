"""Sets of Unicode code points as sorted, disjoint, inclusive ranges.

Surrogates (U+D800 to U+DFFF) are no characters: no set holds them and complements leave them out.
"""

from bisect import bisect_right
from collections.abc import Iterable

Ranges = tuple[tuple[int, int], ...]

FULL: Ranges = ((0, 0xD7FF), (0xE000, 0x10FFFF))


def charset(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sort and merge `ranges`, and leave surrogates out."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            if high > merged[-1][1]:
                merged[-1] = (merged[-1][0], high)
        else:
            merged.append((low, high))
    if any(low <= 0xDFFF and high >= 0xD800 for low, high in merged):
        return intersect(tuple(merged), FULL)
    return tuple(merged)


def of(characters: Iterable[str]) -> Ranges:
    """The set of these characters."""
    return charset((ord(char), ord(char)) for char in characters)


def union(a: Ranges, b: Ranges) -> Ranges:
    """Code points in either."""
    return charset((*a, *b))


def intersect(a: Ranges, b: Ranges) -> Ranges:
    """Code points in both."""
    if a is b:
        return a
    shared: list[tuple[int, int]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        low, high = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if low <= high:
            shared.append((low, high))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return tuple(shared)


def complement(ranges: Ranges) -> Ranges:
    """All code points outside `ranges`."""
    gaps: list[tuple[int, int]] = []
    start = 0
    for low, high in ranges:
        if low > start:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= 0x10FFFF:
        gaps.append((start, 0x10FFFF))
    return intersect(tuple(gaps), FULL)


def difference(a: Ranges, b: Ranges) -> Ranges:
    """Code points in `a` and not in `b`."""
    return intersect(a, complement(b))


def contains(ranges: Ranges, code: int) -> bool:
    """Whether `code` belongs to `ranges`."""
    place = bisect_right(ranges, (code, 0x110000)) - 1
    return place >= 0 and ranges[place][1] >= code


def size(ranges: Ranges) -> int:
    """How many code points there are."""
    return sum(high - low + 1 for low, high in ranges)
