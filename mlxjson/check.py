"""What the grammar of a schema enforces, and what it says of given instances.

The engine behind `mlxjson check`: it reads no files and writes nothing.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from mlxjson.constraint import Layout
from mlxjson.errors import MlxjsonError
from mlxjson.grammar.sources import EbnfSource
from mlxjson.schema import SchemaGrammar, compile_schema

if TYPE_CHECKING:
    from mlxjson.grammar import Compiled, Engine

Compile = Callable[[str], "Compiled"]
Store = Mapping[str, Any]


def compiler(engine: "Engine") -> Compile:
    """What `judge` and `check_case` need of an engine."""
    return lambda text: engine.compile(EbnfSource(text, "the schema's grammar"), trusted=True)


@dataclass(slots=True)
class Judge:
    """A schema's whole language as a grammar, ready for instances.

    Attributes:
        compiled: the grammar; None where no document satisfies the schema.
        compile_ms: milliseconds from the schema to the compiled grammar.
    """

    grammar: SchemaGrammar | None
    compiled: "Compiled | None"
    compile_ms: float
    _arranger: Any = field(default=None)

    def accepts(self, instance: Any) -> bool:
        """Whether the grammar accepts `instance`, its keys taken in the grammar's order.

        Numbers are tried as they are written, then without an exponent: ranges have none.
        """
        from mlxjson.schema.order import Arranger, in_plain_digits
        from mlxjson.schema.serialise import serialise

        if self.grammar is None or self.compiled is None:
            return False
        if self._arranger is None:
            self._arranger = Arranger(self.grammar.program)
        with _deep():
            arranged = self._arranger.arrange(instance)
            texts = dict.fromkeys([serialise(arranged), serialise(in_plain_digits(arranged))])
        return any(self._matches(text) for text in texts)

    def _matches(self, text: str) -> bool:
        assert self.compiled is not None
        matcher = self.compiled.matcher()
        return matcher.accept_text(text.encode()) and matcher.may_end


@contextmanager
def _deep() -> Iterator[None]:
    """Room for documents of a thousand levels, four calls each; pure Python takes no stack."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 6000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def judge(schema: Any, compile_: Compile, *, store: Store | None = None) -> Judge:
    """The grammar of all documents of `schema`, spaced.

    Raises: ConstraintError: the schema is none, or can't be compiled.
    """
    import mlxjson.schema.emit  # noqa: F401  (loading the code is not compiling)
    from mlxjson.schema.front import Unsatisfiable

    start = time.perf_counter()
    try:
        grammar = compile_schema(schema, Layout.SPACED, closed=False, store=store)
    except Unsatisfiable:
        return Judge(None, None, _since(start))
    return Judge(grammar, compile_(grammar.ebnf), _since(start))


def _since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 3)


def check_line(line: str, compile_: Compile, *, store: Store | None = None) -> dict[str, Any]:
    """`check_case` for a line as it stands in the file; a line that is no JSON has an error."""
    try:
        with _deep():
            row = json.loads(line, parse_constant=_no_constant)
            if isinstance(row, dict) and "instances" in row:
                # Instances keep the digits of their numbers: 1.0 and 1e2 are not 1 and 100.0.
                exact = json.loads(line, parse_float=Decimal, parse_constant=_no_constant)
                row["instances"] = exact["instances"]
    except (ValueError, RecursionError) as error:
        fault = "nested too deeply" if isinstance(error, RecursionError) else f"no JSON: {error}"
        return {**_blank(None), "error": fault}
    return check_case(row, compile_, store=store)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _blank(id_: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "error": None,
        "exact": False,
        "unenforced": [],
        "compile_ms": None,
        "accepted": [],
        "valid": [],
    }


def check_case(row: Any, compile_: Compile, *, store: Store | None = None) -> dict[str, Any]:
    """One line of `check --cases`, for a line `{"id", "schema", "instances"}`; never raises.

    `accepted` says what the grammar does, `valid` whether the instance is a valid document. A
    schema that no document satisfies is compiled without an error: it accepts nothing.
    """
    result = _blank(row.get("id") if isinstance(row, dict) else None)
    fault = _fault(row)
    if fault:
        return {**result, "error": fault}
    try:
        return _judged(row, result, compile_, store)
    except Exception as error:  # One line must not end the run, whatever is wrong with it.
        count = len(row.get("instances", []))
        bad = {"accepted": [False] * count, "valid": [False] * count}
        return {**_blank(row.get("id")), **bad, "error": f"internal error: {error!r}"}


def _judged(
    row: dict[str, Any], result: dict[str, Any], compile_: Compile, store: Store | None
) -> dict[str, Any]:
    instances = row.get("instances", [])
    result["valid"] = _verdicts(row["schema"], instances, store, result)
    try:
        judged = judge(row["schema"], compile_, store=store)
    except (MlxjsonError, RecursionError, MemoryError) as error:
        return {**result, "error": _message(error), "accepted": [False] * len(instances)}
    findings = judged.grammar.findings if judged.grammar else []
    result["exact"] = not findings
    result["unenforced"] = [{"pointer": f.pointer, "keyword": f.keyword} for f in findings]
    result["compile_ms"] = judged.compile_ms
    result["accepted"] = [_safely(partial(judged.accepts, each), result) for each in instances]
    return result


def _fault(row: Any) -> str:
    if not isinstance(row, dict):
        return "the line is not an object"
    if "schema" not in row:
        return "the line has no 'schema'"
    if not isinstance(row.get("instances", []), list):
        return "'instances' must be an array"
    return ""


def _verdicts(schema: Any, instances: list[Any], store: Store | None, result: Any) -> list[bool]:
    from mlxjson.schema.serialise import serialise
    from mlxjson.validate import prepare

    try:
        validator = prepare(schema, store=store)
    except (MlxjsonError, RecursionError) as error:
        result["error"] = _message(error)
        return [False] * len(instances)

    def verdict(instance: Any) -> bool:
        with _deep():
            text = serialise(instance)
        return validator.check(text) is None

    return [_safely(partial(verdict, each), result) for each in instances]


def _safely(verdict: Callable[[], bool], result: dict[str, Any]) -> bool:
    """A verdict, or False with the error noted."""
    try:
        return verdict()
    except (MlxjsonError, RecursionError, MemoryError) as error:
        result["error"] = result["error"] or _message(error)
        return False


def _message(error: BaseException) -> str:
    if isinstance(error, MlxjsonError):
        return f"{error.where}: {error.message}" if error.where else error.message
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return "out of memory" if isinstance(error, MemoryError) else str(error)
