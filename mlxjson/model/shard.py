"""A model that is spread over the processes of one job, and is led by the first.

mlx-lm splits the weights: every layer among all (`shard`, tensor parallelism), or the layers among
them (`pipeline`). All processes then have to run the same passes in the same order. The first one
alone decides what is run: it holds the constraint, samples, and tells the others each pass as a
few integers (all_sum of its own and zeros). So the constraint is evaluated once, and no two
processes can disagree about an id.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ModelError

from .ranks import Ranks

if TYPE_CHECKING:
    import mlx.core as mx

    from .network import Network


class _Order(IntEnum):
    """What the first process tells the others to do; two numbers go with each."""

    END = 0
    RUN = 1  # cache, how many ids
    TRIM = 2  # cache, how many ids
    NEW = 3  # cache
    DROP = 4  # cache


def sharding(ranks: Ranks) -> Callable[[Any], None]:
    """What splits a model whose weights are not yet read.

    Raises (the function): ModelError when the model can't be split so.
    """

    def split(model: Any) -> None:
        try:
            if hasattr(model, "shard"):
                _check_heads(model, ranks.size)
                model.shard(ranks.group)
            elif hasattr(getattr(model, "model", None), "pipeline"):
                model.model.pipeline(ranks.group)
            else:
                raise ModelError("mlx-lm can't spread this kind of model over several machines")
        except ValueError as error:
            raise ModelError(f"can't be spread over {ranks.size} processes: {error}") from error

    return split


def _check_heads(model: Any, size: int) -> None:
    """mlx-lm divides without looking: what is left over would be lost."""
    arguments = model.args
    for name in ("num_attention_heads", "num_key_value_heads", "intermediate_size"):
        value = getattr(arguments, name, None)
        if isinstance(value, int) and value % size:
            raise ModelError(f"can't be spread over {size} processes: {name} is {value}")


@dataclass(slots=True)
class _Wire:
    """Numbers from the first process to all."""

    ranks: Ranks

    def send(self, numbers: list[int]) -> list[int]:
        """On the first, send; on the others (who give zeros) receive."""
        import mlx.core as mx

        sent = mx.array(numbers, dtype=mx.int32)
        received = mx.distributed.all_sum(sent, group=self.ranks.group, stream=mx.cpu)
        found: list[int] = received.tolist()  # type: ignore[assignment]
        return found


class _LedCache:
    """All layers' caches, as one layer of which the loop trims and evaluates."""

    def __init__(self, layers: list[Any], number: int, leader: Leader) -> None:
        self.layers = layers
        self.number = number
        self._leader = leader

    @property
    def state(self) -> list[Any]:
        """What was computed: passes are evaluated when they are run."""
        return []

    def is_trimmable(self) -> bool:
        """Whether ids can be taken back."""
        return all(layer.is_trimmable() for layer in self.layers)

    def trim(self, count: int) -> int:
        """Take back the last `count` ids, everywhere."""
        self._leader.order(_Order.TRIM, self.number, count)
        for layer in self.layers:
            layer.trim(count)
        return count


@dataclass(slots=True, weakref_slot=True)
class Leader:
    """The network of the first process; the others follow."""

    network: Network
    ranks: Ranks
    can_batch: bool = False
    _made: int = 0
    _dropped: list[int] = field(default_factory=list)

    @property
    def width(self) -> int:
        """How many logits each position gives."""
        return self.network.width

    @property
    def config(self) -> dict[str, Any]:
        """The model's config."""
        return self.network.config

    @property
    def context_length(self) -> int:
        """How many tokens the model was made for."""
        return self.network.context_length

    @property
    def device(self) -> str:
        """Where MLX computes."""
        return self.network.device

    def make_cache(self) -> list[Any]:
        """An empty cache for one sequence, in all processes."""
        while self._dropped:
            self.order(_Order.DROP, self._dropped.pop())
        self._made += 1
        self.order(_Order.NEW, self._made)
        cache = _LedCache(self.network.make_cache(), self._made, self)
        weakref.finalize(cache, self._dropped.append, self._made)
        return [cache]

    def __call__(self, ids: mx.array, cache: list[_LedCache]) -> mx.array:
        """Logits (1, n, width) for ids (1, n), computed by all processes."""
        numbers: list[int] = ids[0].tolist()  # type: ignore[assignment]
        self.order(_Order.RUN, cache[0].number, len(numbers))
        _Wire(self.ranks).send(numbers)
        return _evaluated(self.network, ids, cache[0].layers)

    def order(self, order: _Order, cache: int = 0, count: int = 0) -> None:
        """Tell the others what to do."""
        _Wire(self.ranks).send([int(order), cache, count])

    def close(self) -> None:
        """Let the others go."""
        self.order(_Order.END)


def follow(network: Network, ranks: Ranks) -> None:
    """Do what the first process does, until it says that it is over."""
    import mlx.core as mx

    wire = _Wire(ranks)
    caches: dict[int, list[Any]] = {}
    while True:
        order, number, count = wire.send([0, 0, 0])
        match _Order(order):
            case _Order.END:
                return
            case _Order.NEW:
                caches[number] = network.make_cache()
            case _Order.DROP:
                del caches[number]
            case _Order.TRIM:
                for layer in caches[number]:
                    layer.trim(count)
            case _Order.RUN:
                ids = mx.array([wire.send([0] * count)], dtype=mx.int32)
                _evaluated(network, ids, caches[number])


def _evaluated(network: Network, ids: mx.array, layers: list[Any]) -> mx.array:
    """Run a pass to its end: all must compute the same parts of it, or they wait for ever."""
    import mlx.core as mx

    logits = network(ids, layers)
    mx.eval(logits, [layer.state for layer in layers])
    return logits
