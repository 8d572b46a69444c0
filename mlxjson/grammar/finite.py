"""Whether every text that a grammar lets begin can also end, and how long the shortest is.

A rule that can be entered and never left makes generation run to the token limit, and
xgrammar's search for forced text run without bound; so does a forced text of 2^60 characters.
Such grammars are refused before the first token.

Shortest lengths are Knuth's generalisation of Dijkstra's algorithm (Information Processing
Letters 6(1), 1977): every expression is settled once, the shortest first.
"""

import heapq
import re

from mlxjson.errors import ConstraintError
from mlxjson.grammar.graph import (
    CHOICE,
    CLASS,
    CLASS_STAR,
    EMPTY,
    REGEX,
    REPEAT,
    SEQUENCE,
    TAGS,
    TEXT,
    Graph,
)

# In characters. No model writes as much, and what follows from it is handled in one piece.
LONGEST_NEEDED = 1_000_000


def shortest_lengths(graph: Graph) -> list[int | None]:
    """The least number of characters of every expression; None: it matches no finite text."""
    search = _Search(graph)
    search.run()
    return search.lengths


class _Search:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.lengths: list[int | None] = [None] * len(graph.kinds)
        self._waiting = [0] * len(graph.kinds)
        self._sums = [0] * len(graph.kinds)
        self._users: list[list[int]] = [[] for _ in graph.kinds]
        self._heap: list[tuple[int, int]] = []

    def run(self) -> None:
        for node in range(len(self.graph.kinds)):
            self._begin(node)
        while self._heap:
            length, node = heapq.heappop(self._heap)
            if self.lengths[node] is None:
                self.lengths[node] = length
                for user in self._users[node]:
                    self._hear(user, length)

    def _begin(self, node: int) -> None:
        graph = self.graph
        known = own_length(graph, node)
        if known is not None:
            heapq.heappush(self._heap, (known, node))
            return
        parts = graph.parts(node)
        self._waiting[node] = len(parts)
        for part in parts:
            self._users[part].append(node)

    def _hear(self, node: int, length: int) -> None:
        """A part of `node` is settled at `length`."""
        kind = self.graph.kinds[node]
        if kind == REPEAT:
            length *= self.graph.values[node][1]
        self._waiting[node] -= 1
        self._sums[node] += length
        if kind != SEQUENCE:
            heapq.heappush(self._heap, (length, node))
        elif self._waiting[node] == 0:
            heapq.heappush(self._heap, (self._sums[node], node))


def own_length(graph: Graph, node: int) -> int | None:
    """The shortest length of an expression that has it whatever its parts are."""
    kind, values = graph.kinds[node], graph.values[node]
    if kind == TEXT:
        return len(values)
    if kind == CLASS:
        return None if graph.matches_nothing(node) else 1
    if kind in (EMPTY, CLASS_STAR, TAGS, REGEX):
        return 0
    if (kind == REPEAT and values[1] == 0) or (kind == SEQUENCE and not values):
        return 0
    return None


def check_finite(graph: Graph, lengths: list[int | None]) -> None:
    """Refuse what can begin and not end, and what needs a text that nobody writes.

    Raises:
        ConstraintError: it names the rule at fault.
    """
    root = graph.bodies[graph.root]
    reachable = graph.reachable()
    if lengths[root] is None:
        raise ConstraintError(
            "the grammar has no finite sentence: no text that it begins can ever be complete",
            hint="give each recursive rule an alternative that ends",
        )
    dead = {node for node in reachable if lengths[node] is None}
    if dead:
        raise _endless(graph, dead)
    for node in reachable:
        length = lengths[node]
        if length is not None and length > LONGEST_NEEDED:
            raise ConstraintError(
                f"the shortest text of rule '{rule_of(graph, node)}' has {length:,} characters",
                hint=f"at most {LONGEST_NEEDED:,} can be asked for",
            )


def _endless(graph: Graph, dead: set[int]) -> ConstraintError:
    for number, body in enumerate(graph.bodies):
        if body in dead:
            name = public_name(graph, number)
            return ConstraintError(
                f"rule '{name}' can be entered but never ends",
                hint="give it an alternative that ends, or take it out",
            )
    name = rule_of(graph, min(dead))
    return ConstraintError(f"an alternative of rule '{name}' matches nothing", hint="take it out")


def rule_of(graph: Graph, node: int) -> str:
    """The name of the rule whose body `node` stands in."""
    for number, body in enumerate(graph.bodies):
        if node in _within(graph, body):
            return public_name(graph, number)
    return graph.rules[graph.root]


def _within(graph: Graph, body: int) -> set[int]:
    seen = {body}
    todo = [body]
    while todo:
        node = todo.pop()
        if graph.kinds[node] in (SEQUENCE, CHOICE):
            fresh = [part for part in graph.values[node] if part not in seen]
            seen.update(fresh)
            todo.extend(fresh)
    return seen


def public_name(graph: Graph, number: int) -> str:
    """The name of a rule, or of the written rule that xgrammar split it off from."""
    name = graph.rules[number]
    while (shorter := re.sub(r"_\d+$", "", name)) != name and shorter in graph.rules:
        name = shorter
    return name
