"""A body, and the options of the command line, as tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mlxjson.constraint import Constraint, Free, JsonObject, JsonSchema, Layout
from mlxjson.errors import UsageError
from mlxjson.prompt import Message, told, with_told
from mlxjson.request.asked import Asked, asked
from mlxjson.request.body import Body
from mlxjson.request.body import Message as BodyMessage
from mlxjson.request.faults import unknown_fields
from mlxjson.task import Task


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says.

    Attributes:
        layout: white space, where the body does not say.
        told: tell the model the form of the answer; a server does not.
        degrade: go on without a grammar where a schema can't be compiled.
        scores: keep log-probabilities if the body wants them: only a response shows them.
        options: fields of `Task`.
        given: those of them, and `layout`, that the user gave: they go before the body's.
    """

    layout: Layout = Layout.SPACED
    told: bool = False
    degrade: bool = False
    scores: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    given: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run, one task a choice, and what the user should hear about the body."""

    tasks: tuple[Task, ...]
    notes: tuple[str, ...]
    is_chat: bool

    @property
    def constraint(self) -> Constraint:
        """What every task is under."""
        return self.tasks[0].constraint


def plan(body: Body, settings: Settings, where: str) -> Plan:
    """The tasks of a body.

    Raises: UsageError with the JSON Pointer of what can't be taken.
    """
    found = asked(body, settings.layout, where)
    constraint = _laid_out(found.constraint, settings)
    first = Task(constraint, **{**settings.options, **_fields(body, settings, where)},
                 **_messages(body, constraint, settings, where))  # fmt: skip
    tasks = tuple(replace(first, seed=first.seed + number) for number in range(body.n or 1))
    return Plan(tasks, tuple(_notes(body, found, first)), body.messages is not None)


def _laid_out(constraint: Constraint, settings: Settings) -> Constraint:
    if "layout" in settings.given and isinstance(constraint, JsonSchema | JsonObject):
        return replace(constraint, layout=settings.layout)
    return constraint


def _fields(body: Body, settings: Settings, where: str) -> dict[str, Any]:
    """The fields of a task that the body sets, and the command line does not."""
    limit = body.max_tokens if body.max_completion_tokens is None else body.max_completion_tokens
    stop = (body.stop,) if isinstance(body.stop, str) else tuple(body.stop or ())
    values = {
        "max_tokens": limit,
        "temperature": body.temperature,
        "top_p": body.top_p,
        "top_k": None if body.top_k is None else max(body.top_k, 0),
        "seed": body.seed,
        "stop": stop,
        "bias": _bias(body, where),
        **(_scores(body) if settings.scores else {}),
    }
    return {k: v for k, v in values.items() if v is not None and k not in settings.given}


def _scores(body: Body) -> dict[str, Any]:
    """A chat says whether and, apart from that, how many; a completion only how many."""
    if not _wants_scores(body):
        return {}
    top = body.top_logprobs if isinstance(body.logprobs, bool) else body.logprobs
    return {"logprobs": True, "top_logprobs": top or 0}


def _wants_scores(body: Body) -> bool:
    return body.logprobs is True or (body.messages is None and body.logprobs is not None
                                     and body.logprobs is not False)  # fmt: skip


def _bias(body: Body, where: str) -> dict[int, float]:
    made = {}
    for name, value in (body.logit_bias or {}).items():
        if not (name.isascii() and name.isdigit()):
            raise UsageError(f"/logit_bias/{name}: a token's id is a number", where=where)
        made[int(name)] = value
    return made


def _messages(body: Body, constraint: Constraint, settings: Settings, where: str) -> dict[str, Any]:
    """What the model is given: messages through its template, a prompt as it stands."""
    if (body.messages is None) == (body.prompt is None):
        has = "both 'messages' and" if body.prompt is not None else "neither 'messages' nor"
        raise UsageError(f"the body has {has} 'prompt'; it needs one of them", where=where)
    degrades = settings.degrade and isinstance(constraint, JsonSchema)
    plain: Any
    asking: Any
    if body.messages is not None:
        plain = [_message(m, f"/messages/{n}", where) for n, m in enumerate(body.messages)]
        asking = with_told(plain, constraint)
    else:
        plain = body.prompt if isinstance(body.prompt, str) else (body.prompt or [""])[0]
        asking = "\n\n".join(part for part in (told(constraint), plain) if part)
    return {
        "messages": asking if settings.told else plain,
        "untold": plain if settings.told and body.messages is not None else None,
        "fallback": asking if degrades else None,
    }


def _message(message: BodyMessage, pointer: str, where: str) -> Message:
    role = "system" if message.role == "developer" else message.role
    content = message.content
    if isinstance(content, list):
        for number, part in enumerate(content):
            if part.type not in ("text", "input_text") or part.text is None:
                raise UsageError(
                    f"{pointer}/content/{number}: only text can be taken, not '{part.type}'",
                    where=where,
                )
        content = "\n".join(part.text or "" for part in content)
    return {"role": role, "content": content or ""}


def _notes(body: Body, found: Asked, task: Task) -> list[str]:
    notes = []
    if found.losers:
        notes.append(f"{found.field} decides; not used: {', '.join(found.losers)}")
    if unknown := unknown_fields(body):
        notes.append(f"fields that are not known, so not used: {', '.join(unknown)}")
    if _wants_scores(body) and not task.logprobs:
        notes.append("logprobs are only shown in a --response")
    if (body.n or 1) > 1 and task.temperature == 0:
        notes.append(f"/n is {body.n}, but without a temperature all choices are the same")
    if found.field and isinstance(task.constraint, Free):
        notes.append(f"{found.field} asks for nothing")
    return notes
