"""Where schemas come from: files, standard input, classes, names, a short form, an example.

`schema_of` takes whatever `--schema` takes. Each kind of source has a module of its own, imported
only when it is what was named.
"""

from typing import Any

from mlxjson.errors import UsageError
from mlxjson.inputs import Inputs
from mlxjson.sources.named import example_of, schema_of

__all__ = ["example_of", "schema_given", "schema_of"]


def schema_given(schema: str | None, like: str | None, inputs: Inputs) -> Any | None:
    """The schema of `--schema` or of `--like`; None where neither is given. Raises: UsageError."""
    if schema is not None and like is not None:
        raise UsageError("a schema and --like can't both be given")
    if like is not None:
        return example_of(like, inputs)
    return None if schema is None else schema_of(schema, inputs)
