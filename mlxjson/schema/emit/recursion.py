"""Which nodes contain themselves: Tarjan's strongly connected components, without recursion.

Source: R. Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing 1(2), 1972.
"""

from collections.abc import Iterator, Mapping

from mlxjson.schema.shapes import Array, NodeId, Object, Shape


def children(shape: Shape) -> Iterator[NodeId]:
    """The nodes that a shape refers to."""
    if isinstance(shape, Object):
        yield from (entry.node for entry in shape.properties)
        yield from (entry.node for entry in shape.others)
    elif isinstance(shape, Array):
        yield from shape.prefix
        if shape.rest is not None:
            yield shape.rest
        if shape.contains is not None:
            yield shape.contains.match
            yield shape.contains.other


def recursive_nodes(nodes: Mapping[NodeId, tuple[Shape, ...]]) -> set[NodeId]:
    """The nodes that lie on a cycle."""
    edges = {node: [c for s in shapes for c in children(s)] for node, shapes in nodes.items()}
    found: set[NodeId] = {node for node, targets in edges.items() if node in targets}
    order: dict[NodeId, int] = {}
    low: dict[NodeId, int] = {}
    stack: list[NodeId] = []
    on_stack: set[NodeId] = set()
    for start, first in edges.items():
        path = [(start, iter(first))] if start not in order else []
        while path:
            node, targets = path[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
                on_stack.add(node)
            target = next((t for t in targets if t not in order or t in on_stack), None)
            if target is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == order[node]:
                    component = stack[stack.index(node) :]
                    del stack[stack.index(node) :]
                    on_stack.difference_update(component)
                    found.update(component if len(component) > 1 else ())
            elif target not in order:
                path.append((target, iter(edges.get(target, ()))))
            else:
                low[node] = min(low[node], order[target])
    return found
