"""Arrays: a chain for the prefix, a repetition for the rest; `contains` and `uniqueItems` by
counting states."""

from mlxjson.schema.emit.notation import Lit, Part, either, seq, times
from mlxjson.schema.emit.writer import Level, Writer, inside
from mlxjson.schema.shapes import Array, Boolean, Literal, NodeId, Null

_MOST_UNIQUE = 8
_MOST_STATES = 2000
LONGEST = 1_000_000


def array(writer: Writer, node: NodeId, shape: Array, level: Level) -> str:
    """A body for the arrays of `shape`; "" if there is none."""
    if shape.contains is not None:
        return _Contains(writer, node, shape, level).body()
    high = shape.max_items
    if writer.empty(shape.rest):
        high = len(shape.prefix) if high is None else min(high, len(shape.prefix))
    if shape.unique and (high is None or high > 1):
        domain = _domain(writer, shape)
        if domain is not None:
            return _distinct(writer, node, shape, domain, level)
        writer.leave(node, "uniqueItems", "the items are too many to be told apart by a grammar")
    return _plain(writer, node, shape, high, level)


def _plain(writer: Writer, node: NodeId, shape: Array, high: int | None, level: Level) -> str:
    """Item by item through the prefix; after it any number that the bounds allow."""
    if high is not None and high < shape.min_items:
        return ""
    space, inner = writer.space(level), inside(level)
    prefix = list(shape.prefix if high is None else shape.prefix[:high])
    cut = next((i for i, entry in enumerate(prefix) if writer.empty(entry)), None)
    if cut is not None:
        if cut < shape.min_items:
            return ""
        prefix, high = prefix[:cut], cut
    # From the last item backwards: what may follow when so many items are written.
    tail = _rest(writer, node, shape, len(prefix), high, level)
    for index in range(len(prefix) - 1, -1, -1):
        entry = writer.node(prefix[index], inner)
        comma: tuple[Part, ...] = space.comma if index else (space.opening,)
        more = seq(*comma, entry, tail) if tail else seq(*comma, entry)
        close = seq(space.closing if index else Lit(""), Lit("]"))
        ways = [more] if tail is not None else []
        if index >= shape.min_items:
            ways.append(close)
        tail = ways[0] if len(ways) == 1 else _named(writer, either(ways), node)
    return seq(Lit("["), tail or "")


def _named(writer: Writer, body: str, node: NodeId) -> str:
    return writer.rules.shared("a", body, writer.pointer(node))


def _rest(
    writer: Writer, node: NodeId, shape: Array, done: int, high: int | None, level: Level
) -> str:
    """Behind `done` items: the further ones and the end."""
    space = writer.space(level)
    close = seq(space.closing, Lit("]")) if done else seq(Lit("]"))
    least = max(0, shape.min_items - done)
    most = None if high is None else max(0, high - done)
    if writer.empty(shape.rest) or most == 0 or shape.rest is None:
        return close
    entry = writer.node(shape.rest, inside(level))
    if done:
        return _repeated(writer, entry, least, most, level, node)
    more = None if most is None else most - 1
    first = seq(space.opening, entry, _repeated(writer, entry, max(0, least - 1), more, level, node))
    return first if least else _named(writer, either([first, '"]"']), node)


def _repeated(
    writer: Writer, entry: str, least: int, most: int | None, level: Level, node: NodeId
) -> str:
    """Commas and items, then the closing bracket."""
    space = writer.space(level)
    close = seq(space.closing, Lit("]"))
    if most == 0:
        return close
    step = seq(*space.comma, entry)
    if most is None:
        name = writer.rules.name("r")
        writer.rules.define(name, either([seq(step, name), close]), writer.pointer(node))
        return seq(times(f"({step})", least, least), name)
    return seq(times(f"({step})", least, min(most, LONGEST)), close)


def _domain(writer: Writer, shape: Array) -> list[str] | None:
    """The items one by one, if they are few constants."""
    if shape.prefix or shape.rest is None:
        return None
    texts: dict[str, None] = {}
    for each in writer.program.nodes[shape.rest]:
        if isinstance(each, Null):
            texts["null"] = None
        elif isinstance(each, Boolean):
            texts.update(dict.fromkeys("true" if v else "false" for v in sorted(each.values)))
        elif isinstance(each, Literal) and isinstance(each.value, str):
            from mlxjson.schema.emit.literals import string_text

            texts[string_text(each.value)] = None
        else:
            return None
    return list(texts) if len(texts) <= _MOST_UNIQUE else None


def _distinct(writer: Writer, node: NodeId, shape: Array, domain: list[str], level: Level) -> str:
    """One rule for each set of items that are still unused."""
    space = writer.space(level)
    high = len(domain) if shape.max_items is None else min(shape.max_items, len(domain))
    if high < shape.min_items:
        return ""
    base = writer.rules.name("u")
    everything = (1 << len(domain)) - 1
    for left in range(everything + 1):
        used = len(domain) - left.bit_count()
        if left == everything or used > high:
            continue
        ways = [seq(space.closing, Lit("]"))] if used >= shape.min_items else []
        if used < high:
            ways += [seq(*space.comma, *_take(base, left, i, domain)) for i in _bits(left)]
        writer.rules.define(f"{base}_{left}", either(ways), writer.pointer(node))
    first = [seq(space.opening, *_take(base, everything, i, domain)) for i in _bits(everything)]
    ways = first if high else []
    ways += ['"]"'] if shape.min_items == 0 else []
    return seq(Lit("["), f"({either(ways)})")


def _take(base: str, left: int, index: int, domain: list[str]) -> tuple[Part, ...]:
    return Lit(domain[index]), f"{base}_{left & ~(1 << index)}"


def _bits(number: int) -> list[int]:
    return [index for index in range(number.bit_length()) if number >> index & 1]


class _Contains:
    """States: how many items are written, how many of them match, both up to where it matters."""

    def __init__(self, writer: Writer, node: NodeId, shape: Array, level: Level) -> None:
        assert shape.contains is not None
        self.writer, self.node, self.level = writer, node, level
        self.contains = shape.contains
        self.least, self.most = self.contains.least, self.contains.most
        self.low, self.high = shape.min_items, shape.max_items
        if shape.unique and (self.high is None or self.high > 1):
            writer.leave(node, "uniqueItems", "the items can't be told apart and counted at once")
        self._simplify()
        self.base = writer.rules.name("c")

    def _simplify(self) -> None:
        """Leave out counts that would take too many states."""
        matches = max(self.least, self.most or 0) + 1
        items = max(self.low, self.high or 0) + 1
        if matches * items > _MOST_STATES and items > 1:
            keyword = "maxItems" if self.high else "minItems"
            self.writer.leave(self.node, keyword, "too many items to count beside contains")
            self.low, self.high, items = 0, None, 1
        if matches * items > _MOST_STATES:
            self.writer.leave(self.node, "contains", "too many matching items to count")
            self.least, self.most = 0, None

    def body(self) -> str:
        if not self._viable(0, 0):
            return ""
        todo = [(0, 0)]
        seen = set(todo)
        for items, matches in todo:
            for state in self._write(items, matches):
                if state not in seen:
                    seen.add(state)
                    todo.append(state)
        return seq(Lit("["), self._name(0, 0))

    def _name(self, items: int, matches: int) -> str:
        return f"{self.base}_{items}_{matches}"

    def _write(self, items: int, matches: int) -> list[tuple[int, int]]:
        space = self.writer.space(self.level)
        ways, targets = [], []
        # 0 items written looks like none only at the very start: see `_count`.
        comma: tuple[Part, ...] = space.comma if items else (space.opening,)
        for entry, hits in ((self.contains.other, 0), (self.contains.match, 1)):
            state = self._after(items, matches, hits)
            if not self.writer.empty(entry) and state is not None and self._viable(*state):
                item = self.writer.node(entry, inside(self.level))
                ways.append(seq(*comma, item, self._name(*state)))
                targets.append(state)
        if items >= self.low and matches >= self.least:
            ways.append(seq(space.closing if items else Lit(""), Lit("]")))
        self.writer.rules.define(
            self._name(items, matches), either(ways), self.writer.pointer(self.node)
        )
        return targets

    def _after(self, items: int, matches: int, hits: int) -> tuple[int, int] | None:
        if self.high is not None and items >= self.high:
            return None
        if hits and self.most is not None and matches >= self.most:
            return None
        top = max(self.low, 1) if self.high is None else self.high
        enough = self.least if self.most is None else self.most
        return min(items + 1, top), min(matches + hits, enough)

    def _viable(self, items: int, matches: int) -> bool:
        """Whether the least counts can still be reached."""
        missing = max(0, self.least - matches)
        if missing and self.writer.empty(self.contains.match):
            return False
        room = None if self.high is None else self.high - items
        if room is not None and missing > room:
            return False
        if self.writer.empty(self.contains.other) and self.most is not None:
            return self.low - items <= self.most - matches
        return True
