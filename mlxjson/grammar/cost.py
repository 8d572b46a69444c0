"""What makes a grammar slow to compile or to follow, found without compiling it.

The matcher keeps every way to read the text so far, and a mask looks at each of them. Ways
multiply where many parts in a row may be empty, where repetitions stand in repetitions, and where
thousands of alternatives begin alike. The limits are far below where a mask takes a second
(measured with 49,000 tokens: 50 parts that may be empty 0.4 s, 150 parts 7 s; [a-z]{0,1000}
repeated 0 to 1000 times 0.9 s); what lies above them is tried out in a child process first.
"""

import re
from functools import lru_cache

from mlxjson.grammar.finite import public_name, rule_of
from mlxjson.grammar.graph import CHOICE, CLASS_STAR, REPEAT, RULE, SEQUENCE, Graph

_MOST_EXPRESSIONS = 50_000
_MOST_RULES = 5_000
_MOST_ALTERNATIVES = 500
_MOST_EMPTY_IN_A_ROW = 20
_LARGE_COUNT = 30
_MARKS = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[()|*?]|\{0,')


def burden(graph: Graph, lengths: list[int | None]) -> str | None:
    """What may make `graph` expensive, for a message; None when nothing does."""
    if len(graph.kinds) > _MOST_EXPRESSIONS or len(graph.rules) > _MOST_RULES:
        return f"it has {len(graph.rules):,} rules of {len(graph.kinds):,} parts in all"
    for node, kind in enumerate(graph.kinds):
        if kind == CHOICE and len(graph.values[node]) > _MOST_ALTERNATIVES:
            count = len(graph.values[node])
            return f"rule '{rule_of(graph, node)}' has {count:,} alternatives"
        if kind == SEQUENCE and (run := _longest_empty_run(graph, lengths, node)):
            return f"rule '{rule_of(graph, node)}' has {run:,} parts in a row that may be empty"
    return _nested_repetition(graph, lengths)


def may_be_ambiguous(text: str) -> bool:
    """Whether a rule of the EBNF `text`, one to a line, may have many empty parts in a row.

    A quick look, so that ordinary schemas don't pay for `burden`.
    """
    return any(
        _most_optional(line) > _MOST_EMPTY_IN_A_ROW
        for line in text.splitlines()
        if line.count("*") + line.count("?") + line.count("{0,") > _MOST_EMPTY_IN_A_ROW
    )


@lru_cache(maxsize=256)
def _most_optional(line: str) -> int:
    """How many parts of one sequence of the rule `line` may be empty, at most."""
    most = 0
    open_ = [0]
    for token in _MARKS.findall(line):
        if token == "(":
            open_.append(0)
        elif token == ")":
            open_.pop()
        elif token == "|":
            open_[-1] = 0
        elif token[0] not in '"[':
            open_[-1] += 1
            most = max(most, open_[-1])
    return most


def _longest_empty_run(graph: Graph, lengths: list[int | None], node: int) -> int | None:
    run = longest = 0
    for part in graph.values[node]:
        run = run + 1 if lengths[part] == 0 else 0
        longest = max(longest, run)
    return longest if longest > _MOST_EMPTY_IN_A_ROW else None


def _nested_repetition(graph: Graph, lengths: list[int | None]) -> str | None:
    """Many repetitions of something that can itself be read in many lengths."""
    for node, kind in enumerate(graph.kinds):
        if kind != REPEAT or not _is_large(graph, node):
            continue
        inner = graph.values[node][0]
        if lengths[graph.bodies[inner]] == 0 or _repeats(graph, graph.bodies[inner]):
            return f"rule '{public_name(graph, inner)}' has repetitions within repetitions"
    return None


def _is_large(graph: Graph, node: int) -> bool:
    _, _, most = graph.values[node]
    return most < 0 or most > _LARGE_COUNT


def _repeats(graph: Graph, body: int) -> bool:
    """Whether `body` is nothing but something repeated, as in ([a-z]{1,1000}){1,1000}."""
    node = body
    seen = set()
    while node not in seen:
        seen.add(node)
        kind, values = graph.kinds[node], graph.values[node]
        if kind == CLASS_STAR or (kind == REPEAT and _is_large(graph, node)):
            return True
        if kind == RULE:
            node = graph.bodies[values[0]]
        elif kind in (SEQUENCE, CHOICE) and len(values) == 1:
            node = values[0]
        elif kind == CHOICE:
            return _recurs(graph, node)
        else:
            return False
    return True


def _recurs(graph: Graph, body: int) -> bool:
    """Whether an alternative of `body` goes on with `body` itself: how + and * are written."""
    return any(
        graph.kinds[part] == RULE and graph.bodies[graph.values[part][0]] == body
        for node in graph.values[body]
        for part in graph.parts(node)
    )
