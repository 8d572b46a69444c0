"""Chat templates: messages -> the text that the model was trained on.

The text is the same as transformers gives: the same Jinja settings, filters and functions, as its
documentation of chat templates describes them. Templates come from strangers, so they run in
Jinja's sandbox.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from mlxjson.errors import ModelError

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import ImmutableSandboxedEnvironment

Message = Mapping[str, Any]

# Stands for a message whose place in the text is looked for.
_SENTINEL = "mlxjson7f3a"


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A Jinja template and the special tokens it may name (`bos_token`, `eos_token`, ...)."""

    source: str
    special_tokens: Mapping[str, str] = field(default_factory=dict)

    def render(
        self, messages: Sequence[Message], *, add_generation_prompt: bool = True, **extra: Any
    ) -> str:
        """The prompt for `messages`, each a mapping with `role` and `content`.

        `extra` goes to the template, such as enable_thinking=False. A template without a system
        role gets the system message as the head of the first user message.

        Raises:
            ModelError: the template is broken or refuses the messages.
        """
        if _has_system(messages) and not self._takes_system(messages, extra):
            messages = _folded(messages)
        return self._rendered(messages, add_generation_prompt, extra)

    def behind(self, messages: Sequence[Message], **extra: Any) -> str:
        """What the template writes behind the last of `messages`, for the answer to begin there.

        The messages have no part in it. Raises: ModelError, as `render`.
        """
        probe = [*messages[:-1], {**messages[-1], "content": _SENTINEL}]
        return self.render(probe, **extra).rpartition(_SENTINEL)[2]

    def after_answer(self) -> str:
        """What the template writes right behind an assistant's answer; "" if it can't be told."""
        conversation = [
            {"role": "user", "content": "question"},
            {"role": "assistant", "content": _SENTINEL},
        ]
        try:
            text = self._rendered(conversation, False, {})
        except ModelError:
            return ""
        _, found, rest = text.rpartition(_SENTINEL)
        return rest if found else ""

    def _takes_system(self, messages: Sequence[Message], extra: dict[str, Any]) -> bool:
        """Whether the template writes a system message, neither refusing nor dropping it."""
        probe = [{**messages[0], "content": _SENTINEL}, *messages[1:]]
        try:
            return _SENTINEL in self._rendered(probe, True, extra)
        except ModelError:
            return False

    def _rendered(
        self, messages: Sequence[Message], add_generation_prompt: bool, extra: dict[str, Any]
    ) -> str:
        from jinja2 import TemplateError

        variables = {"tools": None, "documents": None, **self.special_tokens, **extra}
        try:
            return _compiled(self.source).render(
                messages=list(messages), add_generation_prompt=add_generation_prompt, **variables
            )
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise ModelError(
                f"the chat template can't be used: {error}",
                hint="--no-template gives the model the prompt as it stands.",
            ) from error


def _has_system(messages: Sequence[Message]) -> bool:
    return bool(messages) and messages[0].get("role") == "system"


def _folded(messages: Sequence[Message]) -> list[Message]:
    """The system message as the head of the first user message."""
    system, *rest = messages
    place = next((i for i, message in enumerate(rest) if message.get("role") == "user"), None)
    if place is None:
        return [{"role": "user", "content": system["content"]}, *rest]
    content = f"{system['content']}\n\n{rest[place]['content']}"
    return [*rest[:place], {**rest[place], "content": content}, *rest[place + 1 :]]


@cache
def _compiled(source: str) -> Template:
    return _environment().from_string(source)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    from jinja2.ext import Extension, loopcontrols
    from jinja2.nodes import CallBlock, Node
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """`{% generation %}` marks the assistant's part for training; here it is transparent."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> Node:
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
            return CallBlock(self.call_method("_same"), [], [], body).set_lineno(line)

        def _same(self, caller: Any) -> str:
            return str(caller())

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = _now
    return environment


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Jinja's own filter escapes HTML characters, which no model was trained on."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _raise(message: str) -> NoReturn:
    from jinja2 import TemplateError

    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)
