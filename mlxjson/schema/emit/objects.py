"""Objects: named properties in their order, then other keys.

Rule k_i writes the next key among properties i, i+1, … and what follows it; rule c_i stands where
that may happen after a comma, or the object may end. Where many optional properties follow each
other the rule of every sixteenth lists the next sixteen and refers to the following one for the
others; the rules between, which only a key of the same sixteen leads to, list one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from mlxjson.regular import Language, TooLarge
from mlxjson.regular.tree import Not
from mlxjson.schema.emit.literals import string_text
from mlxjson.schema.emit.notation import Lit, Part, either, seq
from mlxjson.schema.emit.space import Level
from mlxjson.schema.emit.strings import of_language
from mlxjson.schema.emit.trie import shared
from mlxjson.schema.emit.writer import Writer, inside
from mlxjson.schema.shapes import KeyPattern, NodeId, Object, Property

# The first mask of 500 optional properties takes 46, 24 or 13 ms with blocks of 8, 16 or 32, the
# first one behind a key 2, 8 or 20.
_BLOCK = 16
_MOST_STATES = 20_000
MOST_NAMES = 256
LONGEST = 1_000_000

State = tuple[int, int]  # properties passed, keys written as far as that matters


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys an object may have once finite sets of others are named as well."""

    properties: tuple[Property, ...]
    others: tuple[KeyPattern, ...]


def keys_of(nodes: Mapping[NodeId, tuple[object, ...]], shape: Object, closed: bool) -> Keys:
    """Named properties in the order in which they are written, and what other keys there are.

    With `closed` an object that names properties and is open by default only has no others, and
    one with patterns only those that a pattern matches.
    """
    named = [entry for entry in shape.properties if nodes[entry.node] or entry.required]
    if closed and not shape.declared and named:
        return Keys(tuple(named), ())
    others = []
    for pattern in shape.others:
        if not nodes[pattern.node] or (closed and not pattern.declared):
            continue
        words = few_words(pattern.names)
        if words is None:
            others.append(pattern)
        else:
            named += [Property(word, pattern.node, False) for word in words]
    return Keys(tuple(named), tuple(others))


def few_words(language: Language) -> list[str] | None:
    """The words of a small language."""
    if language == Language.everything() or isinstance(language.node, Not):
        return None
    try:
        return language.words(MOST_NAMES)
    except TooLarge:
        return None


def object_(writer: Writer, node: NodeId, shape: Object, level: Level) -> str:
    """A body for the objects of `shape`; "" if there is none.

    Raises: ConstraintError for more properties than can be written.
    """
    writer.refuse_beyond(LONGEST, node, "minProperties", shape.min_properties)
    return _Writer(writer, node, shape, level).body()


class _Writer:
    def __init__(self, writer: Writer, node: NodeId, shape: Object, level: Level) -> None:
        self.writer, self.node, self.level = writer, node, level
        self.space = writer.space(level)
        self.where = writer.pointer(node)
        keys = keys_of(writer.program.nodes, shape, writer.closed)
        self.properties, self.others = keys.properties, keys.others
        self.count = len(self.properties)
        self.low, self.high = shape.min_properties, shape.max_properties
        # needed[i]: how many of the properties from i on are required
        self.needed = [0] * (self.count + 1)
        for index in range(self.count - 1, -1, -1):
            self.needed[index] = self.needed[index + 1] + self.properties[index].required
        # required_at[i]: the first required property from i on
        self.required_at = [self.count] * (self.count + 1)
        for index in range(self.count - 1, -1, -1):
            required = self.properties[index].required
            self.required_at[index] = index if required else self.required_at[index + 1]
        self._simplify()
        self.cap = self.low if self.high is None else self.high
        self.base = writer.rules.name("o")
        self.todo: list[tuple[str, State]] = []
        self.seen: set[tuple[str, State]] = set()
        self.others_rule = ""
        self.pairs: dict[int, tuple[Part, ...]] = {}

    def _simplify(self) -> None:
        """Leave out bounds that hold anyway, or that would take too many states."""
        if self.low <= self.needed[0]:
            self.low = 0
        if self.high is not None and not self.others and self.high >= self.count:
            self.high = None
        if max(self.low, self.high or 0) * (self.count + 1) > _MOST_STATES:
            keyword = "minProperties" if self.high is None else "maxProperties"
            self.writer.leave(self.node, keyword, "too many keys to count")
            self.low, self.high = 0, None

    def body(self) -> str:
        if any(e.required and self.writer.empty(e.node) for e in self.properties):
            return ""
        if not self._viable((0, 0)):
            return ""
        self._check_repeats()
        ways = []
        if self._more((0, 0)):
            ways.append(seq(self.space.opening, *self._key((0, 0))))
        if self._may_end((0, 0)):
            ways.append('"}"')
        if not ways:
            return ""
        start = ways[0] if len(ways) == 1 else self._named(either(ways))
        while self.todo:
            kind, state = self.todo.pop()
            self.writer.rules.define(self._name(kind, state), self._body(kind, state), self.where)
        return seq(Lit("{"), start)

    def _named(self, body: str) -> str:
        return self.writer.rules.shared("b", body, self.where)

    def _check_repeats(self) -> None:
        """Two other keys may be the same one: no grammar without bound rules that out."""
        room = None if self.high is None else self.high - self.needed[0]
        if self.others and (room is None or room > 1):
            reason = "a grammar can't keep the same key from coming twice"
            self.writer.leave(self.node, "(duplicate keys)", reason)

    def _name(self, kind: str, state: State) -> str:
        name = f"{self.base}{kind}{state[0]}"
        return f"{name}_{state[1]}" if state[1] else name

    def _rule(self, kind: str, state: State) -> str:
        if (kind, state) not in self.seen:
            self.seen.add((kind, state))
            self.todo.append((kind, state))
        return self._name(kind, state)

    def _body(self, kind: str, state: State) -> str:
        if kind == "k":
            return self._choice(self._ways(state))
        ways = [seq(*self.space.comma, *self._key(state))]
        if self._may_end(state):
            ways.append(seq(self.space.closing, Lit("}")))
        return either(ways)

    def _choice(self, ways: list[tuple[Part, ...]]) -> str:
        named = [way for way in ways if isinstance(way[0], Lit)]
        others = [seq(*way) for way in ways if not isinstance(way[0], Lit)]
        return either([shared(named), *others] if named else others)

    def _may_end(self, state: State) -> bool:
        return self.needed[state[0]] == 0 and state[1] >= self.low

    def _viable(self, state: State) -> bool:
        """Whether the object can still be completed."""
        index, written = state
        if self.high is not None and written + self.needed[index] > self.high:
            return False
        return bool(self.others) or written + self.count - index >= self.low

    def _next(self, state: State, place: int) -> State:
        """Once one more key is written and the properties before `place` are passed."""
        return place, min(state[1] + 1, self.cap)

    def _places(self, state: State, end: int) -> list[int]:
        """The properties before `end` that may come next: none behind a required one."""
        last = min(end, self.required_at[state[0]] + 1)
        return [p for p in range(state[0], last) if self._viable(self._next(state, p + 1))]

    def _more(self, state: State) -> bool:
        """Whether another key may come."""
        if self.high is not None and state[1] >= self.high:
            return False
        if self.cap == 0:
            return state[0] < self.count or bool(self.others)
        return bool(self._places(state, self.count)) or self._more_others(state)

    def _more_others(self, state: State) -> bool:
        free = bool(self.others) and self.needed[state[0]] == 0
        return free and self._viable(self._next(state, self.count))

    def _key(self, state: State) -> tuple[Part, ...]:
        """What writes the next key and all that follows."""
        ways = self._ways(state)
        return ways[0] if len(ways) == 1 else (self._rule("k", state),)

    def _ways(self, state: State) -> list[tuple[Part, ...]]:
        """The next key among those of this block, or what the later blocks offer."""
        index = state[0]
        end = min(self.count, index + (1 if index % _BLOCK else _BLOCK))
        places = self._places(state, end)
        alone = self.required_at[index] == index
        ways = [(*self._pair(p), *self._after(self._next(state, p + 1), alone)) for p in places]
        if self.required_at[index] < end:
            return ways
        if end < self.count:
            later = (end, state[1])
            return [*ways, (self._rule("k", later),)] if self._more(later) else ways
        if self._more_others(state):
            ways.append((self._other(), *self._after(self._next(state, self.count), False)))
        return ways

    def _pair(self, place: int) -> tuple[Part, ...]:
        if place not in self.pairs:
            entry = self.properties[place]
            value = self.writer.node(entry.node, inside(self.level))
            self.pairs[place] = Lit(string_text(entry.name)), *self.space.colon, value
        return self.pairs[place]

    def _after(self, state: State, alone: bool) -> tuple[Part, ...]:
        """What follows a pair. Required pairs that follow are written in place if `alone`, since
        nothing else leads to them then."""
        parts: list[Part] = []
        while self._more(state):
            if not alone or self.required_at[state[0]] != state[0] or state[0] == self.count:
                return *parts, self._rule("c", state)
            parts += (*self.space.comma, *self._pair(state[0]))
            state = self._next(state, state[0] + 1)
        return *parts, self.space.closing, Lit("}")

    def _other(self) -> str:
        """A pair with a key that has no name here."""
        if not self.others_rule:
            ways = []
            for pattern in self.others:
                value = self.writer.node(pattern.node, inside(self.level))
                key = self._spelled(pattern.names)
                ways.append(seq(key, *self.space.colon, value))
            self.others_rule = self._named(either(ways))
        return self.others_rule

    def _spelled(self, names: Language) -> str:
        leave = partial(self.writer.leave, self.node)
        found = of_language(self.writer.rules, names, self.where, leave)
        if found is None:
            leave("patternProperties", "its keys take too many states to be written as a grammar")
            found = of_language(self.writer.rules, Language.everything(), self.where, leave)
        assert found is not None
        return found
