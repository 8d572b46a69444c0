"""Whether a program has finitely many documents, and a shortest one.

Both speak of what is generated: objects that are only open by default are closed.
"""

import json
from collections.abc import Iterator
from decimal import Decimal

from mlxjson.constraint import Layout
from mlxjson.regular import Language, TooLarge
from mlxjson.schema.emit.literals import literal_text, number_text, string_text
from mlxjson.schema.emit.objects import keys_of
from mlxjson.schema.emit.recursion import children, recursive_nodes
from mlxjson.schema.order import belongs
from mlxjson.schema.shapes import (
    Array,
    Boolean,
    Literal,
    NodeId,
    Null,
    Number,
    Object,
    Program,
    Shape,
    String,
)

MOST_NODES = 5000
_MOST_ROUNDS = 400
_LONGEST = 100_000
_MOST_INVENTED = 64  # names for further properties: each makes the language of the rest larger


def is_finite(program: Program) -> bool:
    """Whether only finitely many documents belong to the program."""
    reached = _reached(program)
    if reached & recursive_nodes({node: program.nodes[node] for node in reached}):
        return False
    return all(_finite(program, shape) for node in reached for shape in program.nodes[node])


def _reached(program: Program) -> set[NodeId]:
    found: set[NodeId] = set()
    waiting = [program.root]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            for shape in program.nodes[node]:
                waiting += _children(program, shape)
    return found


def _children(program: Program, shape: Shape) -> Iterator[NodeId]:
    if not isinstance(shape, Object):
        yield from children(shape)
        return
    keys = keys_of(program.nodes, shape, True)
    yield from (entry.node for entry in keys.properties)
    yield from (entry.node for entry in keys.others)


def _finite(program: Program, shape: Shape) -> bool:
    if isinstance(shape, Number):
        if shape.low is None or shape.high is None:
            return False
        narrow = shape.integer or shape.multiple_of is not None
        return narrow or shape.low.value == shape.high.value
    if isinstance(shape, String):
        return shape.max_length is not None or _has_few_words(shape.language)
    if isinstance(shape, Array):
        rest = shape.rest if shape.contains is None else shape.contains.other
        closed = rest is None or not program.nodes[rest]
        return shape.max_items is not None or (closed and shape.contains is None)
    return not (isinstance(shape, Object) and keys_of(program.nodes, shape, True).others)


def _has_few_words(language: Language | None) -> bool:
    try:
        return language is not None and language.is_finite()
    except TooLarge:
        return False


def shortest(program: Program, layout: Layout = Layout.SPACED) -> str | None:
    """A document with fewest characters; None where it can't be told simply."""
    if len(program.nodes) > MOST_NODES:
        return None
    best: dict[NodeId, str] = {}
    for _ in range(_MOST_ROUNDS):
        before = dict(best)
        for node, shapes in program.nodes.items():
            texts = (_text(program, shape, best, layout) for shape in shapes)
            found = [text for text in (*texts, best.get(node)) if text is not None]
            if found:
                best[node] = min(found, key=len)
        if best == before:
            break
    return best.get(program.root)


def _text(program: Program, shape: Shape, best: dict[NodeId, str], layout: Layout) -> str | None:
    """A shortest text of `shape`, given those of its children."""
    if isinstance(shape, Null):
        return "null"
    if isinstance(shape, Boolean):
        return json.dumps(True in shape.values)
    if isinstance(shape, Literal):
        return literal_text(shape.value, layout, None)
    if isinstance(shape, Number):
        return _number(shape)
    if isinstance(shape, String):
        return _string(shape)
    comma, colon = (",", ":") if layout is Layout.COMPACT else (", ", ": ")
    if isinstance(shape, Array):
        items = _items(shape, best)
        return None if items is None else f"[{comma.join(items)}]"
    pairs = _pairs(program, shape, best)
    if pairs is None:
        return None
    return "{" + comma.join(string_text(name) + colon + value for name, value in pairs) + "}"


def _number(shape: Number) -> str | None:
    values = [Decimal(n) for n in (*range(10), *range(-9, 0), *range(10, 100))]
    for bound in (shape.low, shape.high):
        if bound is not None:
            step = shape.multiple_of or (Decimal(1) if shape.integer else Decimal("0.5"))
            nearest = bound.value // step * step
            values += [bound.value, nearest, nearest + step, nearest - step]
    if shape.multiple_of is not None:
        values += [shape.multiple_of, -shape.multiple_of]
    if shape.fractional:
        values += [Decimal("0.5"), Decimal("-0.5")]
    texts = [number_text(value) for value in values if belongs(shape, value)]
    return min(texts, key=len, default=None)


def _string(shape: String) -> str | None:
    if shape.language is None:
        return string_text("a" * shape.min_length) if shape.min_length <= _LONGEST else None
    try:
        language = shape.language
        if shape.min_length or shape.max_length is not None:
            language = language & Language.length(shape.min_length, shape.max_length)
        return string_text(language.shortest())
    except TooLarge:
        return None


def _items(shape: Array, best: dict[NodeId, str]) -> list[str] | None:
    if shape.contains is not None:
        least = shape.contains.least
        nodes = [shape.contains.match] * least
        nodes += [shape.contains.other] * max(0, shape.min_items - least)
    else:
        nodes = list(shape.prefix[: shape.min_items])
        more = shape.min_items - len(nodes)
        if more and shape.rest is None:
            return None
        nodes += [shape.rest] * more if shape.rest is not None else []
    texts = [best.get(node) for node in nodes]
    found = [text for text in texts if text is not None]
    if len(found) < len(texts) or len(found) > _LONGEST:
        return None
    return None if shape.unique and len(set(found)) < len(found) else found


def _pairs(
    program: Program, shape: Object, best: dict[NodeId, str]
) -> list[tuple[str, str]] | None:
    keys = keys_of(program.nodes, shape, True)
    if any(entry.required and entry.node not in best for entry in keys.properties):
        return None
    known = [entry for entry in keys.properties if entry.node in best]
    optional = sorted(
        (entry for entry in known if not entry.required),
        key=lambda entry: len(string_text(entry.name)) + len(best[entry.node]),
    )
    missing = max(0, shape.min_properties - sum(entry.required for entry in known))
    chosen = {entry.name for entry in optional[:missing]}
    pairs = [(e.name, best[e.node]) for e in known if e.required or e.name in chosen]
    if shape.min_properties - len(pairs) > _MOST_INVENTED:
        return None
    for pattern in keys.others:
        names = pattern.names
        while len(pairs) < shape.min_properties and pattern.node in best and not names.is_empty():
            name = names.shortest()
            names = names - Language.literal(name)
            pairs.append((name, best[pattern.node]))
    return pairs if len(pairs) >= shape.min_properties else None
