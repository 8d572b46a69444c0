"""Facts about trees that need no automaton: lengths, the shortest word, all words."""

from mlxjson.regular.charset import Ranges, contains
from mlxjson.regular.tree import NOTHING, Alt, Chars, Node, Repeat, Seq, Text, Words

Span = tuple[int, int | None]


def span(node: Node) -> Span | None:
    """Shortest and longest length of the words of a plain tree (None: without end).

    None in place of the pair where the tree is not plain or has no word.
    """
    if isinstance(node, Chars):
        return 1, 1
    if isinstance(node, Text):
        return len(node.text), len(node.text)
    if isinstance(node, Words):
        return min(map(len, node.texts)), max(map(len, node.texts))
    if isinstance(node, (Seq, Alt)):
        return _span_of_many(node)
    return _span_of_repeat(node) if isinstance(node, Repeat) else None


def _span_of_many(node: Seq | Alt) -> Span | None:
    spans = [span(item) for item in node.items]
    known = [pair for pair in spans if pair is not None]
    if node == NOTHING or len(known) < len(spans):
        return None
    lows = [low for low, _ in known]
    highs = [high for _, high in known if high is not None]
    bounded = len(highs) == len(known)
    if isinstance(node, Seq):
        return sum(lows), sum(highs) if bounded else None
    return min(lows), max(highs) if bounded else None


def _span_of_repeat(node: Repeat) -> Span | None:
    inner = span(node.item)
    if inner is None:
        return None
    if inner == (0, 0):
        return 0, 0
    bounded = inner[1] is not None and node.most is not None
    return inner[0] * node.least, inner[1] * node.most if bounded else None  # type: ignore[operator]


def typical(ranges: Ranges) -> str:
    """A character of the set that reads well in an example."""
    for code in (97, 48, 65, 32):
        if contains(ranges, code):
            return chr(code)
    for low, high in ranges:
        if high > 32:
            return chr(max(low, 33))
    return chr(ranges[0][0])


def shortest(node: Node) -> str:
    """A shortest word of a plain tree that has words."""
    if isinstance(node, Chars):
        return typical(node.ranges)
    if isinstance(node, Text):
        return node.text
    if isinstance(node, Words):
        return min(node.texts, key=len)
    if isinstance(node, Seq):
        return "".join(shortest(item) for item in node.items)
    if isinstance(node, Alt):
        return min((shortest(item) for item in node.items), key=len)
    assert isinstance(node, Repeat)
    return shortest(node.item) * node.least if node.least else ""


def words(node: Node, limit: int) -> dict[str, None] | None:
    """All words of a plain tree, in the order they are written, or None if more than `limit`."""
    if isinstance(node, Chars):
        return _characters(node.ranges, limit)
    if isinstance(node, Text):
        return {node.text: None}
    if isinstance(node, Words):
        return dict.fromkeys(node.texts) if len(node.texts) <= limit else None
    if isinstance(node, Seq):
        return _products(node, limit)
    if isinstance(node, Alt):
        return _unions([words(item, limit) for item in node.items], limit)
    assert isinstance(node, Repeat)
    return _powers(node, limit)


def _characters(ranges: Ranges, limit: int) -> dict[str, None] | None:
    found: dict[str, None] = {}
    for low, high in ranges:
        if high - low + 1 + len(found) > limit:
            return None
        found.update(dict.fromkeys(map(chr, range(low, high + 1))))
    return found


def _concatenate(a: dict[str, None], b: dict[str, None], limit: int) -> dict[str, None] | None:
    found: dict[str, None] = {}
    for left in a:
        for right in b:
            found[left + right] = None
        if len(found) > limit:
            return None
    return found


def _products(node: Seq, limit: int) -> dict[str, None] | None:
    found: dict[str, None] | None = {"": None}
    for item in node.items:
        other = words(item, limit)
        found = None if other is None or found is None else _concatenate(found, other, limit)
        if found is None:
            return None
    return found


def _unions(parts: list[dict[str, None] | None], limit: int) -> dict[str, None] | None:
    found: dict[str, None] = {}
    for part in parts:
        if part is None:
            return None
        found.update(part)
    return found if len(found) <= limit else None


def _powers(node: Repeat, limit: int) -> dict[str, None] | None:
    base = words(node.item, limit)
    if base is None or (node.most is None and set(base) != {""}):
        return None
    found: dict[str, None] = {} if node.least else {"": None}
    power: dict[str, None] | None = {"": None}
    for count in range(1, (node.most or 1) + 1):
        power = _concatenate(power or {}, base, limit)
        if power is None:
            return None
        before = len(found)
        if count >= node.least:
            found.update(power)
        if len(found) > limit:
            return None
        if count > node.least and len(found) == before:
            break
    return found
