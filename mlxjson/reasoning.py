"""Reasoning before an answer: how much of it there may be, and its text."""

from typing import TYPE_CHECKING

from mlxjson.decode.thinking import Thinking
from mlxjson.text import TextStream
from mlxjson.thinking import Prompt, Stance

if TYPE_CHECKING:
    from mlxjson.task import OnText
    from mlxjson.vocabulary import Vocabulary

BUDGET = 2048


class Thoughts:
    """The reasoning of one generation as text; `thinking` is None where there can be none."""

    def __init__(
        self, prompt: Prompt, budget: int, vocabulary: "Vocabulary", on_text: "OnText | None"
    ) -> None:
        self.text = ""
        self.thinking: Thinking | None = None
        self._budget = budget
        self._on_text = on_text
        self._stream = TextStream(vocabulary.tokens)
        if prompt.tags is not None and prompt.stance is not Stance.LIVE:
            self.thinking = Thinking(
                prompt.tags,
                prompt.stance,
                budget=budget,
                stop_ids=vocabulary.stop_ids,
                on_ids=lambda ids: self._pass_on(self._stream.feed(ids)),
            )

    def close(self) -> list[str]:
        """Pass on what was held back; what a user should hear about it, a line each."""
        self._pass_on(self._stream.close())
        if self.thinking is None or not self.thinking.was_cut:
            return []
        return [f"the reasoning was ended at its budget of {self._budget} tokens"]

    def _pass_on(self, text: str) -> None:
        self.text += text
        if text and self._on_text is not None:
            self._on_text(text)


def shares(room: int, max_tokens: int, budget: int) -> tuple[int, int]:
    """How many tokens the answer and the reasoning before it may have, of `room` for both.

    Where both do not fit, the answer gets what it may have up to half of the room, and more if
    the reasoning leaves it.
    """
    answer = min(max_tokens, max(room - budget, room // 2))
    return answer, min(budget, room - answer)
