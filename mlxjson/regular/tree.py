"""Syntax trees of regular languages: plain nodes and the constructors that simplify them.

    Chars     one code point of a set           Seq     one after the other
    Text      this text                         Alt     any of them
    Words     any of many texts                 Repeat  between `least` and `most` times
    And, Not  intersection and complement of closed languages
    Assert    the empty word where the neighbours fit (anchors)
    Look      the empty word where the rest of the text does or does not begin with an item
    Machine   what a finite automaton accepts from one of its states
    State     a set of continuations, made while determinising

Assert and Look speak about the whole text, so they stand only inside `And`, which closes them in.
Nodes are immutable and hashable; use the constructors in lower case.
"""

from collections.abc import Iterable, Sequence

from mlxjson.regular.charset import FULL, Ranges, charset
from mlxjson.regular.nodes import (
    Alt,
    And,
    Assert,
    Chars,
    Look,
    Machine,
    Node,
    Not,
    Repeat,
    Seq,
    State,
    Text,
    Words,
)

__all__ = [
    "ANY",
    "EMPTY",
    "EVERYTHING",
    "NOTHING",
    "Alt",
    "And",
    "Assert",
    "Chars",
    "Look",
    "Machine",
    "Node",
    "Not",
    "Repeat",
    "Seq",
    "State",
    "Text",
    "Words",
    "again",
    "alt",
    "chars",
    "conjunction",
    "contextual",
    "negation",
    "plain",
    "repeat",
    "seq",
    "single_set",
    "text",
    "words",
]

EMPTY = Seq(())
NOTHING = Alt(())
ANY = Chars(FULL)
EVERYTHING = Repeat(ANY, 0, None)


def chars(ranges: Ranges) -> Node:
    """One code point of `ranges`."""
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return Text(chr(ranges[0][0]))
    return Chars(ranges) if ranges else NOTHING


def text(word: str) -> Node:
    """Exactly `word`; nothing where it holds a surrogate."""
    if any("\ud800" <= char <= "\udfff" for char in word):
        return NOTHING
    return Text(word) if word else EMPTY


def words(texts: Iterable[str]) -> Node:
    """Any of `texts`, in their order."""
    good = [word for word in dict.fromkeys(texts) if text(word) is not NOTHING]
    if not good:
        return NOTHING
    return text(good[0]) if len(good) == 1 else Words(tuple(good))


def seq(items: Iterable[Node]) -> Node:
    """One after the other: nested sequences are flattened and neighbouring texts joined."""
    flat: list[Node] = []
    for item in items:
        for part in item.items if isinstance(item, Seq) else (item,):
            if part == NOTHING:
                return NOTHING
            if isinstance(part, Text) and flat and isinstance(flat[-1], Text):
                flat[-1] = Text(flat[-1].text + part.text)
            else:
                flat.append(part)
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def alt(items: Iterable[Node]) -> Node:
    """Any of them: nested alternatives are flattened, single characters joined to one set."""
    flat: dict[Node, None] = {}
    for item in items:
        for part in item.items if isinstance(item, Alt) else (item,):
            flat[part] = None
    if EVERYTHING in flat:
        return EVERYTHING
    joined = _join_characters(list(flat))
    return joined[0] if len(joined) == 1 else Alt(tuple(joined))


def single_set(node: Node) -> Ranges | None:
    """The set of characters if `node` is just one of a set."""
    if isinstance(node, Chars):
        return node.ranges
    if isinstance(node, Text) and len(node.text) == 1:
        return ((ord(node.text), ord(node.text)),)
    return None


def _join_characters(items: Sequence[Node]) -> list[Node]:
    sets = [ranges for item in items if (ranges := single_set(item)) is not None]
    if len(sets) < 2:
        return list(items)
    joined: Node | None = Chars(charset(pair for ranges in sets for pair in ranges))
    result: list[Node] = []
    for item in items:
        if single_set(item) is None:
            result.append(item)
        elif joined is not None:
            result.append(joined)
            joined = None
    return result


def repeat(item: Node, least: int, most: int | None) -> Node:
    """`item` between `least` and `most` times."""
    if most == 0 or item == EMPTY:
        return EMPTY
    if item == NOTHING:
        return EMPTY if least == 0 else NOTHING
    if least == 1 and most == 1:
        return item
    if isinstance(item, Repeat):
        joined = _join_repeats(item, least, most)
        if joined is not None:
            return joined
    return Repeat(item, least, most)


def again(node: Repeat) -> Node:
    """What may follow once the item has been read once; the same object each time."""
    if node.again is None:
        most = None if node.most is None else node.most - 1
        node.again = repeat(node.item, max(node.least - 1, 0), most)
    return node.again


def _join_repeats(inner: Repeat, least: int, most: int | None) -> Node | None:
    """(x*)* and its like as one repetition, where the counts leave no gap."""
    low = inner.least * least
    if inner.most is None:
        return Repeat(inner.item, low, None) if least > 0 or inner.least <= 1 else None
    if inner.most * least + 1 < inner.least * (least + 1) and least != most:
        return None
    return repeat(inner.item, low, None if most is None else inner.most * most)


def conjunction(items: Iterable[Node]) -> Node:
    """What belongs to all of them."""
    flat: dict[Node, None] = {}
    for item in items:
        for part in item.items if isinstance(item, And) else (item,):
            if part == NOTHING:
                return NOTHING
            if part != EVERYTHING:
                flat[part] = None
    kept = tuple(flat)
    if not kept:
        return EVERYTHING
    return kept[0] if len(kept) == 1 and not contextual(kept[0]) else And(kept)


def negation(item: Node) -> Node:
    """What does not belong to it."""
    if isinstance(item, Not):
        return conjunction((item.item,))
    if item == EVERYTHING:
        return NOTHING
    return EVERYTHING if item == NOTHING else Not(item)


def contextual(node: Node) -> bool:
    """Whether an anchor or a look-ahead in it is not closed in."""
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, (Assert, Look)):
            return True
        if isinstance(node, (Seq, Alt)):
            stack.extend(node.items)
        elif isinstance(node, Repeat):
            stack.append(node.item)
    return False


def plain(node: Node) -> bool:
    """Whether it says nothing but characters, sequence, choice and repetition."""
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, (Seq, Alt)):
            stack.extend(node.items)
        elif isinstance(node, Repeat):
            stack.append(node.item)
        elif not isinstance(node, (Chars, Text, Words)):
            return False
    return True
