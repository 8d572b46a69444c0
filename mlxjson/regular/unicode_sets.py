"""Sets of characters by Unicode property, made when first asked for.

The data is that of the running Python's `unicodedata` and `re`, so it agrees with what Python
says of a text. Sources: Unicode Standard Annex 44 for the category names; ECMA-262, 22.2.1 and
table 66 for how an expression spells them.
"""

import re
import unicodedata
from functools import cache
from itertools import groupby

from mlxjson.regular.charset import FULL, Ranges, charset, complement, intersect

ASCII_DIGIT: Ranges = ((0x30, 0x39),)
ASCII_WORD: Ranges = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
ASCII_SPACE: Ranges = ((0x09, 0x0D), (0x20, 0x20))
# ECMA-262, 12.2 and 12.3: WhiteSpace and LineTerminator.
ECMA_SPACE: Ranges = (
    (0x09, 0x0D), (0x20, 0x20), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0xFEFF, 0xFEFF),
)  # fmt: skip

# Beyond these no letter, digit or mark is assigned: planes 4 to 13 are empty, 15 and 16 private.
_SCANNED = ((0, 0xD7FF), (0xE000, 0x3FFFF), (0xE0000, 0xE0FFF))
_PRIVATE = ((0xF0000, 0xFFFFD), (0x100000, 0x10FFFD))

_LONG = {
    "Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll",
    "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
    "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd",
    "Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "punct": "P",
    "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps",
    "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi", "Final_Punctuation": "Pf",
    "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc",
    "Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs",
    "Line_Separator": "Zl", "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc",
    "cntrl": "Cc", "Format": "Cf", "Private_Use": "Co", "Unassigned": "Cn", "Surrogate": "Cs",
}  # fmt: skip

# Letters of these scripts are named after them; what is shared between scripts is left out.
_SCRIPTS = {
    "Latin": ("LATIN SMALL LETTER", "LATIN CAPITAL LETTER"), "Greek": ("GREEK ",),
    "Cyrillic": ("CYRILLIC ",), "Armenian": ("ARMENIAN ",), "Hebrew": ("HEBREW ",),
    "Arabic": ("ARABIC ",), "Devanagari": ("DEVANAGARI ",), "Bengali": ("BENGALI ",),
    "Thai": ("THAI ",), "Georgian": ("GEORGIAN ",), "Hangul": ("HANGUL ",),
    "Hiragana": ("HIRAGANA ",), "Katakana": ("KATAKANA ",), "Han": ("CJK UNIFIED IDEOGRAPH",),
}  # fmt: skip


@cache
def _by_category() -> dict[str, Ranges]:
    """For each two-letter category its characters."""
    found: dict[str, list[tuple[int, int]]] = {}
    for low, high in _SCANNED:
        place = low
        for name, run in groupby(map(unicodedata.category, map(chr, range(low, high + 1)))):
            length = sum(1 for _ in run)
            found.setdefault(name, []).append((place, place + length - 1))
            place += length
    found.setdefault("Co", []).extend(_PRIVATE)
    sets = {name: charset(ranges) for name, ranges in found.items()}
    taken = charset(pair for ranges in sets.values() for pair in ranges)
    sets["Cn"] = charset((*sets.get("Cn", ()), *complement(taken)))
    return sets


@cache
def category(name: str) -> Ranges | None:
    """The characters whose general category is `name` or begins with it; None if unknown."""
    short = _LONG.get(name, name)
    wanted = ("Lu", "Ll", "Lt") if short in ("LC", "L&") else (short,)
    if short not in {*_LONG.values(), "LC", "L&"}:
        return None
    sets = _by_category()
    return charset(pair for key in sets if key.startswith(wanted) for pair in sets[key])


@cache
def script(name: str) -> Ranges | None:
    """Letters of a script, by their names; None if unknown."""
    prefixes = _SCRIPTS.get(name)
    if prefixes is None:
        return None
    letters = [low_high for key in ("Lu", "Ll", "Lo") for low_high in _by_category()[key]]
    codes = (code for low, high in letters for code in range(low, high + 1))
    return charset((c, c) for c in codes if unicodedata.name(chr(c), "").startswith(prefixes))


def unicode_property(expression: str) -> Ranges | None:
    r"""The set that `\p{expression}` stands for; None if unknown."""
    key, equals, value = expression.partition("=")
    if equals:
        if key in ("gc", "General_Category"):
            return category(value)
        return script(value) if key in ("sc", "Script", "scx", "Script_Extensions") else None
    if expression == "Any":
        return FULL
    if expression == "ASCII":
        return ((0, 0x7F),)
    if expression == "Assigned":
        return complement(_by_category()["Cn"])
    found = category(expression)
    return script(expression) if found is None else found


@cache
def python_set(letter: str) -> Ranges:
    r"""What `\d`, `\w` or `\s` is for Python's `re` on str."""
    found: list[tuple[int, int]] = []
    for low, high in ((0, 0x30FF),) if letter == "s" else _SCANNED:
        codes = "".join(map(chr, range(low, high + 1)))
        for match in re.finditer(rf"\{letter}+", codes):
            found.append((low + match.start(), low + match.end() - 1))
    return intersect(charset(found), FULL)
