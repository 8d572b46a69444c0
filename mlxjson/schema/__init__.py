"""JSON Schema → a grammar that enforces it, and a list of what is only checked afterwards.

front   a schema as a `Program`, the table of what it means
emit    a `Program` as grammar text
order   an instance with its keys in the order in which the grammar writes them

Importing this package is cheap; the first use of a name imports the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlxjson.constraint import Layout

if TYPE_CHECKING:
    from mlxjson.schema.finding import Finding
    from mlxjson.schema.shapes import Program

__all__ = ["SchemaGrammar", "compile_schema"]


@dataclass(frozen=True, slots=True)
class SchemaGrammar:
    """A schema as a grammar.

    Attributes:
        ebnf: the grammar's text; its start rule is `root`.
        findings: what the grammar lets through although the schema does not.
        program: the table it was written from.
    """

    ebnf: str
    findings: list[Finding]
    program: Program

    @property
    def exact(self) -> bool:
        """Whether every sentence of the grammar is a valid document."""
        return not self.findings


def compile_schema(
    schema: Any,
    layout: Layout = Layout.SPACED,
    *,
    closed: bool = True,
    store: Mapping[str, Any] | None = None,
) -> SchemaGrammar:
    """The grammar of `schema`, a parsed JSON Schema.

    `closed` is for generation: objects that are only open by default are closed. `store` gives
    documents by their URI, for references that leave the schema.

    Raises: ConstraintError: no schema, no document satisfies it, or the grammar is too large.
    """
    from mlxjson.schema.emit import emit
    from mlxjson.schema.front import build
    from mlxjson.schema.pause import without_collection

    with without_collection():
        program = build(schema, store=store)
        emitted = emit(program, layout, closed=closed)
    return SchemaGrammar(emitted.ebnf, emitted.findings, program)
