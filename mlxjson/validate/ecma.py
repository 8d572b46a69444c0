"""ECMA-262 regular expressions (with the u flag) written for the `regex` module.

One pass over the source, section 22.2.1 of ECMA-262: it checks the syntax where the two dialects
differ, and rewrites what they spell or read differently. What is the same in both, such as the
nesting of groups and the ranges in a class, is left for the module to check.
"""

import re
from typing import NoReturn

_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_WORD = "A-Za-z0-9_"
_CLASSES = {
    "d": "0-9", "D": r"\x00-/:-\U0010ffff",
    "w": _WORD, "W": r"\x00-/:-@\[-\^`{-\U0010ffff",
    "s": _SPACE, "S": (
        r"\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e"
        r"\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
    ),
}  # fmt: skip
_CONTROL = {"t": r"\t", "n": r"\n", "v": r"\v", "f": r"\f", "r": r"\r", "0": r"\x00"}
_SYNTAX = set("^$\\.*+?()[]{}|/-")
_BOUNDARY = {
    "b": rf"(?:(?<=[{_WORD}])(?![{_WORD}])|(?<![{_WORD}])(?=[{_WORD}]))",
    "B": rf"(?:(?<=[{_WORD}])(?=[{_WORD}])|(?<![{_WORD}])(?![{_WORD}]))",
}
_NAME = r"[^\W\d][\w$]*"
_GROUP = re.compile(rf"\(\?(?::|=|!|<=|<!|<({_NAME})>)")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]+)\}")
_PROPERTY = re.compile(r"([pP])\{([A-Za-z_]+)(?:=([A-Za-z_0-9]+))?\}")
_BACK = re.compile(rf"k<({_NAME})>|([1-9][0-9]*)")
_REPEAT = re.compile(r"[*+?]|\{[0-9]+(?:,[0-9]*)?\}")


class EcmaError(ValueError):
    """The source is not an ECMA-262 regular expression."""


def to_python(source: str) -> str:
    """The same expression for the `regex` module. Raises EcmaError."""
    return _Translator(source).all()


class _Translator:
    def __init__(self, source: str) -> None:
        self.source = source
        self.pos = 0

    def all(self) -> str:
        parts: list[str] = []
        while self.pos < len(self.source):
            parts.append(self.atom())
        return "".join(parts)

    def atom(self) -> str:
        char = self.take()
        match char:
            case "\\":
                return self.escape()
            case "[":
                return self.bracket()
            case "(":
                return self.group()
            case "$":
                return r"\Z"
            case "^":
                return r"\A"
            case ".":
                return r"[^\n\r\u2028\u2029]"
            case "*" | "+" | "?" | "{":
                return self.repeat()
            case _ if char in "]}":
                return "\\" + char  # only refused with the u flag, and common in schemas
            case _:
                return char if char in "()|" else re.escape(char)

    def repeat(self) -> str:
        self.pos -= 1
        match = _REPEAT.match(self.source, self.pos)
        if match is None:
            self.pos += 1
            return r"\{"
        self.pos = match.end()
        if self.peek() == "+":
            self.fail("nothing to repeat")  # possessive in other dialects
        return match[0]

    def group(self) -> str:
        if self.peek() != "?":
            return "("
        match = _GROUP.match(self.source, self.pos - 1)
        if match is None:
            self.fail("unknown kind of group")
        self.pos = match.end()
        return f"(?P<{match[1].replace('$', '_')}>" if match[1] else match[0]

    def bracket(self) -> str:
        negated = self.peek() == "^"
        self.pos += negated
        if self.peek() == "]":
            self.pos += 1
            return r"[\x00-\U0010ffff]" if negated else "(?!)"
        parts = ["[^" if negated else "["]
        while (char := self.take("]")) != "]":
            parts.append(self.class_escape() if char == "\\" else self.literal(char))
        return "".join(parts) + "]"

    @staticmethod
    def literal(char: str) -> str:
        return char if char == "-" else re.escape(char)

    def class_escape(self) -> str:
        if self.peek() in _CLASSES:
            return _CLASSES[self.take()]
        if self.peek() == "b":
            self.pos += 1
            return r"\x08"
        return self.character()

    def escape(self) -> str:
        char = self.peek()
        if char in _CLASSES:
            return f"[{_CLASSES[self.take()]}]"
        if char in _BOUNDARY:
            return _BOUNDARY[self.take()]
        if match := _BACK.match(self.source, self.pos):
            self.pos = match.end()
            return f"(?P={match[1].replace('$', '_')})" if match[1] else rf"(?:\{match[2]})"
        return self.character()

    def character(self) -> str:
        """An escape of one character, or a property, legal in and outside a class."""
        if match := _HEX.match(self.source, self.pos):
            self.pos = match.end()
            return self.code_point(match[1] or match[2] or match[3])
        if match := _PROPERTY.match(self.source, self.pos):
            self.pos = match.end()
            return "\\" + match[0]
        char = self.take("an escape")
        if char == "c" and self.peek().isascii() and self.peek().isalpha():
            return rf"\x{ord(self.take()) % 32:02x}"
        if char in _CONTROL:
            return _CONTROL[char]
        if char.isascii() and char.isalnum():
            self.fail(f"unknown escape \\{char}")
        return re.escape(char)

    def code_point(self, digits: str) -> str:
        value = int(digits, 16)
        if 0xD800 <= value < 0xDC00 and (
            low := re.compile(r"\\u(D[C-F][0-9A-F]{2})", re.I).match(self.source, self.pos)
        ):
            self.pos = low.end()
            value = 0x10000 + ((value - 0xD800) << 10) + int(low[1], 16) - 0xDC00
        if value > 0x10FFFF:
            self.fail("code point out of range")
        return rf"\U{value:08x}"

    def peek(self) -> str:
        return self.source[self.pos : self.pos + 1]

    def take(self, wanted: str = "a character") -> str:
        char = self.peek()
        if not char:
            self.fail(f"the expression ends where {wanted} should stand")
        self.pos += 1
        return char

    def fail(self, reason: str) -> NoReturn:
        raise EcmaError(f"{reason} (position {self.pos})")
