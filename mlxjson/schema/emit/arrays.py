"""Arrays: a chain for the prefix, a repetition for the rest; `contains` and `uniqueItems` by
counting states."""

from mlxjson.schema.emit.literals import string_text
from mlxjson.schema.emit.notation import Lit, Part, either, seq, times
from mlxjson.schema.emit.space import Level
from mlxjson.schema.emit.writer import Writer, inside
from mlxjson.schema.shapes import Array, Boolean, Literal, NodeId, Null

_MOST_UNIQUE = 8
_MOST_STATES = 2000
LONGEST = 1_000_000


def array(writer: Writer, node: NodeId, shape: Array, level: Level) -> str:
    """A body for the arrays of `shape`; "" if there is none.

    Raises: ConstraintError for more items than can be written.
    """
    writer.refuse_beyond(LONGEST, node, "minItems", shape.min_items)
    if shape.contains is not None:
        writer.refuse_beyond(LONGEST, node, "minContains", shape.contains.least)
        return _Contains(writer, node, shape, level).body()
    high = shape.max_items
    if writer.empty(shape.rest):
        high = len(shape.prefix) if high is None else min(high, len(shape.prefix))
    if shape.unique and (high is None or high > 1):
        domain = _domain(writer, shape)
        if domain is not None:
            return _distinct(writer, node, shape, domain, level)
        writer.leave(node, "uniqueItems", "the items are too many to be told apart by a grammar")
    return _Items(writer, node, shape, high, level).body()


class _Items:
    """Item by item through the prefix; after it any number that the bounds allow."""

    def __init__(
        self, writer: Writer, node: NodeId, shape: Array, high: int | None, level: Level
    ) -> None:
        self.writer, self.shape, self.high, self.level = writer, shape, high, level
        self.where = writer.pointer(node)
        self.space = writer.space(level)

    def body(self) -> str:
        shape, high = self.shape, self.high
        prefix = list(shape.prefix if high is None else shape.prefix[:high])
        cut = next((i for i, entry in enumerate(prefix) if self.writer.empty(entry)), None)
        if cut is not None:
            prefix, high = prefix[:cut], cut
        if high is not None and high < shape.min_items:
            return ""
        # From the last item backwards: what may follow when so many items are written.
        tail = self._rest(len(prefix), high)
        for index in range(len(prefix) - 1, -1, -1):
            ways = [seq(*self._lead(index), self._item(prefix[index]), tail)]
            if index >= shape.min_items:
                ways.append(self._end(index))
            tail = self._choice(ways)
        return seq(Lit("["), tail)

    def _lead(self, done: int) -> tuple[Part, ...]:
        return self.space.comma if done else (self.space.opening,)

    def _end(self, done: int) -> str:
        return seq(self.space.closing if done else Lit(""), Lit("]"))

    def _item(self, node: NodeId) -> str:
        return self.writer.node(node, inside(self.level))

    def _choice(self, ways: list[str]) -> str:
        return (
            ways[0] if len(ways) == 1 else self.writer.rules.shared("a", either(ways), self.where)
        )

    def _rest(self, done: int, high: int | None) -> str:
        """Behind `done` items: the further ones and the end."""
        least = max(0, self.shape.min_items - done)
        most = None if high is None else max(0, high - done)
        rest = self.shape.rest
        if rest is None or self.writer.empty(rest) or most == 0:
            return self._end(done)
        entry = self._item(rest)
        if done:
            return self._repeated(entry, least, most)
        more = None if most is None else most - 1
        first = seq(self.space.opening, entry, self._repeated(entry, max(0, least - 1), more))
        return self._choice([first] if least else [first, '"]"'])

    def _repeated(self, entry: str, least: int, most: int | None) -> str:
        """Commas and items, then the closing bracket."""
        step = seq(*self.space.comma, entry)
        if most is not None:
            return seq(times(f"({step})", least, min(most, LONGEST)), self._end(1))
        name = self.writer.rules.name("r")
        self.writer.rules.define(name, either([seq(step, name), self._end(1)]), self.where)
        return seq(times(f"({step})", least, least), name)


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
    key = (tuple(domain), shape.min_items, high, level)
    if key in writer.memory:
        return writer.memory[key]
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
    found = writer.memory[key] = seq(Lit("["), f"({either(ways)})")
    return found


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
