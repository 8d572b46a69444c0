"""What a `--schema` names. The first of these that fits:

1. `-`: standard input;
2. JSON: what begins with `{` or `[` and is not the short form of a type, and `true` and `false`;
   an array that is not JSON, such as `[1|2]`, is the short form;
3. a file that exists, perhaps with a pointer into it: `api.yaml#/components/schemas/Order`;
4. `module:Class`, unless the word behind the colon is a type of the short form;
5. what can only be a file, having a `/` or an ending, but does not exist: an error;
6. one word: the name of a schema, in the user's folder, then among the packaged ones;
7. the short form.
"""

import os
import re
from contextlib import suppress
from typing import Any

from mlxjson.errors import UsageError
from mlxjson.inputs import STDIN, Inputs, parse_json
from mlxjson.sources.documents import read_document, read_schema
from mlxjson.sources.kinds import is_kind

_CLASS = re.compile(r"(?:[^\W\d]\w*\.)*[^\W\d]\w*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_NAME = re.compile(r"[\w-]+")
_ENDINGS = (".json", ".yaml", ".yml")
_LONGEST_NAME = 255  # bytes, in most file systems
# Brackets, then a word: JSON would have a quote or a value there.
_SHORT_TYPE = re.compile(r"[\s\[{]+(?!(?:true|false|null)\b)[^\W\d]")


def schema_of(named: str, inputs: Inputs) -> Any:
    """The schema that `--schema` names, parsed.

    Raises: UsageError that says where it is wrong, and what was meant perhaps.
    """
    text = named.strip()
    if named == STDIN:
        return read_schema(STDIN, None, inputs)
    if text in ("true", "false") or (text[:1] in ("{", "[") and not _SHORT_TYPE.match(text)):
        return _json_or_array(named)
    name, pointer = _file_and_pointer(named)
    if os.path.exists(name):
        return read_schema(name, pointer, inputs)
    if _CLASS.fullmatch(text) and not is_kind(text.rpartition(":")[2]):
        from mlxjson.sources.classes import schema_of_class

        return schema_of_class(text)
    is_name = _NAME.fullmatch(text) is not None
    if is_name and len(text) > _LONGEST_NAME:
        raise UsageError("too long for the name of a file or a schema", where=f"{text[:40]}…")
    if _is_only_a_file(name):
        raise _no_file(name, inputs)
    if is_name:
        from mlxjson.sources.library import schema_file

        return read_schema(str(schema_file(text, inputs.environment.variables)), None, inputs)
    from mlxjson.sources.short import parse_short

    return parse_short(named)


def _json_or_array(text: str) -> Any:
    """JSON; or the short form of an array of values: no schema is a JSON array."""
    try:
        return parse_json(text, "--schema")
    except UsageError:
        if not text.lstrip().startswith("["):
            raise
        from mlxjson.sources.short import parse_short

        with suppress(UsageError):
            return parse_short(text)
        raise


def example_of(name: str, inputs: Inputs) -> Any:
    """The schema of documents like the one in a file. Raises: UsageError."""
    from mlxjson.sources.infer import infer

    return infer(read_document(name, inputs, "example"))


def _file_and_pointer(named: str) -> tuple[str, str | None]:
    """A file whose own name has a `#` goes before a pointer."""
    if os.path.exists(named) or "#" not in named:
        return named, None
    name, _, pointer = named.partition("#")
    return name, pointer


def _is_only_a_file(name: str) -> bool:
    """The short form has neither slashes nor points outside strings."""
    return '"' not in name and ("/" in name or name.lower().endswith(_ENDINGS))


def _no_file(name: str, inputs: Inputs) -> UsageError:
    """What reading it says; here it has to fail."""
    try:
        inputs.text(name, "schema")
    except UsageError as error:
        return error
    return UsageError("can't read the schema", where=name)
