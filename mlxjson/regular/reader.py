"""What both dialects share: alternatives, sequences, quantifiers, bracketed classes.

Where ECMA-262 and Python's `re` disagree on a class, the smaller set is taken, so that a text made
from the expression satisfies either reading; inside a negative look-ahead the larger one.
"""

from collections.abc import Callable
from typing import NoReturn

from mlxjson.regular.case import ignoring_ascii_case, ignoring_case
from mlxjson.regular.charset import (
    FULL,
    Ranges,
    charset,
    complement,
    difference,
    intersect,
    union,
)
from mlxjson.regular.errors import RegexError
from mlxjson.regular.members import (
    Category,
    Member,
    is_category,
    is_inverse,
    read_members,
    single,
)
from mlxjson.regular.tree import (
    Assert,
    Node,
    Text,
    alt,
    chars,
    repeat,
    seq,
)
from mlxjson.regular.unicode_sets import ASCII_DIGIT, ASCII_WORD, python_set, unicode_property

MAX_DEPTH = 100
MAX_COUNT = 1_000_000
DIGITS = "0123456789"
HEX = "0123456789abcdefABCDEF"

START = Assert((), True, FULL, True)
END = Assert(FULL, True, (), True)


class Reader:
    """Reads one expression; a dialect overrides `group`, `escape` and the class escapes."""

    possessive = False
    space: Ranges = ()

    def __init__(self, source: str) -> None:
        self.source = source
        self.place = 0
        self.depth = 0
        self.ignore_case = False
        self.verbose = False
        self.ascii_only = False
        self.larger = False
        self.own = False
        self.lazies = 0

    def read(self) -> Node:
        """The tree of the whole expression."""
        node = self.alternatives()
        if self.place < len(self.source):
            self.fail("a parenthesis that was never opened", self.place)
        return node

    def fail(self, reason: str, place: int) -> NoReturn:
        """Raise RegexError."""
        raise RegexError(reason, place)

    def peek(self) -> str:
        """The next character, "" at the end."""
        return self.source[self.place : self.place + 1]

    def take(self, text: str) -> bool:
        """Step over `text` if it comes next."""
        if self.source.startswith(text, self.place):
            self.place += len(text)
            return True
        return False

    def alternatives(self) -> Node:
        """a|b|c up to a closing parenthesis or the end."""
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else alt(branches)

    def sequence(self) -> Node:
        """Items one after the other, each with its quantifier."""
        items: list[Node] = []
        quantifiable = quantified = False
        while (char := self.peek()) not in ("", "|", ")"):
            if self.verbose and self.skip_blanks():
                continue
            place = self.place
            counts = self.quantifier()
            if counts is None:
                item = self.item()
                if item is not None:
                    items.append(item)
                    quantifiable, quantified = self._repeatable(item, place), False
                continue
            if quantified:
                self.fail("two repetitions in a row", place)
            if not items or not quantifiable:
                self.fail(f"nothing that {char} could repeat", place)
            items[-1] = self.quantify(items[-1], counts, place)
            quantified = True
        return seq(items)

    def _repeatable(self, item: Node, place: int) -> bool:
        """Groups may be repeated whatever is in them, bare anchors and look-around may not."""
        if self.source[place] == "(":
            return not self.source.startswith(("?=", "?!", "?<=", "?<!"), place + 1)
        return self.source[place] not in "^$" and not isinstance(item, Assert)

    def skip_blanks(self) -> bool:
        """Step over a blank or a comment of the verbose form."""
        if self.peek() in " \t\n\r\v\f":
            self.place += 1
            return True
        if self.peek() != "#":
            return False
        end = self.source.find("\n", self.place)
        self.place = len(self.source) if end < 0 else end + 1
        return True

    def quantifier(self) -> tuple[int, int | None] | None:
        """Counts if a quantifier comes next, else None."""
        for symbol, counts in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(symbol):
                return counts
        return self.braces() if self.peek() == "{" else None

    def braces(self) -> tuple[int, int | None] | None:
        """{m}, {m,} and {m,n}; anything else in braces is text."""
        place = self.place
        self.place += 1
        low, comma, high = self.number(), self.take(","), self.number()
        if not self.take("}") or not self.allowed_braces(low, comma, high, place):
            self.place = place
            return None
        least = int(low or 0)
        most = (int(high) if high else None) if comma else least
        if max(least, most or 0) > MAX_COUNT:
            self.fail(f"a repetition count over {MAX_COUNT}", place)
        if most is not None and most < least:
            self.fail("a repetition whose bounds are the wrong way round", place)
        return least, most

    def number(self) -> str:
        """A run of digits, cut short where no count could be so long."""
        place = self.place
        while self.peek() in DIGITS and self.peek():
            self.place += 1
        digits = self.source[place : self.place].lstrip("0") or "0"
        if len(digits) > 9:
            self.fail(f"a repetition count over {MAX_COUNT}", place)
        return self.source[place : self.place]

    def allowed_braces(self, low: str, comma: bool, high: str, place: int) -> bool:
        """Whether braces with these numbers count at all."""
        raise NotImplementedError

    def quantify(self, item: Node, counts: tuple[int, int | None], place: int) -> Node:
        """`item` repeated, minding what follows the quantifier."""
        if self.possessive and self.take("+"):
            return self.possessively(item, counts, place)
        if self.take("?"):
            self.lazies += 1
        return repeat(item, *counts)

    def possessively(self, item: Node, counts: tuple[int, int | None], place: int) -> Node:
        """A repetition that gives nothing back."""
        raise NotImplementedError

    def item(self) -> Node | None:
        """One item; None where the text has none, such as a comment."""
        place = self.place
        char = self.source[place]
        self.place += 1
        if char == "(":
            return self.nested(place)
        if char == "[":
            return self.bracket(place)
        if char == ".":
            return self.dot()
        if char in "^$":
            return self.anchor(char)
        if char == "\\":
            return self.escape(place)
        return self.literal(ord(char))

    def nested(self, place: int) -> Node | None:
        """A group, not nested too deep."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(f"parentheses nested more than {MAX_DEPTH} deep", place)
        node = self.group(place)
        self.depth -= 1
        return node

    def group(self, place: int) -> Node | None:
        """What follows an opening parenthesis."""
        raise NotImplementedError

    def rest_of_group(self, place: int) -> Node:
        """Alternatives and the closing parenthesis."""
        node = self.alternatives()
        if not self.take(")"):
            self.fail("a parenthesis that is never closed", place)
        return node

    def dot(self) -> Node:
        """What a dot stands for."""
        raise NotImplementedError

    def anchor(self, char: str) -> Node:
        """What ^ or $ stands for."""
        raise NotImplementedError

    def escape(self, place: int) -> Node:
        """What follows a backslash outside of a class."""
        raise NotImplementedError

    def class_escape(self, place: int) -> Member:
        """What follows a backslash inside a class."""
        raise NotImplementedError

    def literal(self, code: int) -> Node:
        """One character."""
        if not self.ignore_case and not 0xD800 <= code <= 0xDFFF:
            return Text(chr(code))
        return self.members([((code, code),)], False)

    def hexadecimal(self, digits: int, place: int) -> int:
        """A number of exactly so many hexadecimal digits."""
        text = self.source[self.place : self.place + digits]
        if len(text) < digits or any(char not in HEX for char in text):
            self.fail(f"an escape without its {digits} hexadecimal digits", place)
        self.place += digits
        return int(text, 16)

    def bracket(self, place: int) -> Node:
        """A class in brackets."""
        negated = self.take("^")
        found: list[Member] = []
        if self.peek() == "]":
            self.leading_bracket(found, place)
        while not self.take("]"):
            self.member(found, place)
        return self.members(found, negated)

    def leading_bracket(self, found: list[Member], place: int) -> None:
        """A closing bracket right at the start of a class."""
        raise NotImplementedError

    def member(self, found: list[Member], place: int) -> None:
        """One character, category or range of a class."""
        self.member_from(found, self.class_atom(place), place)

    def member_from(self, found: list[Member], low: Member, place: int) -> None:
        """A member that begins with `low`."""
        dash = self.place
        if not self.take("-"):
            found.append(low)
            return
        if self.peek() == "]":
            found += [low, ((0x2D, 0x2D),)]
            return
        high = self.class_atom(place)
        first, last = single(low), single(high)
        if first is None or last is None:
            self.odd_range(found, low, high, dash)
            return
        if first > last:
            self.fail("a range whose ends are the wrong way round", dash)
        found.append(charset([(first, last)]))

    def odd_range(self, found: list[Member], low: Member, high: Member, place: int) -> None:
        """A dash between members that aren't single characters."""
        self.fail("a range that ends in a class", place)

    def class_atom(self, place: int) -> Member:
        """One member of a class that starts at `place`."""
        if self.place >= len(self.source):
            self.fail("a class that is never closed", place)
        start = self.place
        char = self.source[start]
        self.place += 1
        return self.class_escape(start) if char == "\\" else ((ord(char), ord(char)),)

    def shared_escape(self, place: int) -> Member:
        """An escape that means the same inside and outside of a class."""
        char = self.peek()
        self.place += 1
        if not char:
            self.fail("a backslash with nothing behind it", place)
        if char in "dws":
            return char, False
        if char in "DWS":
            return char.lower(), True
        if char in "pP":
            return read_property(self, char == "P", place)
        code = self.code(char, place)
        return ((code, code),)

    def code(self, char: str, place: int) -> int:
        """The code point that an escape of one character stands for; each dialect has its own."""
        raise NotImplementedError

    def members(self, found: list[Member], negated: bool) -> Node:
        """The set that these members make in both readings, the smaller or the larger."""

        def own_set(letter: str) -> Ranges:
            return {"d": ASCII_DIGIT, "w": ASCII_WORD, "s": self.space}[letter]

        def reading(category: Category) -> Ranges:
            return read_members(found, negated, self._case(), category)

        if self.ascii_only or self.own or not any(map(is_category, found)):
            return chars(reading(own_set))
        if not self.larger and not negated and not any(map(is_inverse, found)):
            # All of ours but the byte order mark, which is no blank for Python.
            return chars(reading(lambda letter: difference(own_set(letter), ((0xFEFF, 0xFEFF),))))
        own, other = reading(own_set), reading(python_set)
        return chars(union(own, other) if self.larger else intersect(own, other))

    def _case(self) -> Callable[[Ranges], Ranges] | None:
        if not self.ignore_case:
            return None
        return ignoring_ascii_case if self.ascii_only else ignoring_case


def read_property(reader: Reader, inverse: bool, place: int) -> Ranges:
    r"""The set of \p{…} or \P{…}, the letter being read already."""
    end = reader.source.find("}", reader.place)
    if not reader.take("{") or end < 0:
        reader.fail("a property without its name in braces", place)
    name = reader.source[reader.place : end]
    reader.place = end + 1
    found = unicode_property(name)
    if found is None:
        reader.fail(f"the unknown property {name[:40]}", place)
    return complement(found) if inverse else found
