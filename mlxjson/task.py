"""What is asked for, and what came of it: plain data."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from mlxjson.confidence import UNSURE
from mlxjson.constraint import Constraint
from mlxjson.errors import CutOff, InvalidDocument
from mlxjson.prompt import Message
from mlxjson.stats import Stats
from mlxjson.thinking import Think

if TYPE_CHECKING:
    from mlxjson.confidence import TokenScore
    from mlxjson.schema.finding import Finding
    from mlxjson.validate.failure import Failure

OnText = Callable[[str], None]
# A pass over sixteen tokens costs about 1.6 times one over a single token, on a CPU in f32.
DRAFT_LENGTH = 16


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to generate.

    Attributes:
        constraint: what may be said.
        messages: chat messages; or a text that is given to the model as it stands.
        untold: messages without the form of the answer, for when `messages` fill the context.
        max_tokens: the most tokens to generate.
        temperature, top_p, top_k, seed: see `decode.sample.Sampling`.
        retries: how often an invalid document is tried again.
        strict: refuse a constraint that the grammar enforces only in part.
        stream: hand text to `on_text` as it is made, even where it is not exact; False holds it
            until it is valid; None streams where the grammar is exact.
        enforce: False leaves the grammar out: the form is only checked afterwards.
        jump: write what is forced without asking the model.
        prompt_cache: a file that keeps the state of the prompt's fixed beginning.
        draft: the most tokens to draft per pass; 0 for none, None for what suits the model.
        think: whether a model that can reason first does.
        think_budget: the most tokens of reasoning; None for 2048, or what the context has left.
        logprobs: say how likely each token was; forced text then comes from the model, too.
        top_logprobs: how many of the likeliest tokens to name with each.
        confidence: say how likely each value was.
        min_confidence: values less likely than this become null, or make the document invalid.
        stop: strings before which the text ends.
        bias: added to the logits of these ids.
        fallback: messages that tell the form of the answer, for a schema that can't be compiled:
            the run goes on under plain JSON. None: it fails.
    """

    constraint: Constraint
    messages: Sequence[Message] | str
    untold: Sequence[Message] | None = None
    max_tokens: int = 1024
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0
    retries: int = 2
    strict: bool = False
    stream: bool | None = None
    enforce: bool = True
    jump: bool = True
    draft: int | None = None
    prompt_cache: Path | None = None
    think: Think = Think.AUTO
    think_budget: int | None = None
    logprobs: bool = False
    top_logprobs: int = 0
    confidence: bool = False
    min_confidence: float = 0.0
    stop: tuple[str, ...] = ()
    bias: Mapping[int, float] = field(default_factory=dict)
    fallback: Sequence[Message] | str | None = None


@dataclass(slots=True)
class Result:
    """What came of a task: `finish` is stop, length (cut off) or invalid.

    `notes` are what a user should hear about the run, a line each. `stopped` is the stop string
    that ended the text, `thought` the reasoning before it. `confidence` and `logprobs` are there
    where the task asks for them. `unenforced` says why the schema was only asked for and checked.
    """

    text: str
    finish: str
    stats: Stats
    findings: tuple["Finding", ...] = ()
    failure: "Failure | None" = None
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    thought: str = ""
    confidence: dict[str, float] | None = None
    logprobs: "tuple[TokenScore, ...] | None" = None
    unenforced: str = ""

    def checked(self) -> str:
        """The text of a complete and valid result.

        Raises: CutOff, InvalidDocument.
        """
        if self.stopped is not None and self.failure is not None:
            raise CutOff(
                f"cut off by the stop string {json.dumps(self.stopped)}, before the output was "
                "complete",
                partial=self.text,
            )
        if self.finish == "length":
            raise CutOff(
                f"cut off after {self.stats.output_tokens} tokens, before the output was complete",
                partial=self.text,
                hint="Allow more with --max-tokens, or bound lengths in the schema.",
            )
        if self.failure is not None:
            raise _invalid(self.text, self.failure)
        return self.text


def _invalid(text: str, failure: "Failure") -> InvalidDocument:
    place = failure.pointer or "the document"
    message = f"the output fails '{failure.keyword}' at {place}: {failure.message}"
    hint = "Try more --retries, a --temp above 0, or a larger model."
    if failure.keyword == UNSURE:
        message = f"the model is not sure of {place}: {failure.message}"
        hint = "Lower --min-confidence, let the schema allow null there, or use a larger model."
    return InvalidDocument(
        message, document=text, pointer=failure.pointer, keyword=failure.keyword, hint=hint
    )
