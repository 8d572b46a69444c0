"""Request bodies as rows of a batch: bare, or under `body` as in the files of OpenAI's batches."""

from collections.abc import Mapping
from typing import Any

from mlxjson.errors import UsageError
from mlxjson.request.faults import read_body
from mlxjson.request.plan import Settings, plan
from mlxjson.task import Task

WHERE = "the row's body"


def task_of_row(fields: Mapping[str, Any], settings: Settings) -> Task:
    """The task of a row that is a body. What a server would not know of it is passed over.

    Raises: UsageError with the JSON Pointer of what can't be taken.
    """
    inside = fields.get("body")
    body = read_body(inside if isinstance(inside, dict) else fields, WHERE)
    if (body.n or 1) > 1:
        raise UsageError("/n: a row gives one choice", where=WHERE)
    return plan(body, settings, WHERE).tasks[0]
