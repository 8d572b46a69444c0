"""What is asked for, and what came of it: plain data."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlxjson.constraint import Constraint
from mlxjson.errors import CutOff, InvalidDocument
from mlxjson.prompt import Message
from mlxjson.stats import Stats

if TYPE_CHECKING:
    from mlxjson.schema.shapes import Finding
    from mlxjson.validate.failure import Failure

OnText = Callable[[str], None]


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
        draft: the most tokens to draft per pass; 0 for none, None for what suits the model.
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


@dataclass(slots=True)
class Result:
    """What came of a task: `finish` is stop, length (cut off) or invalid.

    `notes` are what a user should hear about the run, a line each.
    """

    text: str
    finish: str
    stats: Stats
    findings: tuple["Finding", ...] = ()
    failure: "Failure | None" = None
    notes: tuple[str, ...] = ()

    def checked(self) -> str:
        """The text of a complete and valid result.

        Raises: CutOff, InvalidDocument.
        """
        if self.finish == "length":
            raise CutOff(
                f"cut off after {self.stats.output_tokens} tokens, before the output was complete",
                partial=self.text,
                hint="Allow more with --max-tokens, or bound lengths in the schema.",
            )
        if self.failure is not None:
            place = self.failure.pointer or "the document"
            raise InvalidDocument(
                f"the output fails '{self.failure.keyword}' at {place}: {self.failure.message}",
                document=self.text,
                pointer=self.failure.pointer,
                keyword=self.failure.keyword,
                hint="Try more --retries, a --temp above 0, or a larger model.",
            )
        return self.text
