"""A callable for Ray Data's `map_batches`: a model loaded once an actor, a document for each row.

    from mlxjson.ray import Documents

    rows = ray.data.read_json("docs.jsonl", lines=True)
    done = rows.map_batches(
        Documents,
        fn_constructor_kwargs={"schema": schema, "model": "org/name"},
        batch_size=64,
        compute=ray.data.ActorPoolStrategy(size=2),
    )

Nothing of Ray is imported here: Ray calls it.
"""

import json
import os
from collections.abc import Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.batch.lanes import lane_of
from mlxjson.batch.records import Outcome
from mlxjson.batch.rows import Row
from mlxjson.batch.settings import parse_width
from mlxjson.batch.tasks import Defaults
from mlxjson.constraint import JsonSchema, Layout
from mlxjson.ready import degradable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mlxjson.session import Session

    Columns = Mapping[str, NDArray[Any]]

# What a row may say; every other column is passed on and not looked at.
_FIELDS = (
    *("id", "prompt", "schema", "choices", "regex", "grammar", "system"),
    *("max_tokens", "temp", "seed"),
)


class Documents:
    """Adds what comes of each row to its columns.

    Args:
        schema: a parsed JSON Schema for rows that bring none; True allows any JSON.
        model: as `--model`; None for the default.
        prompt: the instruction put with every document, at `{text}` or before it.
        text_field: the column that holds the document.
        schema_dir: where rows may name schema files.
        layout: white space in the JSON.
        batch: how many rows are worked on at once, or "auto".
        on_uncompilable: "fail", or "prompt": a schema without a grammar is asked for and checked.
        session: an open session instead of `model`, outside of Ray.
        options: further fields of `Task`, such as `max_tokens`.

    Raises: ConstraintError, ModelError: they end the actor.
    """

    def __init__(
        self,
        schema: Any = True,
        *,
        model: str | None = None,
        prompt: str = "",
        text_field: str = "text",
        schema_dir: str | Path | None = None,
        layout: str = "spaced",
        batch: int | str = "auto",
        on_uncompilable: str = "fail",
        session: "Session | None" = None,
        **options: Any,
    ) -> None:
        self._defaults = Defaults(
            JsonSchema(schema, Layout(layout)),
            None if schema is True else schema,
            instruction=prompt,
            text_field=text_field,
            schema_dir=Path(schema_dir) if schema_dir is not None else None,
            degrade=on_uncompilable == "prompt",
            options={"stream": False, **options},
        )
        self._session = session or _session(model)
        prepare = degradable if self._defaults.degrade else type(self._session).prepared
        prepare(self._session, self._defaults.constraint)
        self._lane = lane_of(self._session, self._defaults, parse_width(str(batch)))

    def __call__(self, batch: "Columns") -> "dict[str, NDArray[Any]]":
        """The columns of `batch`, each of shape (n,), and these, in the order of the rows.

        `ok` (bool); `result` (JSON text, None where there is none); `error` (JSON text with code,
        message and pointer, None where there is none); `finish` (stop, length, invalid or None);
        `output_tokens` (int64); `seconds` (float64). A bad row never stops the others.
        """
        rows = list(_rows(batch, self._defaults.text_field))
        outcomes = {o.row.number: o for group in self._lane(rows) for o in group}
        given = {name: _passed_on(column) for name, column in batch.items()}
        return {**given, **_columns([outcomes[row.number] for row in rows])}


def _session(model: str | None) -> "Session":
    from mlxjson.api import open_session

    return open_session(model, environ=os.environ)


def _rows(batch: "Columns", text_field: str) -> Iterator[Row]:
    names = [name for name in (*_FIELDS, text_field) if name in batch]
    columns = [batch[name].tolist() for name in names]
    for number, values in enumerate(zip(*columns, strict=True), 1):
        fields = {name: _value(name, v) for name, v in zip(names, values, strict=True)}
        yield Row(number, number, {**fields, "schema": _schema(fields.get("schema"))})


def _value(name: str, value: Any) -> Any:
    """A value as the row has it: columns make lists arrays, and gaps among numbers NaN."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, float) and isnan(value):
        return None
    is_whole = isinstance(value, float) and value.is_integer()
    return int(value) if is_whole and name in ("max_tokens", "seed") else value


def _schema(given: Any) -> Any:
    """A column can't hold objects of different shapes, so a schema comes as its JSON text."""
    if not isinstance(given, str) or not given.lstrip().startswith(("{", "true", "false")):
        return given
    try:
        return json.loads(given)
    except ValueError:
        return given


def _passed_on(column: "NDArray[Any]") -> "NDArray[Any]":
    """A column with lists in place of arrays and None in gaps: what Ray can write again."""
    if column.dtype != object:
        return column
    return _objects([_value("", value) for value in column])


def _objects(values: list[Any]) -> "NDArray[np.object_]":
    import numpy as np

    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _columns(outcomes: "list[Outcome]") -> "dict[str, NDArray[Any]]":
    import numpy as np

    return {
        "ok": np.array([o.ok for o in outcomes], dtype=bool),
        "result": _objects([o.result() if o.ok else None for o in outcomes]),
        "error": _objects([json.dumps(o.fault.as_dict()) if o.fault else None for o in outcomes]),
        "finish": _objects([(o.stats.finish if o.stats else None) or None for o in outcomes]),
        "output_tokens": np.array(
            [o.stats.output_tokens if o.stats else 0 for o in outcomes], dtype=np.int64
        ),
        "seconds": np.array([o.seconds for o in outcomes], dtype=np.float64),
    }
