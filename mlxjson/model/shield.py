"""Special tokens written out in a message are text there, not the end of a turn or another role.

Prompts come from strangers. A chat template writes messages between special tokens, and a tokenizer
can't tell those of the template from those of a message. So each one in a message is replaced by a
mark before the template is rendered, and put back, as text, when the prompt becomes ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

Message = Mapping[str, Any]
# Texts that follow each other, and whether special tokens in them count as such.
Parts = list[tuple[str, bool]]

_PRIVATE_USE = range(0xE000, 0xF900)


class Shield:
    """Messages in which no special token stands, and the way back.

    Attributes:
        messages: to be rendered.
    """

    def __init__(self, messages: Sequence[Message], special: Iterable[str]) -> None:
        """Args: special: how the special tokens are written."""
        self.messages = list(messages)
        texts = [str(message.get("content", "")) for message in messages]
        found = sorted((s for s in special if s and any(s in t for t in texts)), key=len)
        self._found: list[str] = found[::-1]  # the longest first
        self._mark = ""
        if found:
            self._mark = next(chr(c) for c in _PRIVATE_USE if not any(chr(c) in t for t in texts))
            self.messages = [
                {**message, "content": self._marked(text)}
                for message, text in zip(messages, texts, strict=True)
            ]

    def parts(self, rendered: str) -> Parts:
        """What a rendered template consists of."""
        if not self._found:
            return [(rendered, True)]
        pieces = re.split(f"{self._mark}([0-9]+){self._mark}", rendered)
        literal = ((self._found[int(index)], False) for index in pieces[1::2])
        plain = ((piece, True) for piece in pieces[2::2])
        pairs = chain.from_iterable(zip(literal, plain, strict=True))
        return [(pieces[0], True), *(part for part in pairs if part[0])]

    def _marked(self, text: str) -> str:
        pattern = "|".join(map(re.escape, self._found))
        places = {special: index for index, special in enumerate(self._found)}
        return re.sub(pattern, lambda m: f"{self._mark}{places[m[0]]}{self._mark}", text)
