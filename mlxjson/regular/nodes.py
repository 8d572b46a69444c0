"""The nodes of syntax trees: see `tree` for what they mean and how to make them."""

from typing import TYPE_CHECKING

from mlxjson.regular.charset import Ranges

if TYPE_CHECKING:
    from mlxjson.regular.dfa import Dfa


class Node:
    """Base: equality and a hash that is computed once."""

    __slots__ = ("hashed",)
    hashed: int

    def key(self) -> tuple[object, ...]:
        """The fields, for comparison."""
        raise NotImplementedError

    def __hash__(self) -> int:
        return self.hashed

    def __eq__(self, other: object) -> bool:
        return self is other or (
            type(self) is type(other)
            and isinstance(other, Node)
            and self.hashed == other.hashed
            and self.key() == other.key()
        )


class Chars(Node):
    """One code point of `ranges`, which is not empty."""

    __slots__ = ("ranges",)

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.hashed = hash((Chars, ranges))

    def key(self) -> tuple[object, ...]:
        return (self.ranges,)


class Text(Node):
    """Exactly `text`, which is not empty."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text
        self.hashed = hash((Text, text))

    def key(self) -> tuple[object, ...]:
        return (self.text,)


class Words(Node):
    """Any of `texts`: at least two, all different."""

    __slots__ = ("texts",)

    def __init__(self, texts: tuple[str, ...]) -> None:
        self.texts = texts
        self.hashed = hash((Words, texts))

    def key(self) -> tuple[object, ...]:
        return (self.texts,)


class Seq(Node):
    """One item after the other; no items stand for the empty word."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Node, ...]) -> None:
        self.items = items
        self.hashed = hash((Seq, items))

    def key(self) -> tuple[object, ...]:
        return (self.items,)


class Alt(Node):
    """Any of the items; no items stand for the empty language."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Node, ...]) -> None:
        self.items = items
        self.hashed = hash((Alt, items))

    def key(self) -> tuple[object, ...]:
        return (self.items,)


class Repeat(Node):
    """`item` between `least` and `most` times; None: without end."""

    __slots__ = ("again", "item", "least", "most")
    again: Node | None

    def __init__(self, item: Node, least: int, most: int | None) -> None:
        self.item = item
        self.least = least
        self.most = most
        self.hashed = hash((Repeat, item, least, most))
        self.again = None

    def key(self) -> tuple[object, ...]:
        return (self.item, self.least, self.most)


class And(Node):
    """What belongs to all items, each a language closed in itself."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Node, ...]) -> None:
        self.items = items
        self.hashed = hash((And, items))

    def key(self) -> tuple[object, ...]:
        return (self.items,)


class Not(Node):
    """What does not belong to `item`, a language closed in itself."""

    __slots__ = ("item",)

    def __init__(self, item: Node) -> None:
        self.item = item
        self.hashed = hash((Not, item))

    def key(self) -> tuple[object, ...]:
        return (self.item,)


class Assert(Node):
    """The empty word between a character of `before` and one of `after`.

    `start` and `end` say whether it also holds where the text starts and ends.
    """

    __slots__ = ("after", "before", "end", "start")

    def __init__(self, before: Ranges, start: bool, after: Ranges, end: bool) -> None:
        self.before = before
        self.start = start
        self.after = after
        self.end = end
        self.hashed = hash((Assert, before, start, after, end))

    def key(self) -> tuple[object, ...]:
        return (self.before, self.start, self.after, self.end)


class Look(Node):
    """The empty word where what follows begins with a word of `item` (`negative`: with none)."""

    __slots__ = ("item", "negative")

    def __init__(self, item: Node, negative: bool) -> None:
        self.item = item
        self.negative = negative
        self.hashed = hash((Look, item, negative))

    def key(self) -> tuple[object, ...]:
        return (self.item, self.negative)


class Machine(Node):
    """What `dfa` accepts from `state`."""

    __slots__ = ("dfa", "state")

    def __init__(self, dfa: "Dfa", state: int = 0) -> None:
        self.dfa = dfa
        self.state = state
        self.hashed = hash((Machine, id(dfa), state))

    def key(self) -> tuple[object, ...]:
        return (id(self.dfa), self.state)


class State(Node):
    """Any of these continuations, the last character read being in the sets `before` names."""

    __slots__ = ("before", "threads")

    def __init__(self, threads: "frozenset[tuple[Node, ...]]", before: int) -> None:
        self.threads = threads
        self.before = before
        self.hashed = hash((State, threads, before))

    def key(self) -> tuple[object, ...]:
        return (self.threads, self.before)
