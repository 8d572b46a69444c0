"""How many answers are right: documents with known fields, compared leaf by leaf."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mlxjson.constraint import JsonSchema, Layout
from mlxjson.errors import UsageError
from mlxjson.prompt import gen_messages
from mlxjson.session import Session
from mlxjson.task import Result, Task


@dataclass(frozen=True, slots=True)
class Example:
    """A text, the schema of what to extract, and the right answer."""

    text: str
    schema: Any
    gold: Any


@dataclass(slots=True)
class Score:
    """Right and asked-for leaves by JSON type, and whole documents."""

    right: Counter[str] = field(default_factory=Counter)
    asked: Counter[str] = field(default_factory=Counter)
    documents: int = 0
    whole: int = 0
    cut_off: int = 0
    forward_passes: int = 0
    output_tokens: int = 0

    @property
    def fields(self) -> float:
        """The share of leaves that are right."""
        return self.right.total() / max(1, self.asked.total())


def examples(text: str, where: str) -> list[Example]:
    """The examples in a JSONL text whose rows hold `text`, `schema` and `gold`.

    Raises: UsageError naming the line.
    """
    return [_example(line, f"{where}, line {n}") for n, line in _lines(text)]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    return ((n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip())


def _example(line: str, where: str) -> Example:
    try:
        row = json.loads(line)
        return Example(row["text"], row["schema"], row["gold"])
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError("a row needs 'text', 'schema' and 'gold'", where=where) from error


def measure(session: Session, rows: Iterable[Example], layout: Layout, **options: Any) -> Score:
    """Run every example greedily and compare. `options` are fields of `Task`."""
    score = Score()
    for row in rows:
        messages = gen_messages(row.text, row.schema)
        result = session.run(Task(JsonSchema(row.schema, layout), messages, **options))
        _count(score, row, result)
    return score


def _count(score: Score, row: Example, result: Result) -> None:
    answer = json.loads(result.text) if result.finish == "stop" else None
    wrong = 0
    for leaf, gold in _leaves(row.gold):
        kind = _kind(gold)
        score.asked[kind] += 1
        is_right = _same(_at(answer, leaf), gold)
        score.right[kind] += is_right
        wrong += not is_right
    score.documents += 1
    score.whole += wrong == 0 and result.finish == "stop"
    score.cut_off += result.finish == "length"
    score.forward_passes += result.stats.forward_passes
    score.output_tokens += result.stats.output_tokens


_Path = tuple[str | int, ...]
_MISSING = object()


def _leaves(value: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from _leaves(child, (*path, key))
    elif isinstance(value, list) and value:
        for index, child in enumerate(value):
            yield from _leaves(child, (*path, index))
    else:
        yield path, value


def _at(value: Any, path: _Path) -> Any:
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return _MISSING
    return value


def _same(answer: Any, gold: Any) -> bool:
    """Strings after trimming and case folding, numbers as numbers, the rest as it is."""
    if isinstance(answer, bool) or isinstance(gold, bool):
        return answer is gold
    if isinstance(answer, str) and isinstance(gold, str):
        return answer.strip().casefold() == gold.strip().casefold()
    return bool(answer == gold)


def _kind(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    return names.get(type(value), "empty")
