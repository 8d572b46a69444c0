"""From the options of `check` to its tables and lines."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.constraint import Layout
from mlxjson.environment import Environment
from mlxjson.errors import NotEnforceable, UsageError
from mlxjson.inputs import Inputs, parse_json
from mlxjson.sink import StreamSink
from mlxjson.sources import schema_of

if TYPE_CHECKING:
    from mlxjson.audit import Audit


@dataclass(slots=True)
class Inspection:
    """One `check` command."""

    environment: Environment
    model: str | None
    layout: Layout
    local: Mapping[str, Path]

    def run(
        self,
        schema: str | None,
        *,
        instances: str | None,
        cases: str | None,
        strict: bool,
        as_json: bool,
    ) -> None:
        """Raises: UsageError; ConstraintError, also for what is left to check under `strict`."""
        inputs = Inputs(self.environment)
        if cases is not None:
            self._cases(inputs.text(cases, "cases"))
            return
        if schema is None:
            raise UsageError("there is nothing to check", hint="Name a schema, or use --cases.")
        parsed = schema_of(schema, inputs)
        if instances is not None:
            self._instances(parsed, inputs.text(instances, "instances"), instances)
            return
        self._audit(parsed, strict, as_json)

    def _cases(self, text: str) -> None:
        from mlxjson.cases import judged

        for line in judged(text.split("\n"), self.model, self.local):
            self._line(line)

    def _instances(self, schema: Any, text: str, name: str) -> None:
        from mlxjson.api import open_engine
        from mlxjson.check import check_case, compiler

        rows = [
            parse_json(line, f"{name}, line {n}", parse_float=Decimal)
            for n, line in enumerate(text.split("\n"), 1)
            if line.strip()
        ]
        row = {"id": None, "schema": schema, "instances": rows}
        result = check_case(row, compiler(open_engine(self.model)), store=self._store())
        if result["error"]:
            raise UsageError(result["error"])
        for accepted, valid in zip(result["accepted"], result["valid"], strict=True):
            self._line(json.dumps({"accepted": accepted, "valid": valid}))

    def _audit(self, schema: Any, strict: bool, as_json: bool) -> None:
        from mlxjson.api import open_engine
        from mlxjson.audit import audit
        from mlxjson.check import compiler

        compile_ = compiler(open_engine(self.model))
        found = audit(schema, compile_, layout=self.layout, store=self._store())
        if as_json:
            self._line(json.dumps(_as_dict(found), ensure_ascii=False))
        else:
            self._table(found)
        if found.refusal is not None:
            raise found.refusal
        if strict and not found.exact:
            raise NotEnforceable(_rest(found))

    def _store(self) -> dict[str, Any]:
        from mlxjson.validate.store import read_store

        store: dict[str, Any] = {}
        for base, folder in self.local.items():
            store.update(read_store(folder, base))
        return store

    def _line(self, text: str) -> None:
        StreamSink(self.environment.stdout).write(text + "\n")

    def _table(self, found: "Audit") -> None:
        width = max((len(row.pointer) for row in found.rows), default=0)
        for row in found.rows:
            where = (row.pointer or "#").ljust(min(max(width, 8), 60))
            self._line(f"{where}  {row.keyword:<20}  {row.state:<8}  {row.reason}".rstrip())
        if found.refusal is not None:
            return
        self._line("")
        self._line("exact: the grammar enforces all of it" if found.exact else _rest(found))
        size = f"{found.rules:,} rules, {found.characters:,} characters"
        self._line(f"compiled in {found.compile_ms:.1f} ms: {size}")
        self._line(f"{'finitely' if found.finite else 'infinitely'} many documents")
        if found.shortest is not None:
            self._line(f"a shortest one: {found.shortest}")


def _rest(found: "Audit") -> str:
    left = sum(row.state == "checked" for row in found.rows)
    return f"not exact: {left} of {len(found.rows)} keywords are only checked afterwards"


def _as_dict(found: "Audit") -> dict[str, Any]:
    named = ("exact", "compile_ms", "rules", "characters", "finite", "shortest")
    rows = [asdict(row) for row in found.rows]
    return {"rows": rows, **{name: getattr(found, name) for name in named}}
