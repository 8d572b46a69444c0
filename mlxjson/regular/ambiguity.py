"""Trees that a matcher had better not follow in their own form.

A matcher keeps every way in which the text so far may be read. Where a word may begin anywhere and
go on without end, or where counted repetitions are nested, these ways multiply with the length of
the text; the automaton has just one.
"""

from mlxjson.regular.automaton import Dfa, determinise
from mlxjson.regular.charset import FULL, Ranges, charset, intersect, of
from mlxjson.regular.errors import TooLarge
from mlxjson.regular.measure import span
from mlxjson.regular.tree import EVERYTHING, Alt, Chars, Node, Repeat, Seq, Text, Words, plain

SEARCH_STATES = 100
COUNTED_STATES = 3_000
MAX_WAYS = 4_000


def deterministic_form(node: Node) -> Dfa | None:
    """The automaton to write in place of `node`, or None where its own form is fine.

    Raises:
        TooLarge: nested counts make so many ways that neither form would do.
    """
    if not plain(node):
        return None
    ways = _ways(node)
    if ways > MAX_WAYS:
        return determinise(node, COUNTED_STATES)
    if _searches(node):
        try:
            return determinise(node, SEARCH_STATES)
        except TooLarge:
            return None
    return None


def _searches(node: Node) -> bool:
    """Whether anything at all may come before something without a fixed length."""
    if isinstance(node, Alt):
        return any(map(_searches, node.items))
    if not isinstance(node, Seq) or EVERYTHING not in node.items[:-1]:
        return False
    lengths = [span(item) for item in node.items if item != EVERYTHING]
    return any(pair is None or pair[0] != pair[1] for pair in lengths)


def _ways(node: Node) -> int:
    """A bound on the ways to split one text among nested counted repetitions."""
    if isinstance(node, (Seq, Alt)):
        return max(map(_ways, node.items), default=1)
    if not isinstance(node, Repeat):
        return 1
    inner = _ways(node.item)
    lengths = span(node.item)
    counted = node.most is not None or node.least > 1
    if not counted or lengths is None or lengths[0] == lengths[1] or _delimited(node.item):
        return inner
    return inner * max(node.least, node.most or 0) * _variants(node.item)


def _delimited(node: Node) -> bool:
    """Whether the item starts or ends with a character that stands nowhere else in it."""
    if not isinstance(node, Seq):
        return False
    for edge, others in ((node.items[0], node.items[1:]), (node.items[-1], node.items[:-1])):
        if isinstance(edge, (Text, Chars)) and not intersect(_alphabet(edge), _all(others)):
            return True
    return False


def _all(nodes: tuple[Node, ...]) -> Ranges:
    return charset(pair for node in nodes for pair in _alphabet(node))


def _alphabet(node: Node) -> Ranges:
    """All characters in a plain tree."""
    if isinstance(node, Chars):
        return node.ranges
    if isinstance(node, Text):
        return of(node.text)
    if isinstance(node, Words):
        return of("".join(node.texts))
    if isinstance(node, (Seq, Alt)):
        return _all(node.items)
    return _alphabet(node.item) if isinstance(node, Repeat) else FULL


def _variants(node: Node) -> int:
    """How many counts a repetition that is all of `node`, or nearly so, may take."""
    if isinstance(node, Repeat):
        return 1 if node.most is None else max(node.most - node.least, 1)
    if isinstance(node, (Seq, Alt)):
        return max(map(_variants, node.items), default=1)
    return 1
