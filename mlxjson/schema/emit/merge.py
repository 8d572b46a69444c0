"""Nodes that mean the same, made one: partition refinement over the table.

A schema that refers to itself in many contexts unfolds into many nodes, most of them equal.
Nodes start in one class and are told apart by their shapes, with classes in place of children,
until no class splits any more (E. F. Moore, "Gedanken-experiments on sequential machines", 1956).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mlxjson.schema.literals import key as identity
from mlxjson.schema.shapes import (
    Array,
    Literal,
    NodeId,
    Object,
    Property,
    Shape,
)

Nodes = Mapping[NodeId, tuple[Shape, ...]]
FEW = 200  # of so many nodes a grammar is small anyway


def representatives(nodes: Nodes) -> dict[NodeId, NodeId]:
    """For each node the first one that means the same."""
    if len(nodes) <= FEW:
        return {node: node for node in nodes}
    classes = dict.fromkeys(nodes, 0)
    count = 1
    while True:
        numbers: dict[Any, int] = {}
        refined = {
            node: numbers.setdefault((classes[node], _signature(shapes, classes)), len(numbers))
            for node, shapes in nodes.items()
        }
        if len(numbers) == count:
            break
        classes, count = refined, len(numbers)
    first: dict[int, NodeId] = {}
    return {node: first.setdefault(number, node) for node, number in classes.items()}


def _signature(shapes: tuple[Shape, ...], classes: Mapping[NodeId, int]) -> tuple[Any, ...]:
    return tuple(
        ("literal", identity(shape.value), shape.plain)
        if isinstance(shape, Literal)
        else mapped(shape, classes)
        for shape in shapes
    )


def mapped(shape: Shape, names: Mapping[NodeId, NodeId]) -> Shape:
    """`shape` with other names for its children."""
    if isinstance(shape, Object):
        properties = tuple(Property(p.name, names[p.node], p.required) for p in shape.properties)
        others = tuple(replace(p, node=names[p.node]) for p in shape.others)
        return replace(shape, properties=properties, others=others)
    if isinstance(shape, Array):
        inner = shape.contains
        return replace(
            shape,
            prefix=tuple(names[node] for node in shape.prefix),
            rest=None if shape.rest is None else names[shape.rest],
            contains=inner and replace(inner, match=names[inner.match], other=names[inner.other]),
        )
    return shape
