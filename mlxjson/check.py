"""What the grammar of a schema enforces, and what it says of given instances.

The engine behind `mlxjson check`: it reads no files and writes nothing.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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
    from mlxjson.schema.front import Unsatisfiable

    start = time.perf_counter()
    try:
        grammar = compile_schema(schema, Layout.SPACED, closed=False, store=store)
    except Unsatisfiable:
        return Judge(None, None, _since(start))
    return Judge(grammar, compile_(grammar.ebnf), _since(start))


def _since(start: float) -> float:
    return round((time.perf_counter() - start) * 1000, 3)


def check_case(row: Any, compile_: Compile, *, store: Store | None = None) -> dict[str, Any]:
    """One line of `check --cases`, for a line `{"id", "schema", "instances"}`; never raises.

    `accepted` says what the grammar does, `valid` whether the instance is a valid document. A
    schema that no document satisfies is compiled without an error: it accepts nothing.
    """
    result: dict[str, Any] = {
        "id": row.get("id") if isinstance(row, dict) else None,
        "error": None,
        "exact": False,
        "unenforced": [],
        "compile_ms": None,
        "accepted": [],
        "valid": [],
    }
    fault = _fault(row)
    if fault:
        return {**result, "error": fault}
    instances = row["instances"]
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
    if not isinstance(row.get("instances"), list):
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
