"""Nodes that have a finite value, and the table cut down to them.

A node is productive if one of its shapes needs productive nodes only: the least fixed point, as
for the symbols of a context-free grammar.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mlxjson.schema.builder import children
from mlxjson.schema.shapes import Array, NodeId, Object, Property, Shape

_NONE: NodeId = 1

Nodes = Mapping[NodeId, tuple[Shape, ...]]


def productive(nodes: Nodes) -> set[NodeId]:
    """The nodes with a finite value."""
    users: dict[NodeId, set[NodeId]] = defaultdict(set)
    for node, shapes in nodes.items():
        for shape in shapes:
            for child in children(shape):
                users[child].add(node)
    found: set[NodeId] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node not in found and any(has_value(shape, found) for shape in nodes[node]):
            found.add(node)
            waiting += users[node] - found
    return found


def has_value(shape: Shape, found: set[NodeId]) -> bool:
    """Whether a shape has a value made of the nodes in `found`."""
    if isinstance(shape, Array):
        return _array_has_value(shape, found)
    if isinstance(shape, Object):
        return _object_has_value(shape, found)
    return True


def _array_has_value(shape: Array, found: set[NodeId]) -> bool:
    least = shape.min_items
    if shape.contains is not None:
        needed, most = shape.contains.least, shape.contains.most
        if needed and shape.contains.match not in found:
            return False
        if shape.max_items is not None and needed > shape.max_items:
            return False
        more = shape.contains.other in found or (most is None and shape.contains.match in found)
        return more or least <= (needed if most is None else most)
    if any(node not in found for node in shape.prefix[:least]):
        return False
    return least <= len(shape.prefix) or (shape.rest is not None and shape.rest in found)


def _object_has_value(shape: Object, found: set[NodeId]) -> bool:
    if any(entry.required and entry.node not in found for entry in shape.properties):
        return False
    if any(entry.node in found for entry in shape.others):
        return True
    return sum(entry.node in found for entry in shape.properties) >= shape.min_properties


def trimmed(nodes: Nodes, root: NodeId, found: set[NodeId]) -> dict[NodeId, tuple[Shape, ...]]:
    """The nodes that the root leads to, without what needs a node that has no value."""
    kept: dict[NodeId, tuple[Shape, ...]] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node in kept:
            continue
        shapes = (_trimmed(shape, found) for shape in nodes[node] if has_value(shape, found))
        kept[node] = tuple(shapes)
        waiting += (child for shape in kept[node] for child in children(shape))
    return kept


def _trimmed(shape: Shape, found: set[NodeId]) -> Shape:
    if isinstance(shape, Array) and _needs_trimming(children(shape), found):
        return _trimmed_array(shape, found)
    if isinstance(shape, Object) and _needs_trimming(children(shape), found):
        properties = tuple(
            entry if entry.node in found else Property(entry.name, _NONE, False)
            for entry in shape.properties
        )
        others = tuple(entry for entry in shape.others if entry.node in found)
        return replace(shape, properties=properties, others=others)
    return shape


def _needs_trimming(nodes: Iterable[NodeId], found: set[NodeId]) -> bool:
    return any(node not in found for node in nodes)


def _trimmed_array(shape: Array, found: set[NodeId]) -> Array:
    if shape.contains is not None:
        match, other = shape.contains.match, shape.contains.other
        kept = replace(
            shape.contains,
            match=match if match in found else _NONE,
            other=other if other in found else _NONE,
        )
        return replace(shape, contains=kept, rest=None)
    size = next((i for i, node in enumerate(shape.prefix) if node not in found), len(shape.prefix))
    rest = shape.rest if shape.rest in found and size == len(shape.prefix) else None
    return replace(shape, prefix=shape.prefix[:size], rest=rest)
