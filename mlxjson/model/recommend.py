"""Which model to fetch, by the memory that there is."""

from __future__ import annotations

from dataclasses import dataclass

# 4 bits a weight, and a scale and a bias of 16 bits for each group of 64.
_BYTES_4_BIT = 4.5 / 8
_BYTES_FLOAT32 = 4.0
# For caches, the program, and what else is open.
_SHARE = 0.75
# On a CPU more weights than this in use take a second for every token or two.
_MOST_ON_CPU = 2e9


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model of the hub, as its card gives it: weights in all, and in use for one token."""

    reference: str
    weights: float
    active: float

    def memory(self, *, float32: bool) -> int:
        """Bytes that its weights take."""
        return int(self.weights * (_BYTES_FLOAT32 if float32 else _BYTES_4_BIT))


# From small to large; instruct models that do not reason first, under licences that allow any use.
CANDIDATES = (
    Candidate("mlx-community/Qwen2.5-0.5B-Instruct-4bit", 0.49e9, 0.49e9),
    Candidate("mlx-community/Qwen2.5-1.5B-Instruct-4bit", 1.54e9, 1.54e9),
    Candidate("mlx-community/Qwen3-4B-Instruct-2507-4bit", 4.02e9, 4.02e9),
    Candidate("mlx-community/Qwen2.5-7B-Instruct-4bit", 7.62e9, 7.62e9),
    Candidate("mlx-community/Qwen2.5-14B-Instruct-4bit", 14.8e9, 14.8e9),
    Candidate("mlx-community/Qwen3-30B-A3B-Instruct-2507-4bit", 30.5e9, 3.3e9),
)


def recommended(free: int | None, *, float32: bool) -> Candidate | None:
    """The largest candidate for `free` bytes of memory; None if not even the smallest fits.

    `float32`: the machine computes on its CPU, in float32, and there size costs time as well.
    """
    room = _SHARE * (free or 0)
    fits = [c for c in CANDIDATES if c.memory(float32=float32) <= room]
    if float32:
        fits = [c for c in fits if c.active <= _MOST_ON_CPU]
    return fits[-1] if fits else None
