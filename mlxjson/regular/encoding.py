"""How characters are written in a grammar: as they are, or as inside a JSON string.

Inside a JSON string (RFC 8259, section 7) a character has up to three spellings: itself, a short
escape, and \\uXXXX. Printable ASCII is written as itself where it may be, everything else may be
written either way, so that what `json.dumps` writes with and without `ensure_ascii` is accepted.
"""

from functools import lru_cache

from mlxjson.regular.charset import Ranges, charset, contains, intersect

SHORT = {0x08: "b", 0x09: "t", 0x0A: "n", 0x0C: "f", 0x0D: "r", 0x22: '"', 0x5C: "\\"}
_LITERAL: Ranges = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10FFFF))
_ESCAPED: Ranges = ((0x00, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x7F, 0xD7FF), (0xE000, 0xFFFF))
_ASTRAL: Ranges = ((0x10000, 0x10FFFF),)
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
# A class of NUL alone would become a string, and a string ends at NUL.
_NUL = r"[\x00\x00]"
_ESCAPABLE: Ranges = (*_ESCAPED[:-1], (0xE000, 0x10FFFF))


def quote(text: str) -> list[str]:
    """`text` as a sequence of terminals of the grammar.

    The engine (xgrammar 0.2.9) writes characters below U+0100 as \\xHH while it normalises a
    grammar, and reads as many hexadecimal digits as follow: so such a character ends its terminal
    if a digit comes next. A NUL ends its strings, but not its classes.
    """
    parts: list[str] = []
    run = ""
    for index, char in enumerate(text):
        if char == "\0":
            parts += [f'"{run}"', _NUL] if run else [_NUL]
            run = ""
            continue
        run += _escape(char, '"\\')
        if _is_shown_in_hexadecimal(ord(char)) and text[index + 1 : index + 2] in _HEX_DIGITS:
            parts.append(f'"{run}"')
            run = ""
    return [*parts, f'"{run}"'] if run or not parts else parts


def _is_shown_in_hexadecimal(code: int) -> bool:
    return code not in (9, 10, 13) and (code < 0x20 or 0x7F <= code < 0x100)


def bracket(ranges: Ranges) -> str:
    """One code point of `ranges` as a class of the grammar.

    Ranges that begin with a hexadecimal digit come first, for the reason given at `quote`.
    """
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return quote(chr(ranges[0][0]))[0]
    digits = [pair for pair in ranges if chr(pair[0]) in _HEX_DIGITS]
    others = [pair for pair in ranges if chr(pair[0]) not in _HEX_DIGITS]
    return "[" + "".join(_show_range(low, high) for low, high in (*digits, *others)) + "]"


def _show_range(low: int, high: int) -> str:
    first, last = (_escape(chr(code), "\\]-^[") for code in (low, high))
    return first if low == high else f"{first}-{last}"


def _escape(char: str, special: str) -> str:
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return "\\" + char if char in special else char
    if code < 0x80:
        return {9: "\\t", 10: "\\n", 13: "\\r"}.get(code) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def is_plain(char: str) -> bool:
    """Whether the character has but one spelling in a JSON string: itself."""
    return " " <= char <= "~" and char not in '"\\'


def json_literals(ranges: Ranges) -> str:
    """The characters of `ranges` that may stand for themselves in a JSON string, "" if none."""
    literal = intersect(ranges, _LITERAL)
    return bracket(literal) if literal else ""


def json_escapes(ranges: Ranges) -> tuple[str, ...]:
    """Alternatives that together spell, with a backslash, what may or must be escaped."""
    return _escapes(intersect(ranges, _ESCAPABLE))


@lru_cache(maxsize=512)
def _escapes(ranges: Ranges) -> tuple[str, ...]:
    spellings: list[str] = []
    short = [letter for code, letter in SHORT.items() if contains(ranges, code)]
    if short:
        letters = charset((ord(letter), ord(letter)) for letter in short)
        spellings.append(r'"\\" ' + bracket(letters))
    spellings += [rf'"\\u" {digits}' for digits in _hexadecimal(intersect(ranges, _ESCAPED), 4)]
    spellings += _surrogate_pairs(intersect(ranges, _ASTRAL))
    return tuple(spellings)


def _surrogate_pairs(ranges: Ranges) -> list[str]:
    pairs: list[str] = []
    for highs, lows in _by_high_surrogate(ranges):
        low = _group(_hexadecimal(lows, 4))
        pairs += [rf'"\\u" {high} "\\u" {low}' for high in _hexadecimal(highs, 4)]
    return pairs


def _by_high_surrogate(ranges: Ranges) -> list[tuple[Ranges, Ranges]]:
    """Sets of high surrogates, each with the low ones that may follow."""
    highs_of: dict[Ranges, list[tuple[int, int]]] = {}
    rows: dict[int, list[tuple[int, int]]] = {}
    whole = ((0xDC00, 0xDFFF),)
    for low, high in ranges:
        first, last = (low - 0x10000) >> 10, (high - 0x10000) >> 10
        begin, end = 0xDC00 + (low & 0x3FF), 0xDC00 + (high & 0x3FF)
        if first == last:
            rows.setdefault(first, []).append((begin, end))
            continue
        rows.setdefault(first, []).append((begin, 0xDFFF))
        rows.setdefault(last, []).append((0xDC00, end))
        if first + 1 < last:
            highs_of.setdefault(whole, []).append((0xD800 + first + 1, 0xD800 + last - 1))
    for row, lows in rows.items():
        highs_of.setdefault(_merge(lows), []).append((0xD800 + row, 0xD800 + row))
    return [(_merge(highs), lows) for lows, highs in highs_of.items()]


def _merge(ranges: list[tuple[int, int]]) -> Ranges:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def _hexadecimal(ranges: Ranges, width: int) -> list[str]:
    """The numbers of `ranges` as `width` hexadecimal digits of either case."""
    if not ranges:
        return []
    unit = 16 ** (width - 1)
    if ranges == ((0, unit * 16 - 1),):
        return [f"[0-9A-Fa-f]{{{width}}}" if width > 1 else "[0-9A-Fa-f]"]
    if width == 1:
        return [_digits([digit for low, high in ranges for digit in range(low, high + 1)])]
    leading: dict[Ranges, list[int]] = {}
    for digit in range(ranges[0][0] // unit, ranges[-1][1] // unit + 1):
        rest = _slice(ranges, digit * unit, unit)
        if rest:
            leading.setdefault(rest, []).append(digit)
    return [
        f"{_digits(digits)} {_group(_hexadecimal(rest, width - 1))}"
        for rest, digits in leading.items()
    ]


def _slice(ranges: Ranges, base: int, unit: int) -> Ranges:
    return tuple(
        (max(low - base, 0), min(high - base, unit - 1))
        for low, high in ranges
        if low < base + unit and high >= base
    )


def _digits(digits: list[int]) -> str:
    letters = [char for digit in digits for char in {f"{digit:x}", f"{digit:X}"}]
    return bracket(charset((ord(char), ord(char)) for char in letters))


def _group(alternatives: list[str]) -> str:
    return alternatives[0] if len(alternatives) == 1 else "(" + " | ".join(alternatives) + ")"
