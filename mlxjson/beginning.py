"""`--prompt-cache`: the part of a prompt that stays the same, run once and kept in a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlxjson.decode.prefix import common_length
from mlxjson.decode.state import Beginning
from mlxjson.prompt import Message
from mlxjson.task import Task

if TYPE_CHECKING:
    from mlxjson.session import Session

# A shorter one costs less to run than to read.
_SHORTEST = 16


def beginning_of(session: "Session", task: Task, ids: list[int]) -> Beginning | None:
    """The fixed beginning of the prompt `ids`, from the task's file or to be kept there.

    None where no file was named or nothing worth keeping is fixed. Raises: UsageError when the
    file can't be written.
    """
    if task.prompt_cache is None or isinstance(task.messages, str):
        return None
    length = _fixed_length(session, task, task.messages, ids)
    if length < _SHORTEST:
        return None
    from mlxjson.model import prompt_cache

    path = Path(task.prompt_cache)
    key = prompt_cache.key(session.identity, ids[:length])
    cache = prompt_cache.load(path, key)
    return Beginning(length, cache, lambda kept: prompt_cache.save(path, kept, key))


def _fixed_length(
    session: "Session", task: Task, messages: Sequence[Message], ids: list[int]
) -> int:
    """How many ids come before the document, whatever the document is."""
    one, other = (
        session.prompt([*messages[:-1], {**messages[-1], "content": text}], task.think).ids
        for text in ("a", "1")
    )
    fixed = one[: common_length(one, other)]
    return min(common_length(fixed, ids), len(ids) - 1)
