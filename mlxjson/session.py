"""A model that runs tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlxjson.background import Later
from mlxjson.cachefiles import Cache
from mlxjson.constraint import Constraint
from mlxjson.prepared import Prepared, Shelf
from mlxjson.prompt import Message
from mlxjson.task import DRAFT_LENGTH, OnText, Result, Task
from mlxjson.thinking import Prompt, Think

if TYPE_CHECKING:
    from concurrent.futures import Future

    from mlxjson.decode.draft import Lookup
    from mlxjson.decode.state import Progress
    from mlxjson.grammar import Engine
    from mlxjson.model import ModelFiles, Network, Tokenizer
    from mlxjson.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Speech:
    """How a model speaks: its name, its tokenizer, and the compiler for its vocabulary.

    `identity` names the model's content, as `ModelFiles.identity` does; `adapter` names the
    adapter that changes its weights; `files` are where it lies on disk.
    """

    name: str
    tokenizer: "Tokenizer"
    engine: "Engine"
    identity: str = ""
    adapter: str = ""
    files: "ModelFiles | None" = None


class Session:
    """A model that is loaded, or still loading in the background.

    Whatever needs a part of it waits for that part, and gets the errors of loading it.
    """

    def __init__(
        self,
        speech: "Future[Speech] | Later[Speech]",
        network: "Future[Network] | Later[Network]",
        times: dict[str, float],
        cache: Cache | None = None,
    ) -> None:
        self.times = times
        self.drafter: Later[Network] | None = None
        self._speech = speech
        self._network = network
        self._shelf = Shelf(cache or Cache(None))

    @property
    def network(self) -> "Network":
        """The model's network."""
        return self._network.result()

    @property
    def name(self) -> str:
        """What the user called the model."""
        return self._speech.result().name

    @property
    def identity(self) -> str:
        """What the model's content is told apart by."""
        return self._speech.result().identity

    @property
    def adapter(self) -> str:
        """The adapter that the weights were changed by; empty without one."""
        return self._speech.result().adapter

    @property
    def files(self) -> "ModelFiles | None":
        """Where the model lies on disk."""
        return self._speech.result().files

    @property
    def tokenizer(self) -> "Tokenizer":
        """The model's tokenizer, with its chat template."""
        return self._speech.result().tokenizer

    @property
    def engine(self) -> "Engine":
        """The compiler of grammars for the model's vocabulary."""
        return self._speech.result().engine

    @property
    def vocabulary(self) -> "Vocabulary":
        """What each id writes."""
        return self.engine.vocabulary

    @property
    def draft_length(self) -> int:
        """How many tokens to draft where nobody says.

        None on CUDA, unless there is a model to draft: MLX takes two to ten times as long for a
        pass over a few tokens there as for one (0.32, one H200, Qwen3-0.6B's shape).
        """
        return 0 if self.drafter is None and self.network.device == "cuda" else DRAFT_LENGTH

    def lookup(self) -> "Lookup":
        """What guesses how a text goes on, for drafts; nothing said yet."""
        if self.drafter is not None:
            from mlxjson.decode.drafter import ModelDrafter

            return ModelDrafter(self.drafter.result())
        from mlxjson.decode.draft import PromptLookup
        from mlxjson.lookup import SpelledLookup

        encode = self.engine.encode
        return SpelledLookup(self.vocabulary.tokens, encode) if encode else PromptLookup()

    def prompt(self, messages: Sequence[Message] | str, think: Think) -> Prompt:
        """Messages through the chat template, a text as it stands, to ids.

        Only a chat template says how a model reasons: without one, it does not.
        """
        if isinstance(messages, str):
            return Prompt(self.tokenizer.encode(messages, special=False, bos=True))
        if self.tokenizer.template is None:
            joined = "\n\n".join(m["content"] for m in messages) + "\n\n"
            return self.prompt(joined, think)
        from mlxjson.model.reasoning import reasoning_prompt

        return reasoning_prompt(self.tokenizer, messages, think)

    def prompt_ids(self, messages: Sequence[Message] | str) -> list[int]:
        """The ids of a prompt to be answered without reasoning."""
        return self.prompt(messages, Think.OFF).ids

    def prepared(self, constraint: Constraint, *, or_degraded: bool = False) -> Prepared:
        """A constraint made ready, remembered for the next runs. Raises: ConstraintError."""
        return self._shelf.prepared(constraint, or_degraded=or_degraded)

    def degraded(self, constraint: Constraint, reason: str) -> Prepared:
        """A schema that can't be compiled as any JSON and its check, remembered as such.

        Raises: ConstraintError where it can't be checked either.
        """
        return self._shelf.degraded(constraint, reason)

    def close(self) -> None:
        """Let processes go that serve this one; a session of one process needs no closing."""
        if self._network.done() and self._network.exception() is None:
            getattr(self._network.result(), "close", lambda: None)()

    def run(
        self,
        task: Task,
        on_text: OnText | None = None,
        progress: "Progress | None" = None,
        on_thought: OnText | None = None,
    ) -> Result:
        """Generate.

        Args:
            task: what to generate.
            on_text: gets the text piece by piece if it is streamed (see `Task.stream`), else
                whole once it is valid.
            progress: called with (done, total) prompt tokens during prefill.
            on_thought: gets the model's reasoning piece by piece.

        Raises: ConstraintError, UsageError (prompt too long), ModelError.
        """
        from mlxjson.run import Run

        return Run(self, task, on_text, progress, on_thought).result()
