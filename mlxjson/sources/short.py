"""The short form of a schema: `name, age: int, tags: [str], status: open|closed "of the ticket"`.

    schema      = fields | type
    fields      = field { "," field } [ "," ]
    field       = name [ "?" ] [ ":" type ] [ description ]
    name        = word | string
    type        = alternative { "|" alternative }
    alternative = word | number | string | "[" type "]" | "{" fields "}"
    description = string
    string      = a JSON string

A field without a type is a string; `?` behind a name makes the field optional. One word alone is
the name of a type. Several words are types if each is one, and otherwise, like numbers and
strings, the values that are allowed; `true`, `false` and `null` are what they are in JSON, and
`null` goes with both. Objects are closed. Where the whole schema is a type, it begins with `[` or
`{`.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from mlxjson.errors import UsageError
from mlxjson.sources.kinds import is_kind, schema_of_kind, suggestion

_DEEPEST = 100
_CONSTANTS = {"true": True, "false": False, "null": None}

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string> "(?:[^"\\]|\\.)*" )
      | (?P<number> -?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w-]) )
      | (?P<word> [^\W\d][\w$-]*|[$@\d][\w$-]* )
      | (?P<mark> [][{},:?|] )
      | (?P<end> \Z )
      | (?P<other> . )
    )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class _Alternative:
    """One side of a `|`: a word that may be a type or a value, a value, or a schema."""

    token: _Token
    schema: dict[str, Any] | None = None

    @property
    def is_word(self) -> bool:
        return self.schema is None and self.token.kind == "word"

    @property
    def is_type(self) -> bool:
        return self.schema is not None or (self.is_word and is_kind(self.token.text))

    @property
    def is_null(self) -> bool:
        return self.is_word and self.token.text == "null"


def parse_short(text: str, where: str = "--schema") -> dict[str, Any]:
    """The JSON Schema that a short form means.

    Raises: UsageError with the column (and the line, if there are several).
    """
    return _Parser(text, where).schema()


class _Parser:
    """Recursive descent over the grammar above."""

    def __init__(self, text: str, where: str) -> None:
        self._text = text
        self._where = where
        self._depth = 0
        self._next = self._read(0)

    def schema(self) -> dict[str, Any]:
        is_type = self._next.text in ("[", "{")
        made = self._type() if is_type else self._fields("")
        if is_type and self._next.kind == "string":
            made = {**made, "description": self._string()}
        if self._next.kind != "end":
            raise self._unexpected("a comma or the end")
        return made

    def _fields(self, closing: str) -> dict[str, Any]:
        """Fields up to `closing`, which is not consumed."""
        properties: dict[str, Any] = {}
        required: list[str] = []
        while self._next.text != closing:
            self._field(properties, required)
            if not self._take(","):
                break
        if not properties:
            raise self._unexpected("the name of a field")
        made: dict[str, Any] = {"type": "object", "properties": properties}
        made |= {"required": required} if required else {}
        return made | {"additionalProperties": False}

    def _field(self, properties: dict[str, Any], required: list[str]) -> None:
        token, name = self._next, self._name()
        if name in properties:
            raise self._error(token, f"the field '{name}' is there twice")
        optional = self._take("?")
        schema = self._type() if self._take(":") else {"type": "string"}
        if self._next.kind == "string":
            schema = {**schema, "description": self._string()}
        properties[name] = schema
        required += [] if optional else [name]

    def _name(self) -> str:
        match self._next.kind:
            case "word":
                return self._advance().text
            case "string":
                return self._string()
        raise self._unexpected("the name of a field")

    def _type(self) -> dict[str, Any]:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(self._next, f"nested more than {_DEEPEST} deep")
        alternatives = [self._alternative()]
        while self._take("|"):
            alternatives.append(self._alternative())
        self._depth -= 1
        return self._union(alternatives)

    def _alternative(self) -> _Alternative:
        token = self._next
        if token.kind in ("word", "string", "number"):
            return _Alternative(self._advance())
        if self._take("["):
            items = self._type()
            self._close("]")
            return _Alternative(token, {"type": "array", "items": items})
        if self._take("{"):
            fields = self._fields("}")
            self._close("}")
            return _Alternative(token, fields)
        raise self._unexpected("a type")

    def _union(self, alternatives: list[_Alternative]) -> dict[str, Any]:
        if len(alternatives) == 1:
            return self._single(alternatives[0])
        if all(each.is_type for each in alternatives):
            return _any_of([self._schema(each) for each in alternatives])
        for each in alternatives:
            if each.is_type and not each.is_null:
                raise self._mixed(each)
        return {"enum": [self._value(each.token) for each in alternatives]}

    def _single(self, only: _Alternative) -> dict[str, Any]:
        if only.token.kind == "string":
            raise self._error(
                only.token,
                "a type has to stand here",
                f'For a description: \'str {only.token.text}\'; for fixed values: "a"|"b".',
            )
        if only.token.kind == "number":
            raise self._error(only.token, "a type has to stand here", suggestion(only.token.text))
        return self._schema(only)

    def _schema(self, of: _Alternative) -> dict[str, Any]:
        if of.schema is not None:
            return of.schema
        word = of.token.text
        if not is_kind(word):
            raise self._error(of.token, f"there is no type '{word}'", suggestion(word))
        return schema_of_kind(word)

    def _mixed(self, of: _Alternative) -> UsageError:
        if of.schema is not None:
            return self._error(of.token, "types and values can't be mixed")
        word = of.token.text
        return self._error(
            of.token,
            f"'{word}' is a type, and others here are none",
            f'Write "{word}" in quotes if you mean the word itself.',
        )

    def _value(self, token: _Token) -> Any:
        if token.kind == "word":
            return _CONSTANTS.get(token.text, token.text)
        return self._json(token)

    def _string(self) -> str:
        return str(self._json(self._advance()))

    def _json(self, token: _Token) -> Any:
        try:
            return json.loads(token.text)
        except ValueError as error:
            reason = getattr(error, "msg", str(error))
            raise self._error(token, f"not a JSON {token.kind}: {reason}") from error

    def _take(self, mark: str) -> bool:
        found = self._next.kind == "mark" and self._next.text == mark
        if found:
            self._advance()
        return found

    def _close(self, mark: str) -> None:
        if not self._take(mark):
            raise self._unexpected(f"'{mark}'")

    def _advance(self) -> _Token:
        token = self._next
        self._next = self._read(token.start + len(token.text))
        return token

    def _read(self, at: int) -> _Token:
        found = _TOKEN.match(self._text, at)
        assert found is not None
        assert found.lastgroup is not None
        return _Token(found.lastgroup, found[found.lastgroup], found.start(found.lastgroup))

    def _unexpected(self, wanted: str) -> UsageError:
        token = self._next
        if token.text == '"':
            return self._error(token, "this string is not closed")
        there = "the end" if token.kind == "end" else f"'{token.text}'"
        return self._error(token, f"{wanted} has to stand here, not {there}")

    def _error(self, token: _Token, message: str, hint: str = "") -> UsageError:
        before = self._text[: token.start]
        column = token.start - (before.rfind("\n") + 1) + 1
        line = f"line {before.count(chr(10)) + 1}, " if "\n" in self._text.strip() else ""
        return UsageError(
            message,
            where=f"{self._where}, {line}column {column}",
            hint=hint or "Like this: 'name, age: int, tags: [str], status: open|closed'.",
        )


def _any_of(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    """Any of them; as a list of types where each is no more than a type."""
    if all(list(schema) == ["type"] for schema in schemas):
        return {"type": list(dict.fromkeys(schema["type"] for schema in schemas))}
    return {"anyOf": schemas}
