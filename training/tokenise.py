"""Examples as token ids with a weight for each id of the answer."""

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from mlxjson.model import Tokenizer, load_tokenizer, resolve
from training.examples import Example

# Keys and punctuation are forced by the grammar unless the schema lets fields be left out.
_FORCED_WEIGHT = 0.15
_SPLIT_SHARE = 0.3
# A label is all that its example teaches, a document teaches dozens of values.
_LABEL_WEIGHT = 3.0


@dataclass(frozen=True)
class Encoded:
    """uint16 `ids`; float16 `weights`, one per id: 0 over the prompt, more over the answer."""

    ids: np.ndarray
    weights: np.ndarray


_SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"


def rendered(messages: list[dict[str, str]]) -> str:
    """What the starter's chat template gives, which is slow: a test compares the two."""
    if messages[0]["role"] != "system":
        messages = [{"role": "system", "content": _SYSTEM}, *messages]
    turns = (f"<|im_start|>{m['role']}\n{m['content']}<|im_end|>\n" for m in messages)
    return "".join(turns) + "<|im_start|>assistant\n"


class Encoder:
    """Renders and encodes as the commands do."""

    def __init__(self, model: Path | str = "starter") -> None:
        self.tokenizer: Tokenizer = load_tokenizer(resolve(str(model)))
        self.stop = next(iter(self.tokenizer.encode("<|im_end|>", special=True)))

    def prompt(self, messages: list[dict[str, str]]) -> list[int]:
        return self.tokenizer.encode(rendered(messages), special=True)

    def example(self, one: Example, rng: Random) -> Encoded:
        """The whole turn; some answers are cut where jump-forward cuts them."""
        prompt = self.prompt(one.messages)
        pieces = stretches(one.answer) if one.sort == "extraction" else [(one.answer, True)]
        if rng.random() < _SPLIT_SHARE:
            answer, weights = self._apart(pieces)
        else:
            answer, weights = self._together(pieces)
        if leaves_out(one.schema):
            weights = [1.0] * len(weights)
        if one.sort == "choice":
            weights = [_LABEL_WEIGHT] * len(weights)
        ids = np.array([*prompt, *answer, self.stop], np.uint16)
        return Encoded(ids, np.array([0.0] * len(prompt) + [*weights, 1.0], np.float16))

    def _apart(self, pieces: list[tuple[str, bool]]) -> tuple[list[int], list[float]]:
        ids: list[int] = []
        weights: list[float] = []
        for text, free in pieces:
            new = self.tokenizer.encode(text, special=False)
            ids += new
            weights += [1.0 if free else _FORCED_WEIGHT] * len(new)
        return ids, weights

    def _together(self, pieces: list[tuple[str, bool]]) -> tuple[list[int], list[float]]:
        """Ids of the whole; an id counts fully if any of its text was free."""
        free = [flag for text, flag in pieces for _ in text.encode()]
        ids = self.tokenizer.encode("".join(text for text, _ in pieces), special=False)
        weights, at = [], 0
        for one in ids:
            size = self._size(one)
            weights.append(1.0 if any(free[at : at + size]) else _FORCED_WEIGHT)
            at += size
        return ids, weights

    def _size(self, one: int) -> int:
        if not hasattr(self, "_sizes"):
            backend = self.tokenizer._backend
            self._sizes = [
                len(backend.id_to_token(i) or "") for i in range(backend.get_vocab_size())
            ]
        return self._sizes[one]


def leaves_out(schema: Any) -> bool:
    """Whether some object may lack a property: then the model chooses each next key."""
    if isinstance(schema, list):
        return any(map(leaves_out, schema))
    if not isinstance(schema, dict):
        return False
    properties = schema.get("properties")
    if isinstance(properties, dict) and set(properties) - set(schema.get("required", [])):
        return True
    return any(map(leaves_out, schema.values()))


def stretches(answer: str) -> list[tuple[str, bool]]:
    """An answer in JSON cut into forced stretches (keys, punctuation) and free ones (values).

    The quote that ends a string is free: the model decides where it stands.
    """
    found: list[tuple[str, bool]] = []
    forced = ""
    at = 0
    scan = json.JSONDecoder()
    depth: list[str] = []
    key_next = False
    while at < len(answer):
        char = answer[at]
        if char == '"' and key_next:
            _, end = scan.raw_decode(answer, at)
            forced += answer[at:end]
            at, key_next = end, False
        elif char in "{[":
            depth.append(char)
            key_next = char == "{"
            forced += char
            at += 1
        elif char in "}],: \n":
            if char in "}]":
                depth.pop()
            key_next = (char == "," and bool(depth) and depth[-1] == "{") or (
                key_next and char in " \n"
            )
            forced += char
            at += 1
        else:
            _, end = scan.raw_decode(answer, at)
            start = at + 1 if char == '"' else at
            found += [(forced + answer[at:start], False), (answer[start:end], True)]
            forced, at = "", end
    return [piece for piece in [*found, (forced, False)] if piece[0]]
