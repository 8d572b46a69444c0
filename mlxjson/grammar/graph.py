"""A parsed grammar as a graph of expressions, read from xgrammar's serialised form.

The form (serialisation version v18): `grammar_expr_data[indptr[i]:]` is the kind of expression i,
the number n of its values, and n values. Kinds:

    0 text          the bytes
    1 class         negated?, then pairs of first and last code point
    2 class star    the same, any number of times
    3 empty
    4 rule          the number of the rule
    5 sequence      the numbers of expressions
    6 choice        the numbers of expressions
    7 tag dispatch  free text with tags in it
    8 repetition    the number of the rule, least, most (-1: any number)
    12 regex        a regular expression that becomes an automaton while compiling

9 to 11 name token ids, which no grammar here may do: text is what is generated.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.grammar.engine import Handle, xgr

VERSION = "v18"

TEXT, CLASS, CLASS_STAR, EMPTY, RULE, SEQUENCE, CHOICE, TAGS, REPEAT, REGEX = (*range(9), 12)
_KNOWN = frozenset((TEXT, CLASS, CLASS_STAR, EMPTY, RULE, SEQUENCE, CHOICE, TAGS, REPEAT, REGEX))
_LAST_CODE_POINT = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Graph:
    """Expressions by number, and what they are made of.

    Attributes:
        kinds: the kind of every expression.
        values: the values of every expression, as in the serialised form.
        rules: name of every rule.
        bodies: the expression of every rule.
        root: the number of the start rule.
    """

    kinds: list[int]
    values: list[list[int]]
    rules: list[str]
    bodies: list[int]
    root: int

    def parts(self, node: int) -> list[int]:
        """The expressions that `node` is made of."""
        kind, values = self.kinds[node], self.values[node]
        if kind in (SEQUENCE, CHOICE):
            return values
        if kind in (RULE, REPEAT):
            return [self.bodies[values[0]]]
        return []

    def reachable(self) -> list[int]:
        """The expressions that take part in the start rule."""
        seen = {self.bodies[self.root]}
        todo = list(seen)
        while todo:
            for part in self.parts(todo.pop()):
                if part not in seen:
                    seen.add(part)
                    todo.append(part)
        return sorted(seen)

    def matches_nothing(self, node: int) -> bool:
        """Whether `node` is a character class without characters."""
        if self.kinds[node] != CLASS:
            return False
        negated, *ends = self.values[node]
        if not negated:
            return not ends
        return _covers_all(sorted(zip(ends[::2], ends[1::2], strict=True)))


def _covers_all(ranges: list[tuple[int, int]]) -> bool:
    reached = -1
    for first, last in ranges:
        if first > reached + 1:
            return False
        reached = max(reached, last)
    return reached >= _LAST_CODE_POINT


def read_graph(grammar: Handle) -> Graph:
    """The graph of `grammar` (xgr.Grammar, not yet compiled).

    Raises:
        ConstraintError: the grammar names token ids.
    """
    form = _form(grammar)
    nodes = list(_expressions(form))
    graph = Graph(
        kinds=[kind for kind, _ in nodes],
        values=[values for _, values in nodes],
        rules=[rule[0] for rule in form["rules"]],
        bodies=[rule[1] for rule in form["rules"]],
        root=form["root_rule_id"],
    )
    if any(kind not in _KNOWN for kind in graph.kinds):
        raise ConstraintError("a grammar can't name tokens: write the text that they stand for")
    return graph


def with_values(grammar: Handle, graph: Graph) -> Handle:
    """`grammar` with the expressions of `graph`, which has the same ones with other values."""
    form = _form(grammar)
    data: list[int] = []
    starts: list[int] = []
    for kind, values in zip(graph.kinds, graph.values, strict=True):
        starts.append(len(data))
        data += [kind, len(values), *values]
    form |= {"grammar_expr_data": data, "grammar_expr_indptr": starts}
    return xgr.Grammar.deserialize_json(json.dumps(form))


def _form(grammar: Handle) -> dict[str, Any]:
    form: dict[str, Any] = json.loads(grammar.serialize_json())
    if form["__VERSION__"] != VERSION:
        raise NotImplementedError(f"xgrammar's serialised grammars are {form['__VERSION__']}")
    return form


def _expressions(form: dict[str, Any]) -> Iterator[tuple[int, list[int]]]:
    data = form["grammar_expr_data"]
    for start in form["grammar_expr_indptr"]:
        yield data[start], data[start + 2 : start + 2 + data[start + 1]]
