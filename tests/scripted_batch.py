"""A scripted network for batches: what mlx-lm's generator asks of a model and its caches."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import numpy as np

from tests.scripted import Prefer, ScriptedCache, random_logits


@dataclass(slots=True)
class OneCache(ScriptedCache):
    """The cache of one sequence, which can become one of many."""

    nbytes: int = 0

    @staticmethod
    def merge(caches: "Sequence[OneCache]") -> "ManyCache":
        return ManyCache([list(cache.ids) for cache in caches])


@dataclass(slots=True)
class ManyCache:
    """The ids of several sequences. While `padding` is set, rows end in that many pad ids."""

    rows: list[list[int]]
    padding: list[int] = field(default_factory=list)
    nbytes: int = 0

    @property
    def state(self) -> list[mx.array]:
        return []

    def prepare(self, *, lengths: list[int], right_padding: list[int]) -> None:
        assert len(lengths) == len(right_padding) == len(self.rows)
        self.padding = right_padding

    def finalize(self) -> None:
        for row, padding in zip(self.rows, self.padding, strict=True):
            del row[len(row) - padding :]
        self.padding = []

    def filter(self, keep: list[int]) -> None:
        self.rows = [self.rows[i] for i in keep]

    def extend(self, other: "ManyCache") -> None:
        self.rows += other.rows

    def extract(self, at: int) -> OneCache:
        return OneCache(list(self.rows[at]))

    def __deepcopy__(self, memo: Any) -> "ManyCache":
        return ManyCache(copy.deepcopy(self.rows, memo), list(self.padding))


@dataclass(slots=True)
class BatchModel:
    """Logits by a function of the ids so far, for any number of sequences."""

    prefer: Prefer = random_logits
    width: int = 0
    context_length: int = 4096
    device: str = "cpu"
    config: dict[str, Any] = field(default_factory=dict)
    passes: int = 0
    widths: list[int] = field(default_factory=list)
    ids_run: int = 0
    prompts: int = 8
    chunk: int = 128
    can_batch: bool = True
    most_sequences: int = 64

    def __post_init__(self) -> None:
        self.width = self.width or len(self.prefer([0]))

    def make_cache(self) -> list[OneCache]:
        return [OneCache()]

    def batched(self, choose: Any, most: int) -> Any:
        from mlxjson.model.batch import Generator

        return Generator(self, choose, most, prompts=self.prompts, chunk=self.chunk)

    def __call__(self, ids: mx.array, cache: list[Any]) -> mx.array:
        self.passes += 1
        self.ids_run += ids.size
        rows = cache[0].rows if isinstance(cache[0], ManyCache) else [cache[0].ids]
        if ids.shape[1] == 1:
            self.widths.append(len(rows))
        assert len(rows) == ids.shape[0]
        logits = np.zeros((*ids.shape, self.width), dtype=np.float32)
        for at, (row, new) in enumerate(zip(rows, ids.tolist(), strict=True)):
            row.extend(new)
            # Only the last position is ever looked at.
            logits[at, -1] = self.prefer(row)[: self.width]
        return mx.array(logits)
