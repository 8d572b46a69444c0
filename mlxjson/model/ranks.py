"""The processes of one job under MLX's launcher, and what they tell each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlxjson.errors import UsageError

from . import device

# What mlx.launch, and mpirun, put into the environment of each process.
_LAUNCHED = ("MLX_RANK", "OMPI_COMM_WORLD_RANK")


@dataclass(frozen=True, slots=True)
class Ranks:
    """This process's place among `size` of them; `group` is None where it is alone."""

    rank: int = 0
    size: int = 1
    group: Any = None

    @property
    def is_first(self) -> bool:
        """Whether this is the process that speaks for all."""
        return self.rank == 0

    def sums(self, numbers: Sequence[int]) -> list[int]:
        """Each number added up over all processes; waits for all of them."""
        if self.group is None:
            return list(numbers)
        import mlx.core as mx

        # Sums of int32 in two halves: counts of tokens may be larger than that.
        halves = [part for n in numbers for part in (n >> 20, n & 0xFFFFF)]
        added = mx.distributed.all_sum(
            mx.array(halves, dtype=mx.int32), group=self.group, stream=mx.cpu
        )
        found: list[int] = added.tolist()  # type: ignore[assignment]
        return [(high << 20) + low for high, low in zip(found[::2], found[1::2], strict=True)]

    def wait(self) -> None:
        """Wait for all processes to come here."""
        self.sums([0])


def ranks_of(environ: Mapping[str, str]) -> Ranks:
    """The processes that were launched together with this one.

    Raises: UsageError when they can't be reached.
    """
    if not is_launched(environ):
        return Ranks()
    device.prepare()
    import mlx.core as mx

    try:
        group = mx.distributed.init(strict=True)
    except (RuntimeError, ValueError) as error:
        raise UsageError(f"the other processes can't be reached: {error}") from error
    if group.size() == 1:
        return Ranks()
    return Ranks(group.rank(), group.size(), group)


def is_launched(environ: Mapping[str, str]) -> bool:
    """Whether a launcher started this process, perhaps with others."""
    return any(name in environ for name in _LAUNCHED)
