"""A task made ready to run: its constraint compiled, or left to the prompt and the check."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from mlxjson.clock import timed
from mlxjson.constraint import Constraint
from mlxjson.enforcement import Enforcement
from mlxjson.errors import ConstraintError, NotEnforceable
from mlxjson.prepared import Prepared, matcher_of
from mlxjson.task import Task

if TYPE_CHECKING:
    from mlxjson.decode.matcher import Matcher
    from mlxjson.session import Session


@dataclass(frozen=True, slots=True)
class Ready:
    """What a run begins with.

    Attributes:
        task: the task as it is run.
        prepared: its constraint, and the check of it.
        enforced: what the grammar takes of it.
        matcher: at the start of the grammar.
        unenforced: why there is no grammar of the schema, or "".
    """

    task: Task
    prepared: Prepared
    enforced: Enforcement
    matcher: "Matcher"
    unenforced: str = ""

    @property
    def note(self) -> str:
        """What the user should hear of it, or ""."""
        return note_of(self.unenforced) if self.unenforced else ""


def note_of(reason: str) -> str:
    """What is said of a schema without a grammar."""
    return f"the schema can't be enforced, only asked for and checked: {reason}"


def ready(session: "Session", task: Task, times: dict[str, float] | None = None) -> Ready:
    """Compile what a task asks for, or go on under plain JSON where it has a fallback.

    Args:
        times: gets `compile_ms`.

    Raises: ConstraintError.
    """
    times = {} if times is None else times
    with timed(times, "compile_ms"):
        prepare = session.prepared if task.fallback is None else partial(degradable, session)
        prepared = prepare(task.constraint)
    if task.fallback is None:
        return _compiled(session, task, prepared, times)
    if not prepared.unenforced:
        try:
            return _compiled(session, task, prepared, times)
        except ConstraintError as error:
            if _is_hopeless(error):
                raise
            prepared = session.degraded(task.constraint, error.message)
    asking = replace(task, messages=task.fallback, untold=None)
    return _compiled(session, asking, prepared, times)


def degradable(session: "Session", constraint: Constraint) -> Prepared:
    """A constraint made ready; of a schema without a grammar only its check.

    Raises: ConstraintError where a run without the grammar would end no better.
    """
    try:
        return session.prepared(constraint, or_degraded=True)
    except ConstraintError as error:
        if _is_hopeless(error):
            raise
        return session.degraded(constraint, error.message)


def _compiled(session: "Session", task: Task, prepared: Prepared, times: dict[str, float]) -> Ready:
    with timed(times, "compile_ms"):
        enforced = prepared.enforcement(enforce=task.enforce, strict=task.strict)
    engine = session.engine  # waits until it is there, which is not compile time
    with timed(times, "compile_ms"):
        return Ready(task, prepared, enforced, matcher_of(enforced, engine), prepared.unenforced)


def _is_hopeless(error: ConstraintError) -> bool:
    from mlxjson.schema.front import Unsatisfiable

    return isinstance(error, NotEnforceable | Unsatisfiable)
