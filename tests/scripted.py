"""A network without weights, and a byte vocabulary: for tests of the loop itself."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import mlx.core as mx
import numpy as np

from mlxjson.vocabulary import Vocabulary

BYTES = 256
STOP = 256
PIECES = (b'": "', b'", "', b"null", b"true", b"the ", b"ab", b"abc", b"12", b"  ", b'"}')
TOKENS = (*(bytes([i]) for i in range(BYTES)), b"", *PIECES)
WIDTH = len(TOKENS) + 21  # padded, as real models are


def vocabulary() -> Vocabulary:
    """All bytes, one stop id, and some longer pieces."""
    return Vocabulary(TOKENS, len(TOKENS), frozenset({STOP}), "scripted")


def encode(text: str) -> list[int]:
    """Bytes, one id each."""
    return list(text.encode())


@dataclass(slots=True)
class ScriptedCache:
    """Remembers the ids it was given."""

    ids: list[int] = field(default_factory=list)
    trims: bool = True

    @property
    def state(self) -> list[mx.array]:
        return []

    def is_trimmable(self) -> bool:
        return self.trims

    def trim(self, count: int) -> int:
        assert 0 <= count <= len(self.ids)
        del self.ids[len(self.ids) - count :]
        return count


Prefer = Callable[[Sequence[int]], np.ndarray]


def random_logits(ids: Sequence[int]) -> np.ndarray:
    """Logits that depend on every id before them and on nothing else."""
    digest = hashlib.blake2b(np.array(ids, dtype=np.int32).tobytes(), digest_size=8).digest()
    logits = np.random.default_rng(int.from_bytes(digest)).normal(size=WIDTH)
    logits[STOP] += 1.0
    return logits.astype(np.float32)


@dataclass(slots=True)
class ScriptedNetwork:
    """Logits by a function of the ids so far; counts its passes."""

    prefer: Prefer = random_logits
    trims: bool = True
    passes: int = 0
    width: int = WIDTH
    context_length: int = 4096

    def make_cache(self) -> list[ScriptedCache]:
        return [ScriptedCache(trims=self.trims)]

    def __call__(self, ids: mx.array, cache: list[ScriptedCache]) -> mx.array:
        self.passes += 1
        rows = []
        for token_id in ids[0].tolist():
            cache[0].ids.append(token_id)
            rows.append(self.prefer(cache[0].ids))
        return mx.array(np.stack(rows))[None]


def always(*text: bytes | int) -> Prefer:
    """Logits that like the given tokens best, the first most."""
    ids = [TOKENS.index(t) if isinstance(t, bytes) else t for t in text]
    logits = np.zeros(WIDTH, dtype=np.float32)
    for rank, token_id in enumerate(ids):
        logits[token_id] = 10.0 - rank
    return lambda _ids: logits
