"""From a JSON Schema to a `Program`, the table of nodes that says the same.

places      where each subschema stands, and where its references lead
read        a subschema as a conjunction of conditions, family by family
negate      `not` and `oneOf`, pushed inwards
terms       the alternatives of a conjunction
builder     the shapes of each alternative; a node for each conjunction that comes up
productive  only what has a finite value
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.schema.builder import NONE, Builder
from mlxjson.schema.finding import Finding
from mlxjson.schema.items import Gap
from mlxjson.schema.places import Place, World
from mlxjson.schema.productive import productive, trimmed
from mlxjson.schema.shapes import Array, NodeId, Object, Program, Shape

_OLD_DRAFT = re.compile(r"draft-0[0-3](/|#|$)")


class Unsatisfiable(ConstraintError):
    """A schema that no document satisfies."""


def build(schema: Any, *, store: Mapping[str, Any] | None = None) -> Program:
    """The program of `schema`, a parsed JSON Schema of any draft from 4 to 2020-12.

    `store` gives documents by their URI, for references that leave the schema. Raises
    ConstraintError where the schema is no schema or a reference leads nowhere, and Unsatisfiable
    where no document satisfies it.
    """
    try:
        return _built(World(schema, store))
    except RecursionError as error:
        raise ConstraintError("the schema is nested too deeply", where="schema at ''") from error


def _built(world: World) -> Program:
    builder = Builder()
    root = builder.root((world.root,))
    builder.finish()
    found = productive(builder.nodes)
    if root not in found:
        raise _unsatisfiable(builder, root, found)
    nodes = trimmed(builder.nodes, root, found)
    nodes.setdefault(NONE, ())
    pointers = {node: builder.pointers[node] for node in nodes}
    gaps = (gap for node in nodes for gap in builder.gaps.get(node, ()))
    return Program(nodes, root, pointers, findings([*_of_old_draft(world.root), *gaps]))


def _of_old_draft(root: Place) -> Iterator[Gap]:
    """Drafts before 4 say some things in words that mean nothing since."""
    uri = root.schema.get("$schema") if isinstance(root.schema, dict) else None
    if isinstance(uri, str) and _OLD_DRAFT.search(uri):
        yield Gap(root, "$schema", "a draft before 4 is read as 2020-12, its own words left out")


def findings(gaps: Iterable[Gap]) -> list[Finding]:
    """What is left open, each subschema and keyword once."""
    found: dict[tuple[str, str], Finding] = {}
    for gap in gaps:
        finding = Finding(gap.place.pointer, gap.keyword, gap.reason)
        found.setdefault((finding.pointer, finding.keyword), finding)
    return list(found.values())


def _unsatisfiable(builder: Builder, root: NodeId, found: set[NodeId]) -> Unsatisfiable:
    """The error for the innermost node that is to blame."""
    node, passed = root, {root}
    while builder.nodes[node]:
        below = next(_needed(builder.nodes[node][0], found), None)
        if below is None or below == NONE:
            break
        if below in passed:
            where = builder.pointers[below]
            return Unsatisfiable(
                "no document satisfies the schema: this part requires itself for ever",
                where=f"schema at '{where}'",
            )
        node = below
        passed.add(node)
    pointer, reason = builder.why_empty(node)
    return Unsatisfiable(
        f"no document satisfies the schema: {reason}", where=f"schema at '{pointer}'"
    )


def _needed(shape: Shape, found: set[NodeId]) -> Iterator[NodeId]:
    """The nodes without a value that a shape can't do without."""
    if isinstance(shape, Object):
        yield from (e.node for e in shape.properties if e.required and e.node not in found)
    elif isinstance(shape, Array):
        yield from (node for node in shape.prefix[: shape.min_items] if node not in found)
        if shape.contains is not None and shape.contains.match not in found:
            yield shape.contains.match
        elif shape.rest is not None and shape.rest not in found:
            yield shape.rest
