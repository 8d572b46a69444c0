"""Weight files told apart by samples of them: reading all of a file takes too long at every start.

Two trainings of one shape differ in every layer, so samples tell them apart.
"""

from collections.abc import Iterator
from pathlib import Path

_SAMPLES = 16
_SAMPLE_BYTES = 65536


def samples(path: Path) -> Iterator[bytes]:
    """The size of a file, as text, and sixteen pieces of it. Raises: OSError."""
    size = path.stat().st_size
    yield str(size).encode()
    with path.open("rb") as file:
        for sample in range(_SAMPLES):
            file.seek(size * sample // _SAMPLES)
            yield file.read(_SAMPLE_BYTES)
