"""Which tags a model reasons between, and whether its chat template has opened them already.

Both are read off the chat template and the tokenizer. What the template writes behind the last
message says where the model stands; the messages themselves are never looked at, so a tag that
someone writes into a prompt opens and closes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlxjson.thinking import Prompt, Stance, Tags, Think

from .shield import Shield

if TYPE_CHECKING:
    from .template import ChatTemplate, Message
    from .tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Form:
    """How a family of models writes its reasoning.

    Attributes:
        begin, end: the tags.
        after_begin, before_end: what stands inside them, next to the reasoning.
        lead: what stands between the end and the answer.
        answer: what stands before an answer without reasoning; None: an empty pair of tags.
        always: the model never answers without tags of its own.
    """

    begin: str
    end: str
    after_begin: str = ""
    before_end: str = ""
    lead: str = ""
    answer: str | None = None
    always: bool = False

    @property
    def opening(self) -> str:
        """What begins reasoning, written for the model."""
        return self.begin + self.after_begin

    @property
    def closing(self) -> str:
        """What ends reasoning that was begun, up to the answer."""
        return self.before_end + self.end + self.lead

    @property
    def skipping(self) -> str:
        """What leads to an answer without reasoning."""
        return self.opening + self.closing if self.answer is None else self.answer


FORMS = (
    # Qwen3, DeepSeek-R1, GLM-4.5, SmolLM3 and most others.
    Form("<think>", "</think>", after_begin="\n", before_end="\n", lead="\n\n"),
    # Magistral.
    Form("[THINK]", "[/THINK]"),
    # gpt-oss (OpenAI's harmony format): messages in channels, the answer in the one called final.
    Form(
        "<|channel|>analysis<|message|>",
        "<|end|>",
        lead="<|start|>assistant<|channel|>final<|message|>",
        answer="<|channel|>final<|message|>",
        always=True,
    ),
    # Gemma 4 (Google's "Gemma 4 Prompt Formatting").
    Form("<|channel>thought\n", "<channel|>"),
)


def form_of(tokenizer: Tokenizer) -> Form | None:
    """How the tokenizer's model reasons; None if it doesn't, or in no way known here.

    Its template has to write the tags, and its tokenizer to have tokens of their own for them.
    """
    template = tokenizer.template
    if template is None:
        return None
    return next((form for form in FORMS if _speaks(tokenizer, template.source, form)), None)


def reasoning_prompt(tokenizer: Tokenizer, messages: Sequence[Message], think: Think) -> Prompt:
    """Messages through the chat template, and where that leaves the model.

    `think` goes to the template. ON opens the reasoning where the template leaves that to the
    model; OFF closes what the template opened, and writes empty reasoning where the template has
    no switch.

    Raises: ModelError, as `ChatTemplate.render`; ValueError without a template.
    """
    template, form = tokenizer.template, form_of(tokenizer)
    if template is None:
        raise ValueError("there is no chat template")
    options = _SWITCHES[think] if form is not None else {}
    shield = Shield(messages, tokenizer.special_texts)
    text = template.render(shield.messages, **options)
    if form is None:
        return Prompt(tokenizer.encode_parts(shield.parts(text)))
    stance = opened(template, messages, form, options)
    added, stance = _led(form, stance, think, lambda: _has_switch(template, messages))
    ids = tokenizer.encode_parts(shield.parts(text + added))
    return Prompt(ids, stance, tags_of(tokenizer, form))


def opened(
    template: ChatTemplate, messages: Sequence[Message], form: Form, options: Mapping[str, Any]
) -> Stance:
    """Where the template itself leaves the model, whatever stands in the messages."""
    tail = template.behind(messages, **options)
    begun, ended = tail.rfind(form.begin.rstrip()), tail.rfind(form.end)
    if form.always and ended >= 0:
        ended = tail.rfind(form.skipping)
    if begun == ended:
        return Stance.FREE
    return Stance.OPEN if begun > ended else Stance.LIVE


def tags_of(tokenizer: Tokenizer, form: Form) -> Tags:
    """A form's tags in ids."""
    begin = tokenizer.encode(form.begin, special=True)
    end = tokenizer.encode(form.end, special=True)
    cut = tokenizer.encode(form.before_end + form.end, special=True)
    # Encoded in one piece: a tokenizer may put a space before a text of its own.
    lead = tokenizer.encode(form.end + form.lead, special=True)[len(end) :]
    return Tags(tuple(begin), tuple(end), tuple(cut), tuple(lead))


# The names that templates give their switch.
_SWITCHES: dict[Think, dict[str, Any]] = {
    Think.AUTO: {},
    Think.ON: {"enable_thinking": True, "thinking": True},
    Think.OFF: {"enable_thinking": False, "thinking": False},
}


def _led(
    form: Form, stance: Stance, think: Think, has_switch: Callable[[], bool]
) -> tuple[str, Stance]:
    """What to write behind the prompt so that it leaves the model where it is wanted."""
    match think, stance:
        case Think.OFF, Stance.OPEN:
            return form.closing, Stance.LIVE
        case Think.OFF, Stance.FREE:
            return ("" if not form.always and has_switch() else form.skipping), Stance.LIVE
        case Think.ON, Stance.FREE:
            return form.opening, Stance.OPEN
        case Think.AUTO, Stance.FREE if form.always:
            return form.opening, Stance.OPEN
    return "", stance


def _has_switch(template: ChatTemplate, messages: Sequence[Message]) -> bool:
    on, off = (template.render(messages, **_SWITCHES[think]) for think in (Think.ON, Think.OFF))
    return on != off


def _speaks(tokenizer: Tokenizer, source: str, form: Form) -> bool:
    """Whether the template writes a form's tags, and each begins with a token of its own."""
    if form.end not in source and form.begin not in source:
        return False
    return all(_is_own(tokenizer, tag) for tag in (form.begin, form.end))


def _is_own(tokenizer: Tokenizer, tag: str) -> bool:
    token = tag if tag[0] == "[" else tag[: tag.index(">") + 1]
    token_id = tokenizer.token_id(token)
    return token_id is not None and tokenizer.encode(token, special=True) == [token_id]
