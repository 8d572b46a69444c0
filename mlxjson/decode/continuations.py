"""Logits behind one prompt and many continuations of it; the prompt is run once."""

from collections.abc import Sequence

import mlx.core as mx

from mlxjson.decode.prefix import common_length
from mlxjson.decode.state import PREFILL_CHUNK, Network, Progress, trimmable


class Continuations:
    """What a network says behind a prompt and what may follow it.

    Args:
        network: the model.
        prompt: the prompt's ids, at least one.
        progress: called with (ids done, ids in all) while the prompt is run.

    Attributes:
        passes: how often the network was asked, the prompt not counted.
    """

    def __init__(
        self, network: Network, prompt: Sequence[int], progress: Progress | None = None
    ) -> None:
        self.passes = 0
        self._network = network
        self._prompt = list(prompt)
        self._behind: list[int] = []
        self._begin(progress)

    def logits(self, path: Sequence[int]) -> mx.array:
        """The logits (1, width) of what comes behind the prompt and `path`."""
        ids = [self._prompt[-1], *path]
        # The last id is run in any case: its logits are not kept.
        shared = min(common_length(ids, self._behind), len(ids) - 1)
        self._forget(len(self._behind) - shared)
        new = ids[len(self._behind) :]
        self._behind = ids
        self.passes += 1
        return self._network(mx.array([new], dtype=mx.int32), self._cache)[0, -1:]

    def _begin(self, progress: Progress | None) -> None:
        """Run all of the prompt but its last id."""
        self._cache = self._network.make_cache()
        self._behind = []
        fixed = self._prompt[:-1]
        for start in range(0, len(fixed), PREFILL_CHUNK):
            chunk = fixed[start : start + PREFILL_CHUNK]
            self._network(mx.array([chunk], dtype=mx.int32), self._cache)
            mx.eval([layer.state for layer in self._cache])
            if progress is not None:
                progress(start + len(chunk), len(fixed))

    def _forget(self, count: int) -> None:
        """Drop the last `count` ids behind the prompt."""
        if count and not trimmable(self._cache):
            self._begin(None)
        elif count:
            for layer in self._cache:
                layer.trim(count)
            del self._behind[len(self._behind) - count :]
