"""A `Program` as grammar text for xgrammar.

notation, rules  pieces of grammar text, and the table of rules
space            white space of each layout
digits, multiples, numbers, strings, trie, literals, scalars   values that contain no others
objects, arrays  containers
writer           the nodes still to write, and what is left to validation
"""

from dataclasses import dataclass, field

from mlxjson.constraint import Layout
from mlxjson.schema.emit import scalars
from mlxjson.schema.emit.arrays import array
from mlxjson.schema.emit.literals import literal_text
from mlxjson.schema.emit.merge import mapped, representatives
from mlxjson.schema.emit.notation import either
from mlxjson.schema.emit.objects import object_
from mlxjson.schema.emit.recursion import recursive_nodes
from mlxjson.schema.emit.space import Level, first_level
from mlxjson.schema.emit.trie import constants
from mlxjson.schema.emit.writer import Writer, is_scalar
from mlxjson.schema.finding import Finding
from mlxjson.schema.shapes import Array, Literal, NodeId, Object, Program


@dataclass(frozen=True, slots=True)
class Emitted:
    """A grammar and what it doesn't enforce.

    Attributes:
        ebnf: the grammar; its start rule is `root`.
        findings: those of the program and those made here, each pointer and keyword once.
    """

    ebnf: str
    findings: list[Finding] = field(default_factory=list)

    @property
    def exact(self) -> bool:
        """Whether every sentence of the grammar belongs to the program's schema."""
        return not self.findings


def emit(program: Program, layout: Layout = Layout.SPACED, *, closed: bool = True) -> Emitted:
    """The grammar of `program`.

    `closed` makes the grammar to generate with: objects that are open by default only are closed,
    and numbers have the spellings and sizes that readers expect. Without it the grammar tells
    whether a given document belongs to the schema.

    Raises: ConstraintError: nothing can be written, or the grammar would be too large.
    """
    same = representatives(program.nodes)
    kept = {node: program.nodes[node] for node in dict.fromkeys(same.values())}
    if len(kept) < len(same):
        kept = {node: tuple(mapped(s, same) for s in shapes) for node, shapes in kept.items()}
    recursive = recursive_nodes(kept) if layout is Layout.INDENT else set()
    merged = Program(kept, same[program.root], program.pointers)
    writer = Writer(merged, layout, closed, recursive, scalars.body)
    root = writer.node(program.root, first_level(layout))
    while writer.waiting:
        node, level, name = writer.waiting.popleft()
        body = _body(writer, node, level)
        writer.check(node, body)
        writer.rules.define(name, body, writer.pointer(node))
    findings = {(f.pointer, f.keyword): f for f in program.findings}
    for finding in writer.left(same):
        findings.setdefault((finding.pointer, finding.keyword), finding)
    return Emitted(writer.rules.text(root), list(findings.values()))


def _body(writer: Writer, node: NodeId, level: Level) -> str:
    """A body for a node that has containers."""
    shapes = writer.program.nodes[node]
    ways = []
    scalar = tuple(shape for shape in shapes if is_scalar(shape))
    if scalar:
        ways.append(writer.scalars_of(node, scalar))
    texts = []
    for shape in shapes:
        if isinstance(shape, Object):
            ways.append(object_(writer, node, shape, level))
        elif isinstance(shape, Array):
            ways.append(array(writer, node, shape, level))
        elif isinstance(shape, Literal) and not is_scalar(shape):
            texts.append(literal_text(shape.value, writer.layout, level))
    if texts:
        ways.append(constants(texts))
    return either(way for way in ways if way)
