r"""The dialect of JSON Schema's `pattern`: ECMA-262 with the flag u, as lenient as schemas ask.

JSON Schema 2020-12, core 6.4; ECMA-262, section 22.2 and Annex B.1.2 for the lenient part
(identity escapes of punctuation, a lone brace or bracket, a dash beside a class).

Validators in Python search with `re`. Where the two read an expression differently, the language
is the smaller of the two; where they contradict each other (`\Z`, `{,n}`, `[]…]`), it is refused.
"""

from mlxjson.regular.charset import FULL, Ranges, complement
from mlxjson.regular.members import Member
from mlxjson.regular.python import DOLLAR, NEWLINE
from mlxjson.regular.reader import END, HEX, START, Reader
from mlxjson.regular.tree import Assert, Look, Node, chars, single_set
from mlxjson.regular.unicode_sets import ECMA_SPACE

_LINE_ENDS: Ranges = ((10, 10), (13, 13), (0x2028, 0x2029))
_CONTROL = {"f": 12, "n": 10, "r": 13, "t": 9, "v": 11}


class EcmaReader(Reader):
    """Reads a `pattern`."""

    space = ECMA_SPACE

    def allowed_braces(self, low: str, comma: bool, high: str, place: int) -> bool:
        if not low and comma and high:
            self.fail("a repetition without a lower bound, which is read in two ways", place)
        return bool(low)

    def dot(self) -> Node:
        return chars(complement(NEWLINE if self.larger else _LINE_ENDS))

    def anchor(self, char: str) -> Node:
        if char == "^":
            return START
        return DOLLAR if self.larger else END

    def group(self, place: int) -> Node | None:
        if not self.take("?"):
            return self.rest_of_group(place)
        if self.take("<=") or self.take("<!"):
            return self._look_behind(self.source[self.place - 1] == "!", place)
        if self.take("P<") or self.take("<"):
            return self._named(place)
        for sign in "=!":
            if self.take(sign):
                return self._look_ahead(sign == "!", place)
        if self.take("i)"):
            if place:
                self.fail("flags for the whole expression that don't stand at its start", place)
            self.ignore_case = True
            return None
        return self._modified(place)

    def _modified(self, place: int) -> Node:
        before = self.ignore_case
        if self.take("i:"):
            self.ignore_case = True
        elif self.take("-i:"):
            self.ignore_case = False
        elif not self.take(":"):
            self.fail("an unknown kind of group", place)
        node = self.rest_of_group(place)
        self.ignore_case = before
        return node

    def _named(self, place: int) -> Node:
        end = self.source.find(">", self.place)
        if end < 0 or not self.source[self.place : end].replace("$", "_").isidentifier():
            self.fail("a group name that is no identifier", place)
        self.place = end + 1
        return self.rest_of_group(place)

    def _look_ahead(self, negative: bool, place: int) -> Node:
        before = self.larger
        self.larger = not self.own and before != negative
        node = self.rest_of_group(place)
        self.larger = before
        single = single_set(node)
        if single is None:
            return Look(node, negative)
        return Assert(FULL, True, complement(single) if negative else single, negative)

    def _look_behind(self, negative: bool, place: int) -> Node:
        """Only one character back: further back is another language to keep track of."""
        before = self.larger
        self.larger = not self.own and before != negative
        node = self.rest_of_group(place)
        self.larger = before
        single = single_set(node)
        if single is None:
            self.fail("a look-behind at more than one character", place)
        ranges = complement(single) if negative else single
        return Assert(ranges, negative, FULL, True)

    def escape(self, place: int) -> Node:
        char = self.peek()
        if char and char in "bB":
            self.fail("a word boundary, which is not supported", place)
        if char and char in "123456789k":
            self.fail("a back-reference, which is not regular", place)
        if char and char in "AZz":
            self.fail(f"the escape \\{char}, which is read in two ways", place)
        return self.members([self.shared_escape(place)], False)

    def class_escape(self, place: int) -> Member:
        if self.take("b"):
            return ((8, 8),)
        return self.shared_escape(place)

    def leading_bracket(self, found: list[Member], place: int) -> None:
        self.fail("an empty class, which is read in two ways", place)

    def odd_range(self, found: list[Member], low: Member, high: Member, place: int) -> None:
        found += [low, ((0x2D, 0x2D),), high]

    def code(self, char: str, place: int) -> int:
        if char in _CONTROL:
            return _CONTROL[char]
        if char == "0" and not self.peek().isdecimal():
            return 0
        if char == "x":
            return self.hexadecimal(2, place)
        if char == "u":
            return self._unicode(place)
        if char == "c" and self.peek().isascii() and self.peek().isalpha():
            self.place += 1
            return ord(self.source[self.place - 1]) % 32
        if char.isascii() and char.isalnum():
            self.fail(f"the unknown escape \\{char}", place)
        return ord(char)

    def _unicode(self, place: int) -> int:
        r"""\uXXXX, two of them for a surrogate pair, or \u{X…}."""
        if self.take("{"):
            end = self.source.find("}", self.place)
            digits = self.source[self.place : end] if end > 0 else ""
            if not digits or any(char not in HEX for char in digits):
                self.fail("an escape without hexadecimal digits in its braces", place)
            self.place = end + 1
            if int(digits, 16) > 0x10FFFF:
                self.fail("an escape beyond U+10FFFF", place)
            return int(digits, 16)
        code = self.hexadecimal(4, place)
        if 0xD800 <= code <= 0xDBFF and self.take("\\u"):
            low = self.hexadecimal(4, place)
            if not 0xDC00 <= low <= 0xDFFF:
                self.fail("half of a surrogate pair", place)
            return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
        return code
