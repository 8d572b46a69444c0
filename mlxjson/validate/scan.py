"""A strict JSON reader that knows where every value stands (RFC 8259).

It refuses what JSON readers disagree about: the same key twice in an object (also when one of the
two is spelt with escapes), numbers that no float64 holds, lone surrogates, NaN and Infinity. It is
slower than the json module, so `parse` turns to it only for the place of an error and `locate` for
the place of a value.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from math import isinf
from typing import Any, NoReturn

from mlxjson.errors import UsageError

MAX_DEPTH = 5000
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORD = re.compile(r"-?[A-Za-z]+")
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None}
_OPENED = object()

Span = tuple[int, int]


class JsonError(UsageError):
    """A text that is not strict JSON.

    Attributes:
        offset: character offset into the text, from 0.
        line, column: the same place, from 1.
        pointer: JSON Pointer of the value that was being read.
    """

    def __init__(self, reason: str, text: str, offset: int, pointer: str) -> None:
        self.reason = reason
        self.offset = offset
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - text.rfind("\n", 0, offset)
        self.pointer = pointer
        inside = f" (at {pointer})" if 0 < len(pointer) < 200 else ""
        super().__init__(reason + inside, where=f"line {self.line}, column {self.column}")


def token(key: str | int) -> str:
    """One step of a JSON Pointer, escaped (RFC 6901 section 3)."""
    return "/" + str(key).replace("~", "~0").replace("/", "~1")


def number(literal: str, exact: bool) -> int | float | Decimal:
    """The value of a JSON number: int without fraction and exponent, else float or Decimal.

    Raises OverflowError where the magnitude is not finite in float64. A literal too small even
    for Decimal, whose exponents end at 1e18, becomes zero.
    """
    if isinf(float(literal)):
        raise OverflowError(literal)
    if literal.lstrip("-").isdigit():
        return int(literal)
    if not exact:
        return float(literal)
    try:
        return Decimal(literal)
    except InvalidOperation:
        return Decimal(0)


def scan(text: str, *, exact: bool = False, record: dict[str, Span] | None = None) -> Any:
    """Read `text` and put the span of every value into `record`, by JSON Pointer.

    `exact` gives Decimal for numbers with a fraction or exponent. Raises JsonError.
    """
    return _Scanner(text, exact, record).document()


@dataclass(slots=True)
class _Frame:
    """An array or object that is not closed yet."""

    container: Any
    pointer: str
    start: int
    key: str = ""

    def inner(self) -> str:
        is_array = isinstance(self.container, list)
        return self.pointer + token(len(self.container) if is_array else self.key)


class _Scanner:
    """Reads without recursion, so depth is bounded by `MAX_DEPTH` and not by the interpreter."""

    def __init__(self, text: str, exact: bool, record: dict[str, Span] | None) -> None:
        self.text = text
        self.exact = exact
        self.record = record
        self.pos = 0
        self.stack: list[_Frame] = []

    def document(self) -> Any:
        value = self.begin()
        while True:
            if value is not _OPENED:
                while self.stack and not self.attach(value):
                    value = self.close()
                if not self.stack:
                    return self.end(value)
            value = self.begin()

    def begin(self) -> Any:
        """Read a scalar or an empty container whole; else open the container."""
        self.space()
        char = self.peek()
        if char == "{":
            return self.open({}, "}")
        if char == "[":
            return self.open([], "]")
        if char == '"':
            return self.measured(self.string)
        if char and char in "-0123456789":
            return self.measured(self.number)
        return self.measured(self.word)

    def open(self, container: Any, end: str) -> Any:
        if len(self.stack) >= MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH} levels")
        self.stack.append(_Frame(container, self.pointer(), self.pos))
        self.pos += 1
        self.space()
        if self.peek() == end:
            self.pos += 1
            return self.close()
        if end == "}":
            self.key()
        return _OPENED

    def close(self) -> Any:
        frame = self.stack.pop()
        if self.record is not None:
            self.record[frame.pointer] = (frame.start, self.pos)
        return frame.container

    def attach(self, value: Any) -> bool:
        """Add a finished value to the open container; False when that ends the container."""
        frame = self.stack[-1]
        is_array = isinstance(frame.container, list)
        if is_array:
            frame.container.append(value)
        else:
            frame.container[frame.key] = value
        self.space()
        char = self.peek()
        if char == ("]" if is_array else "}"):
            self.pos += 1
            return False
        if char != ",":
            self.fail(f"expected ',' or '{']' if is_array else '}'}'", frame.pointer)
        self.pos += 1
        if not is_array:
            self.space()
            self.key()
        return True

    def key(self) -> None:
        frame = self.stack[-1]
        if self.peek() != '"':
            self.fail("expected a key in double quotes", frame.pointer)
        start = self.pos
        frame.key = self.string()
        if frame.key in frame.container:
            self.pos = start
            self.fail(f"the key {frame.key!r} appears twice", frame.pointer)
        self.space()
        if self.peek() != ":":
            self.fail("expected ':' after the key")
        self.pos += 1

    def string(self) -> str:
        start = self.pos
        try:
            value, self.pos = scanstring(self.text, start + 1, True)
        except JSONDecodeError as error:
            self.pos = error.pos
            self.fail(_string_fault(error.msg))
        if _SURROGATE.search(value):
            self.pos = start
            self.fail("a string holds half of a surrogate pair")
        return str(value)

    def number(self) -> Any:
        match = _NUMBER.match(self.text, self.pos)
        if match is None:
            return self.word()
        try:
            value = number(match[0], self.exact)
        except OverflowError:
            self.fail("the number is too large for a 64-bit float")
        self.pos = match.end()
        if self.peek() in set("0123456789.eE+-"):
            self.fail("malformed number")
        return value

    def word(self) -> Any:
        match = _WORD.match(self.text, self.pos)
        if not self.peek():
            self.fail("the text ends where a value should stand")
        if match is None:
            self.fail(f"expected a value, found {self.peek()!r}")
        if match[0] not in _CONSTANTS:
            self.fail(f"{match[0][:20]!r} is not a JSON value")
        self.pos = match.end()
        return _CONSTANTS[match[0]]

    def end(self, value: Any) -> Any:
        self.space()
        if self.pos < len(self.text):
            self.fail("text after the end of the JSON value")
        return value

    def measured(self, read: Callable[[], Any]) -> Any:
        start = self.pos
        value = read()
        if self.record is not None:
            self.record[self.pointer()] = (start, self.pos)
        return value

    def space(self) -> None:
        match = _SPACE.match(self.text, self.pos)
        self.pos = match.end() if match else self.pos

    def peek(self) -> str:
        return self.text[self.pos : self.pos + 1]

    def pointer(self) -> str:
        return self.stack[-1].inner() if self.stack else ""

    def fail(self, reason: str, pointer: str | None = None) -> NoReturn:
        where = self.pointer() if pointer is None else pointer
        raise JsonError(reason, self.text, self.pos, where)


def _string_fault(message: str) -> str:
    """The json module's message for a broken string, in plain words."""
    if message.startswith("Unterminated"):
        return "a string is not closed"
    if message.startswith("Invalid control"):
        return "a raw control character stands in a string"
    return "a string holds a broken escape"
