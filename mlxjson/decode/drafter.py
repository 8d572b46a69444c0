"""Guessing the next tokens with a second, smaller model.

Leviathan et al. 2023, "Fast Inference from Transformers via Speculative Decoding", with greedy
guesses: the loop confirms a guess by choosing the same id itself, which leaves the distribution of
the output as it is.
"""

from collections.abc import Sequence

import mlx.core as mx

from mlxjson.decode.prefix import common_length
from mlxjson.decode.state import PREFILL_CHUNK, Network


class ModelDrafter:
    """A `Lookup` that asks a model of the same vocabulary, whose cache can be trimmed."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._cache = network.make_cache()
        self._cached: list[int] = []
        self._ids: list[int] = []

    def extend(self, ids: Sequence[int]) -> None:
        """Append ids."""
        self._ids += ids

    def guess(self, behind: Sequence[int], limit: int) -> Sequence[int]:
        """The ids the model likes best behind the sequence and `behind`, `limit` of them."""
        guessed: list[int] = []
        while len(guessed) < limit:
            guessed.append(self._favourite([*self._ids, *behind, *guessed]))
        return guessed

    def _favourite(self, ids: list[int]) -> int:
        """The most likely id behind `ids`, of which the cache may hold a part."""
        shared = min(common_length(self._cached, ids), len(ids) - 1)
        for layer in self._cache:
            layer.trim(len(self._cached) - shared)
        for start in range(shared, len(ids), PREFILL_CHUNK):
            chunk = mx.array([ids[start : start + PREFILL_CHUNK]], dtype=mx.int32)
            logits = self._network(chunk, self._cache)[0, -1]
            mx.eval([layer.state for layer in self._cache])
        self._cached = ids
        return int(mx.argmax(logits))
