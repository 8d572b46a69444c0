r"""The dialect of Python's `re`: a text belongs if `re.fullmatch` takes it.

`\d`, `\w` and `\s` are the ASCII sets, and `\p{…}` names a Unicode category, which `re` lacks.
What needs more than a regular language (back-references), or what `re` decides by looking around
(look-around, word boundaries), is refused. Source: the documentation of `re`, Python 3.11.
"""

import unicodedata

from mlxjson.regular.charset import FULL, Ranges, complement
from mlxjson.regular.measure import span
from mlxjson.regular.members import Member
from mlxjson.regular.possessive import greedy_end
from mlxjson.regular.reader import DIGITS, END, START, Reader
from mlxjson.regular.tree import (
    ANY,
    Assert,
    Look,
    Node,
    Repeat,
    Text,
    alt,
    chars,
    seq,
)
from mlxjson.regular.unicode_sets import ASCII_SPACE

NEWLINE: Ranges = ((10, 10),)
# `$` also holds before a newline that ends the text.
DOLLAR = alt((END, Look(seq((Text("\n"), END)), False)))
LINE_START = Assert(NEWLINE, True, FULL, True)
LINE_END = Assert(FULL, True, NEWLINE, True)

_CONTROL = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_LOOKING = {
    "=": "a look-ahead", "!": "a look-ahead", "<=": "a look-behind", "<!": "a look-behind",
}  # fmt: skip


class PythonReader(Reader):
    """Reads what `re.compile` reads."""

    possessive = True
    space = ASCII_SPACE

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.dot_all = False
        self.multiline = False
        self.names: set[str] = set()

    def allowed_braces(self, low: str, comma: bool, high: str, place: int) -> bool:
        return bool(low) or comma

    def leading_bracket(self, found: list[Member], place: int) -> None:
        self.place += 1
        self.member_from(found, ((0x5D, 0x5D),), place)

    def dot(self) -> Node:
        return ANY if self.dot_all else chars(complement(NEWLINE))

    def anchor(self, char: str) -> Node:
        if char == "^":
            return LINE_START if self.multiline else START
        return LINE_END if self.multiline else DOLLAR

    def possessively(self, item: Node, counts: tuple[int, int | None], place: int) -> Node:
        lengths = span(item)
        if lengths is None or lengths[0] != lengths[1] or lengths == (0, 0):
            self.fail("a possessive repetition of what varies in length", place)
        return greedy_end(Repeat(item, *counts))

    def group(self, place: int) -> Node | None:
        if not self.take("?"):
            return self._scoped(place)
        if self.take("P"):
            return self._named(place)
        if self.take("#"):
            return self._comment(place)
        if self.take(">"):
            return self._atomic(place)
        for sign in ("<=", "<!", "=", "!"):
            if self.take(sign):
                self.fail(f"{_LOOKING[sign]}, which is not supported here", place)
        if self.take("("):
            self.fail("a condition on a group, which is not regular", place)
        return self._flags(place)

    def _scoped(self, place: int) -> Node:
        """The rest of a group; flags set in it end with it."""
        before = self._state()
        node = self.rest_of_group(place)
        self._restore(before)
        return node

    def _state(self) -> tuple[bool, ...]:
        return (
            self.ignore_case, self.verbose, self.ascii_only, self.dot_all, self.multiline,
        )  # fmt: skip

    def _restore(self, state: tuple[bool, ...]) -> None:
        self.ignore_case, self.verbose, self.ascii_only, self.dot_all, self.multiline = state

    def _named(self, place: int) -> Node:
        if self.take("="):
            self.fail("a back-reference, which is not regular", place)
        if not self.take("<"):
            self.fail("an unknown kind of group", place)
        end = self.source.find(">", self.place)
        name = self.source[self.place : end] if end >= 0 else ""
        if not name.isidentifier():
            self.fail("a group name that is no identifier", place)
        if name in self.names:
            self.fail(f"the group name {name} used twice", place)
        self.names.add(name)
        self.place = end + 1
        return self._scoped(place)

    def _comment(self, place: int) -> Node | None:
        end = self.source.find(")", self.place)
        if end < 0:
            self.fail("a comment that is never closed", place)
        self.place = end + 1
        return None

    def _atomic(self, place: int) -> Node:
        """An atomic group changes nothing where its content has one way to match."""
        lazies = self.lazies
        node = self._scoped(place)
        lengths = span(node)
        if lengths is not None and lengths[0] == lengths[1]:
            return node
        inner = span(node.item) if isinstance(node, Repeat) else None
        if inner is None or inner[0] != inner[1] or inner[0] == 0 or self.lazies != lazies:
            self.fail("an atomic group whose content varies in length", place)
        assert isinstance(node, Repeat)
        return greedy_end(node)

    def _flags(self, place: int) -> Node | None:
        """(?aims) for the whole expression, (?i-s:…) for a group."""
        added = self._letters()
        removed = self._letters() if self.take("-") else ""
        state = self._state()
        if not (added or removed) and self.peek() != ":":
            self.fail("an unknown kind of group", place)
        self._check_flags(added, removed, place)
        if self.take(")"):
            if removed or self.source[:place].strip(" \t\n\r\v\f" if "x" in added else ""):
                self._check_global(place, removed)
            self._apply(added, True)
            return None
        if not self.take(":"):
            self.fail("flags without an end", place)
        self._apply(added, True)
        self._apply(removed, False)
        node = self.rest_of_group(place)
        self._restore(state)
        return node

    def _letters(self) -> str:
        start = self.place
        while self.peek() and self.peek() in "aiLmsux":
            self.place += 1
        return self.source[start : self.place]

    def _check_flags(self, added: str, removed: str, place: int) -> None:
        if "L" in added + removed:
            self.fail("the flag L, which is for bytes", place)
        if set(removed) & set("au") or ("a" in added and "u" in added):
            self.fail("flags that can't be combined", place)
        if set(added) & set(removed):
            self.fail("a flag switched on and off at once", place)

    def _check_global(self, place: int, removed: str) -> None:
        """Flags for the whole expression come first; only other such flags may stand before."""
        before = self.source[:place]
        while before.startswith("(?") and before.find(")") > 0:
            inside, _, before = before[2:].partition(")")
            if inside.strip("aimsux"):
                break
        if before or removed:
            self.fail("flags for the whole expression that don't stand at its start", place)

    def _apply(self, letters: str, value: bool) -> None:
        names = {"i": "ignore_case", "m": "multiline", "s": "dot_all", "x": "verbose",
                 "a": "ascii_only"}  # fmt: skip
        for letter in letters:
            if letter == "u":
                self.ascii_only = False
            else:
                setattr(self, names[letter], value)

    def escape(self, place: int) -> Node:
        char = self.peek()
        if char == "A":
            self.place += 1
            return START
        if char == "Z":
            self.place += 1
            return END
        if char and char in "bB":
            self.fail("a word boundary, which is not supported here", place)
        if char and char in "123456789":
            return self.literal(self._octal_or_reference(place))
        return self.members([self.shared_escape(place)], False)

    def _octal_or_reference(self, place: int) -> int:
        digits = self.source[self.place : self.place + 3]
        if len(digits) < 3 or any(char not in "01234567" for char in digits):
            self.fail("a back-reference, which is not regular", place)
        self.place += 3
        return self._byte(int(digits, 8), place)

    def _byte(self, code: int, place: int) -> int:
        if code > 0o377:
            self.fail("an octal escape over 377", place)
        return code

    def class_escape(self, place: int) -> Member:
        char = self.peek()
        if char == "b":
            self.place += 1
            return ((8, 8),)
        if char and char in DIGITS:
            code = self._octal(place)
            return ((code, code),)
        return self.shared_escape(place)

    def _octal(self, place: int) -> int:
        start = self.place
        while self.place < start + 3 and self.peek() and self.peek() in "01234567":
            self.place += 1
        if self.place == start:
            self.fail("an octal escape without a digit", place)
        return self._byte(int(self.source[start : self.place], 8), place)

    def code(self, char: str, place: int) -> int:
        if char in _CONTROL:
            return _CONTROL[char]
        if char == "0":
            self.place -= 1
            return self._octal(place)
        if char in "xuU":
            code = self.hexadecimal({"x": 2, "u": 4, "U": 8}[char], place)
            if code > 0x10FFFF:
                self.fail("an escape beyond U+10FFFF", place)
            return code
        if char == "N":
            return self._by_name(place)
        if char.isascii() and char.isalnum():
            self.fail(f"the unknown escape \\{char}", place)
        return ord(char)

    def _by_name(self, place: int) -> int:
        end = self.source.find("}", self.place)
        if not self.take("{") or end < 0:
            self.fail("an escape without its name", place)
        name = self.source[self.place : end]
        self.place = end + 1
        try:
            return ord(unicodedata.lookup(name))
        except (KeyError, TypeError):
            self.fail("the name of no character", place)
