"""A bias on the logits of single ids, as `logit_bias` of a request asks for."""

from collections.abc import Mapping
from typing import Any

import mlx.core as mx
import numpy as np

from mlxjson.decode.state import Network
from mlxjson.errors import UsageError


def biased(network: Network, bias: Mapping[int, float]) -> Network:
    """The same network with `bias` added to its logits.

    A mask is applied afterwards: what a constraint forbids stays forbidden, and what it forces is
    written whatever the bias.

    Raises: UsageError for an id that the network does not have.
    """
    if not bias:
        return network
    row = np.zeros(network.width, dtype=np.float32)
    for token_id, value in bias.items():
        if token_id >= network.width:
            raise UsageError(f"there is no token {token_id}; the model has {network.width}")
        row[token_id] = value
    return _Biased(network, mx.array(row))


class _Biased:
    def __init__(self, network: Network, row: mx.array) -> None:
        self._network = network
        self._row = row

    @property
    def width(self) -> int:
        return self._network.width

    def __call__(self, ids: mx.array, cache: list[Any]) -> mx.array:
        logits = self._network(ids, cache)
        return logits + self._row.astype(logits.dtype)

    def make_cache(self) -> list[Any]:
        return self._network.make_cache()
