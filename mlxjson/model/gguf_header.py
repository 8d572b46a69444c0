"""The header of a GGUF file: metadata and where each tensor lies.

Format: the GGUF specification of ggml, versions 2 and 3, little-endian. Read here and not by
`mx.load`, which ends the process on a truncated file and refuses half of the tensor types.
"""

import mmap
import struct
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from mlxjson.errors import ModelError

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q"} | {
    12: "d"
}
_STRING, _ARRAY = 8, 9
_DEFAULT_ALIGNMENT = 32
# A header claims its own counts: beyond these it is damaged, whatever it says.
_MOST_ENTRIES, _MOST_DIMENSIONS, _DEEPEST_ARRAY = 1 << 20, 4, 4

# ggml type number: name, weights per block, bytes per block.
TYPES = {
    0: ("F32", 1, 4),
    1: ("F16", 1, 2),
    2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20),
    6: ("Q5_0", 32, 22),
    7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34),
    10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110),
    12: ("Q4_K", 256, 144),
    13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210),
    16: ("IQ2_XXS", 256, 66),
    17: ("IQ2_XS", 256, 74),
    18: ("IQ3_XXS", 256, 98),
    19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18),
    21: ("IQ3_S", 256, 110),
    22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136),
    29: ("IQ1_M", 256, 56),
    30: ("BF16", 1, 2),
    34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66),
    39: ("MXFP4", 32, 17),
}


@dataclass(frozen=True, slots=True)
class TensorEntry:
    """One tensor: its shape (rows first, as MLX and numpy write it), type name and bytes."""

    shape: tuple[int, ...]
    type: str
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF file says of itself.

    Attributes:
        metadata: values by key; strings in arrays are bytes, decoded where they are used.
        tensors: by name, in file order.
    """

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, TensorEntry]

    def text(self, key: str, default: str = "") -> str:
        """A metadata string."""
        value = self.metadata.get(key, default)
        return value if isinstance(value, str) else default

    @property
    def architecture(self) -> str:
        """`general.architecture`, such as llama or qwen3."""
        return self.text("general.architecture", "unknown")

    def of_architecture(self, key: str, default: Any = None) -> Any:
        """A value whose key starts with the architecture's name."""
        return self.metadata.get(f"{self.architecture}.{key}", default)


class _Damaged(Exception):
    """The header contradicts itself or the file's size."""


def read_header(path: Path) -> GgufHeader:
    """Read the header of `path` and check that every tensor lies within the file.

    Raises:
        ModelError: not GGUF, of a version or type that isn't known, or truncated.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise ModelError("not a GGUF file: it does not start with 'GGUF'", where=str(path))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as buffer:
                return _Reader(buffer).header(path)
    except (struct.error, UnicodeDecodeError, OverflowError, MemoryError, _Damaged) as error:
        raise ModelError(
            f"damaged or truncated GGUF file: {error}",
            where=str(path),
            hint="Fetch the file again.",
        ) from error
    except (OSError, ValueError) as error:
        raise ModelError(f"can't read the file: {error}", where=str(path)) from error


class _Reader:
    """A cursor over the mapped file."""

    def __init__(self, buffer: mmap.mmap) -> None:
        self.buffer = buffer
        self.position = 4

    def header(self, path: Path) -> GgufHeader:
        version = self.scalar("I")
        if version not in (2, 3):
            raise ModelError(f"GGUF version {version} is not supported", where=str(path))
        tensor_count, pair_count = self.scalar("Q"), self.scalar("Q")
        if max(tensor_count, pair_count) > _MOST_ENTRIES:
            raise _Damaged(f"{tensor_count} tensors and {pair_count} values claimed")
        metadata = {self.string().decode(): self.value() for _ in range(pair_count)}
        entries = [self.entry() for _ in range(tensor_count)]
        return GgufHeader(path, metadata, self.placed(entries, metadata))

    def scalar(self, code: str) -> Any:
        (value,) = struct.unpack_from(f"<{code}", self.buffer, self.position)
        self.position += struct.calcsize(f"<{code}")
        return value

    def string(self) -> bytes:
        length = self.scalar("Q")
        text = self.buffer[self.position : self.position + length]
        if len(text) != length:
            raise _Damaged("the file ends within a string")
        self.position += length
        return text

    def value(self) -> Any:
        kind = self.scalar("I")
        if kind == _STRING:
            return self.string().decode()
        return self.array() if kind == _ARRAY else self.scalar(_code(kind))

    def array(self, depth: int = 0) -> list[Any] | tuple[Any, ...]:
        kind, count = self.scalar("I"), self.scalar("Q")
        if count > len(self.buffer) - self.position:
            raise _Damaged(f"an array of {count} values is claimed")
        if kind == _STRING:
            return self.strings(count)
        if kind == _ARRAY:
            if depth > _DEEPEST_ARRAY:
                raise _Damaged("arrays nested too deeply")
            return [self.array(depth + 1) for _ in range(count)]
        code = f"<{count}{_code(kind)}"
        values = struct.unpack_from(code, self.buffer, self.position)
        self.position += struct.calcsize(code)
        return values

    def strings(self, count: int) -> list[bytes]:
        """An array of strings: the vocabulary has 10^5 of them, so this loop is kept bare."""
        buffer, position = self.buffer, self.position
        length_at: Callable[..., tuple[int]] = struct.Struct("<Q").unpack_from
        texts = []
        for _ in range(count):
            start = position + 8
            position = start + length_at(buffer, position)[0]
            texts.append(buffer[start:position])
        if position > len(buffer):
            raise _Damaged("the file ends within a string")
        self.position = position
        return texts

    def entry(self) -> tuple[str, tuple[int, ...], int, int]:
        name = self.string().decode()
        dimensions = self.scalar("I")
        if dimensions > _MOST_DIMENSIONS:
            raise _Damaged(f"tensor {name} has {dimensions} dimensions")
        shape = tuple(self.scalar("Q") for _ in range(dimensions))
        return name, shape[::-1], self.scalar("I"), self.scalar("Q")

    def placed(
        self, entries: list[tuple[str, tuple[int, ...], int, int]], metadata: dict[str, Any]
    ) -> dict[str, TensorEntry]:
        alignment = metadata.get("general.alignment", _DEFAULT_ALIGNMENT)
        if not isinstance(alignment, int) or alignment < 1:
            raise _Damaged(f"alignment {alignment!r}")
        base = -(-self.position // alignment) * alignment
        tensors = {name: _entry(name, shape, kind, base + at) for name, shape, kind, at in entries}
        for name, tensor in tensors.items():
            if tensor.start + tensor.size > len(self.buffer):
                missing = tensor.start + tensor.size - len(self.buffer)
                raise _Damaged(f"tensor {name} ends {missing} bytes past the end of the file")
        return tensors


def _code(kind: int) -> str:
    if kind not in _SCALARS:
        raise _Damaged(f"value of unknown kind {kind}")
    return _SCALARS[kind]


def _entry(name: str, shape: tuple[int, ...], kind: int, start: int) -> TensorEntry:
    if kind not in TYPES:
        raise ModelError(f"tensor {name} has the unsupported type number {kind}")
    type_name, block, size = TYPES[kind]
    row = shape[-1] if shape else 1
    if row % block:
        raise _Damaged(f"tensor {name} has rows of {row}, not a multiple of {block}")
    return TensorEntry(shape, type_name, start, prod(shape) // block * size)
