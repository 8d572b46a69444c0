"""A scripted model that reasons, on the real Qwen3 tokenizer and chat template."""

import gzip
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from mlxjson.grammar import Engine
from mlxjson.model import Tokenizer
from mlxjson.model.folder_tokenizer import read_folder_tokenizer
from mlxjson.session import Session, Speech
from tests.scripted import ScriptedCache

SHARED = Path(__file__).parents[2] / "shared" / "tokenizers"
WIDTH = 151_936
THINK, END_THINK, STOP = 151_667, 151_668, 151_645

# Chat templates as gpt-oss and Gemma have them, in short.
HARMONY = (
    "{% for m in messages %}<|start|>{{ m['role'] }}<|message|>{{ m['content'] }}<|end|>"
    "{% endfor %}<|start|>assistant{# <|channel|>analysis<|message|> #}"
)
GEMMA = (
    "{% if enable_thinking %}<|think|>\n{% endif %}{% for m in messages %}<|turn>{{ m['role'] }}\n"
    "{{ m['content'] }}<turn|>\n{% endfor %}<|turn>model\n{# <|channel>thought <channel|> #}"
)


def qwen3(folder: Path) -> Tokenizer:
    """The tokenizer of Qwen3 with its template; `folder` is for its files."""
    if not SHARED.exists():
        pytest.skip(f"{SHARED} is not there")
    folder.mkdir(exist_ok=True)
    content = gzip.decompress((SHARED / "qwen3.tokenizer.json.gz").read_bytes())
    (folder / "tokenizer.json").write_bytes(content)
    config = (SHARED / "qwen3.tokenizer_config.json").read_text()
    (folder / "tokenizer_config.json").write_text(config)
    return Tokenizer(read_folder_tokenizer(folder))


@dataclass(slots=True)
class Thinker:
    """A network that likes one reasoning best, and then one answer.

    `thoughts` are ids that it wants to write in this order behind the prompt, tags among them;
    then it wants to write `answer`, whatever tokens it is cut into, and stop.
    """

    tokenizer: Tokenizer
    thoughts: Sequence[int]
    answer: str
    trims: bool = True
    passes: int = 0
    prompt: tuple[int, ...] | None = None
    width: int = WIDTH
    context_length: int = 4096
    device: str = "cpu"
    can_batch: bool = False

    def make_cache(self) -> list[ScriptedCache]:
        return [ScriptedCache(trims=self.trims)]

    def __call__(self, ids: mx.array, cache: list[ScriptedCache]) -> mx.array:
        self.passes += 1
        new = ids[0].tolist()
        cache[0].ids += new
        rows = np.zeros((len(new), WIDTH), dtype=np.float32)
        for at in range(len(new)):
            self._prefer(cache[0].ids[: len(cache[0].ids) - len(new) + at + 1], rows[at])
        return mx.array(rows)[None]

    def _prefer(self, ids: list[int], row: np.ndarray) -> None:
        behind = self._behind(ids)
        if behind is None:
            return
        said = [i for i in behind if i not in _LINES]
        wanted = list(self.thoughts)
        count = _common(said, wanted)
        if count < len(wanted) and not self._is_answering(behind):
            row[wanted[count]] = 10
            return
        written = self._answer_so_far(behind)
        rest = self.answer[len(written) :] if self.answer.startswith(written) else ""
        row[_encode(self.tokenizer, rest)[0] if rest else STOP] = 10

    def _is_answering(self, behind: list[int]) -> bool:
        started = self.thoughts[:1] == [THINK] and behind[:1] not in ([], [THINK])
        return started or END_THINK in behind

    def _behind(self, ids: list[int]) -> list[int] | None:
        assert self.prompt is not None
        return ids[len(self.prompt) :] if len(ids) >= len(self.prompt) else None

    def _answer_so_far(self, behind: list[int]) -> str:
        end = behind.index(END_THINK) + 1 if self.thoughts and END_THINK in behind else 0
        return self.tokenizer.text(behind[end:]).lstrip("\n")


_LINES = frozenset({198, 271})  # "\n" and "\n\n"


@cache
def _encode(tokenizer: Tokenizer, text: str) -> tuple[int, ...]:
    return tuple(tokenizer.encode(text, special=False))


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def session_of(tokenizer: Tokenizer, engine: Engine, network: Any) -> Session:
    speech: Future[Speech] = Future()
    speech.set_result(Speech("thinker", tokenizer, engine))
    loaded: Future[Any] = Future()
    loaded.set_result(network)
    return Session(speech, loaded, {})


def engine_of(tokenizer: Tokenizer) -> Engine:
    return Engine(tokenizer.vocabulary(WIDTH), encode=partial(tokenizer.encode, special=False))
