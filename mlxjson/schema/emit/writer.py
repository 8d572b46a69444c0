"""From nodes to rules: what containers need to refer to their children.

A node becomes an expression at once if it is made of scalars, and a named rule that is written
later if it has containers, so that neither recursion nor depth of a schema matters here.
"""

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping

from mlxjson.constraint import Layout
from mlxjson.errors import ConstraintError
from mlxjson.schema.emit.rules import Rules
from mlxjson.schema.emit.space import RECURSIVE_LEVELS, Level, Space, space
from mlxjson.schema.finding import Finding
from mlxjson.schema.shapes import Array, Literal, NodeId, Object, Program, Shape


class Writer:
    """One grammar being written.

    Attributes:
        layout, closed: as given to `emit`.
        recursive: the nodes that contain themselves.
        memory: names of rules that several nodes may share, by what they are made of.
    """

    def __init__(
        self,
        program: Program,
        layout: Layout,
        closed: bool,
        recursive: set[NodeId],
        scalar_body: "ScalarBody",
    ) -> None:
        self.program = program
        self.layout = layout
        self.closed = closed
        self.recursive = recursive
        self.rules = Rules()
        self.memory: dict[Hashable, str] = {}
        self._left: dict[NodeId, dict[str, str]] = {}
        self.waiting: deque[tuple[NodeId, Level, str]] = deque()
        self.scalars: dict[NodeId, str] = {}
        self.scalar_body = scalar_body
        self._names: dict[tuple[NodeId, Level], str] = {}
        if layout is Layout.FLEXIBLE:
            self.rules.define("ws", "[ \\n\\t]{0,16}")

    def node(self, node: NodeId, level: Level) -> str:
        """An item that stands for the values of `node`, a container of which is at `level`."""
        shapes = self.program.nodes[node]
        if all(is_scalar(shape) for shape in shapes):
            return self.scalars_of(node, shapes)
        if node in self.recursive and level is not None and level > RECURSIVE_LEVELS:
            level = None
        key = (node, level)
        if key not in self._names:
            name = self._names[key] = f"n{node}" if level is None else f"n{node}_{level}"
            self.waiting.append((node, level, name))
        return self._names[key]

    def scalars_of(self, node: NodeId, shapes: tuple[Shape, ...]) -> str:
        """An item for those `shapes` of `node` that are scalars."""
        if node not in self.scalars:
            body = self.scalar_body(self, node, shapes)
            self.check(node, body)
            self.scalars[node] = self.rules.shared("v", body, self.pointer(node))
        return self.scalars[node]

    def check(self, node: NodeId, body: str) -> None:
        """Raises: ConstraintError: `body`, which stands for `node`, is nothing at all."""
        if not body:
            where = f"schema at '{self.pointer(node)}'"
            raise ConstraintError("no value can be written for this part", where=where)

    def refuse_beyond(self, longest: int, node: NodeId, keyword: str, asked: int) -> None:
        """Raises: ConstraintError: more is asked for than anything here should try to write."""
        if asked > longest:
            where = f"schema at '{self.pointer(node)}'"
            raise ConstraintError(f"{keyword} {asked} is more than can be written", where=where)

    def empty(self, node: NodeId | None) -> bool:
        """Whether no value belongs to `node`."""
        return node is None or not self.program.nodes[node]

    def space(self, level: Level) -> Space:
        """The separators of a container at `level`."""
        return space(self.layout, level)

    def pointer(self, node: NodeId) -> str:
        """Where the node stands in the schema."""
        return self.program.pointers.get(node, "")

    def leave(self, node: NodeId, keyword: str, reason: str) -> None:
        """Note that `keyword` is left to validation."""
        self._left.setdefault(node, {}).setdefault(keyword, reason)

    def left(self, same: Mapping[NodeId, NodeId]) -> Iterator[Finding]:
        """What is left to validation, for all nodes that `same` maps to those written here."""
        for node, written in same.items():
            for keyword, reason in self._left.get(written, {}).items():
                yield Finding(self.pointer(node), keyword, reason)


def inside(level: Level) -> Level:
    """The level of what is in a container at `level`."""
    return None if level is None else level + 1


def is_scalar(shape: Shape) -> bool:
    """Whether no layout matters to the values of `shape`."""
    if isinstance(shape, Literal):
        return not (isinstance(shape.value, list | dict) and shape.value)
    return not isinstance(shape, Array | Object)


ScalarBody = Callable[[Writer, NodeId, tuple[Shape, ...]], str]
