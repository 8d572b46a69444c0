"""From a row and the settings of the whole batch to a task."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mlxjson.batch.rows import Row
from mlxjson.constraint import Choice, Constraint, JsonObject, JsonSchema, Regex
from mlxjson.errors import MlxjsonError, UsageError
from mlxjson.inputs import grammar_of, parse_json
from mlxjson.prompt import (
    Message,
    choice_messages,
    gen_messages,
    joined,
    pattern_messages,
    plain_messages,
)
from mlxjson.task import Task

# The pointer of the fault of a row whose id was given before, and of no other fault.
DOUBLE = "/id"

_PLACE = "{text}"
_CONSTRAINTS = ("schema", "choices", "regex", "grammar")
# A row with one of these is a request body, as a server takes it.
_OF_BODIES = frozenset({"messages", "response_format", "structured_outputs", "guided_json",
                        "guided_grammar", "guided_regex", "guided_choice"})  # fmt: skip
_NUMBERS = {"max_tokens": "max_tokens", "temp": "temperature", "seed": "seed"}


class RowFault(UsageError):
    """A row that can't be made a task; `pointer` says which of its fields is at fault."""

    def __init__(self, message: str, pointer: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer


@dataclass(frozen=True, slots=True)
class Defaults:
    """What holds for every row that says nothing else.

    Attributes:
        constraint: of rows that bring none.
        schema: what the model is told of it; None for nothing.
        instruction: put with every document, at `{text}` or before it.
        system: put before the instructions.
        text_field: the field that holds the document.
        schema_dir: where rows may name schema files; None: they may not.
        told: tell the model the form of the answer.
        template: use the chat template.
        degrade: where a schema can't be compiled, ask for it in the prompt and check the result.
        options: the other fields of `Task`.
    """

    constraint: Constraint = field(default_factory=lambda: JsonSchema(True))
    schema: Any = None
    instruction: str = ""
    system: str | None = None
    text_field: str = "text"
    schema_dir: Path | None = None
    told: bool = True
    template: bool = True
    degrade: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def task(self, row: Row) -> Task:
        """What to do for a row. Raises: RowFault, ConstraintError."""
        if row.fault:
            raise RowFault(row.fault, DOUBLE if row.is_double else "")
        if _is_body(row.fields):
            from mlxjson.request.plan import Settings as BodySettings
            from mlxjson.request.rows import task_of_row

            settings = BodySettings(
                self._layout(),
                # Without a grammar nothing else would tell the model the form.
                told=not self.options.get("enforce", True),
                degrade=self.degrade,
                scores=True,
                options=self.options,
            )
            return task_of_row(row.fields, settings)
        text = self._prompt(row.fields)
        system = _text(row.fields, "system") or self.system
        constraint, told = self._asked(row.fields, text, system)
        untold = plain_messages(text, system)
        if isinstance(constraint, JsonSchema | JsonObject):
            untold = gen_messages(text, None, system)
        task = Task(
            constraint,
            told if self.template else text,
            untold=untold if self.template else None,
            fallback=self._fallback(constraint, text, system),
            **self.options,
        )
        return replace(task, **_numbers(row.fields))

    def _fallback(
        self, constraint: Constraint, text: str, system: str | None
    ) -> Sequence[Message] | str | None:
        """What asks for a schema that may turn out to have no grammar."""
        if not self.degrade or not isinstance(constraint, JsonSchema):
            return None
        asking = gen_messages(text, constraint.schema, system)
        return asking if self.template else joined(asking)

    def _prompt(self, fields: Mapping[str, Any]) -> str:
        instruction = _text(fields, "prompt") or self.instruction
        document = _text(fields, self.text_field)
        if document is None:
            if fields.get("prompt") is None:
                raise RowFault(f"the row has neither '{self.text_field}' nor 'prompt'")
            return instruction
        if _PLACE in instruction:
            return instruction.replace(_PLACE, document)
        return f"{instruction}\n\n{document}" if instruction else document

    def _asked(
        self, fields: Mapping[str, Any], text: str, system: str | None
    ) -> tuple[Constraint, list[Message]]:
        """The constraint of a row, and the messages that ask for it."""
        given = [name for name in _CONSTRAINTS if fields.get(name) is not None]
        if len(given) > 1:
            raise RowFault(f"'{given[0]}' and '{given[1]}' can't both be given", f"/{given[1]}")
        match given:
            case []:
                told = self.schema if self.told else None
                return self.constraint, gen_messages(text, told, system)
            case ["schema"]:
                schema = self._schema(fields["schema"])
                told = schema if self.told else None
                return JsonSchema(schema, self._layout()), gen_messages(text, told, system)
            case ["choices"]:
                options = _options(fields["choices"])
                told = options if self.told else None
                return Choice(options), choice_messages(text, told, system)
            case ["regex"]:
                pattern = _string(fields, "regex")
                told = pattern if self.told else None
                return Regex(pattern), pattern_messages(text, told, system)
            case _:
                grammar = grammar_of(_string(fields, "grammar"), "the row's grammar", None)
                return grammar, plain_messages(text, system)

    def _layout(self) -> Any:
        if isinstance(self.constraint, JsonSchema | JsonObject):
            return self.constraint.layout
        return JsonSchema(True).layout

    def _schema(self, given: Any) -> Any:
        if isinstance(given, dict | bool):
            return given
        if not isinstance(given, str):
            raise RowFault("'schema' must be a schema or the name of a file", "/schema")
        return self._schema_file(given)

    def _schema_file(self, name: str) -> Any:
        """A file of the schema folder, and of no other: rows come from strangers."""
        if self.schema_dir is None:
            raise RowFault("a schema by name needs --schema-dir", "/schema")
        path = self.schema_dir / name
        if not _is_inside(path, self.schema_dir):
            raise RowFault(f"{json.dumps(name)} is not inside the schema folder", "/schema")
        try:
            return parse_json(path.read_bytes().decode("utf-8-sig"), name)
        except (OSError, UnicodeDecodeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a text"
            raise RowFault(f"can't read the schema {json.dumps(name)}: {reason}", "/schema") from (
                error
            )
        except MlxjsonError as error:
            raise RowFault(str(error), "/schema") from error


def is_json(constraint: Constraint) -> bool:
    """Whether what comes of a constraint is a JSON document; else it is a text."""
    return isinstance(constraint, JsonSchema | JsonObject)


def _is_body(fields: Mapping[str, Any]) -> bool:
    """OpenAI's batches have it inside; elsewhere `body` is a text."""
    return bool(_OF_BODIES & fields.keys()) or isinstance(fields.get("body"), dict)


def _is_inside(path: Path, folder: Path) -> bool:
    """Also where `..` or a link leads out of the folder."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):  # a NUL, a loop of links
        return False


def _text(fields: Mapping[str, Any], name: str) -> str | None:
    """A field that holds text for the model, None where there is none."""
    value = fields.get(name)
    if value is None:
        return None
    text = _string(fields, name)
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise RowFault(f"'{name}' has half of a surrogate pair", f"/{name}")
    return text


def _string(fields: Mapping[str, Any], name: str) -> str:
    if not isinstance(fields[name], str):
        raise RowFault(f"'{name}' must be a string", f"/{name}")
    return str(fields[name])


def _options(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list) or not given or not all(isinstance(o, str) for o in given):
        raise RowFault("'choices' must be a list of strings", "/choices")
    return tuple(dict.fromkeys(given))


def _numbers(fields: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for name, option in _NUMBERS.items():
        value = fields.get(name)
        if value is None:
            continue
        allowed = int | float if name == "temp" else int
        if isinstance(value, bool) or not isinstance(value, allowed):
            raise RowFault(f"'{name}' must be a number", f"/{name}")
        if value < 0 and name != "seed":
            raise RowFault(f"'{name}' must not be negative", f"/{name}")
        found[option] = value
    return found
