"""GGUF tensors as float32 numpy arrays.

The types that most files have are written out here, ten times as fast as the general reader of
the `gguf` package, which serves all others. Block layouts: ggml-common.h of ggml.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from mlxjson.errors import ModelError

from .gguf_header import TYPES, TensorEntry

Floats = npt.NDArray[np.float32]
Block = npt.NDArray[Any]

_Q4_0 = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
_Q4_1 = np.dtype([("scale", "<f2"), ("least", "<f2"), ("nibbles", "u1", 16)])
_Q8_0 = np.dtype([("scale", "<f2"), ("values", "i1", 32)])


def dequantise(raw: npt.NDArray[np.uint8], tensor: TensorEntry) -> Floats:
    """The tensor as float32 of `tensor.shape`, from its bytes `raw` (uint8, flat).

    Raises:
        ModelError: a type that needs the `gguf` package, which is not installed.
    """
    reader = _READERS.get(tensor.type)
    with np.errstate(all="ignore"):  # a damaged scale may be infinite: no warning on stderr
        values = reader(raw) if reader else _through_package(raw, tensor)
    return values.reshape(tensor.shape)


def _f32(raw: Block) -> Floats:
    return raw.view("<f4")


def _f16(raw: Block) -> Floats:
    return raw.view("<f2").astype(np.float32)


def _bf16(raw: Block) -> Floats:
    return (raw.view("<u2").astype(np.uint32) << 16).view(np.float32)


def _nibbles(packed: Block) -> Floats:
    """(blocks, 16) bytes -> (blocks, 32): the low halves of all bytes, then the high ones."""
    values = np.empty((len(packed), 2, 16), np.float32)
    values[:, 0] = packed & 15
    values[:, 1] = packed >> 4
    return values.reshape(len(packed), 32)


def _q4_0(raw: Block) -> Floats:
    blocks = raw.view(_Q4_0)
    values = _nibbles(blocks["nibbles"])
    values -= 8
    values *= blocks["scale"].astype(np.float32)[:, None]
    return values


def _q4_1(raw: Block) -> Floats:
    blocks = raw.view(_Q4_1)
    values = _nibbles(blocks["nibbles"])
    values *= blocks["scale"].astype(np.float32)[:, None]
    values += blocks["least"].astype(np.float32)[:, None]
    return values


def _q8_0(raw: Block) -> Floats:
    blocks = raw.view(_Q8_0)
    return blocks["values"].astype(np.float32) * blocks["scale"].astype(np.float32)[:, None]


_READERS = {"F32": _f32, "F16": _f16, "BF16": _bf16, "Q4_0": _q4_0, "Q4_1": _q4_1, "Q8_0": _q8_0}


def _through_package(raw: Block, tensor: TensorEntry) -> Floats:
    try:
        from gguf import GGMLQuantizationType
        from gguf.quants import dequantize
    except ModuleNotFoundError as error:
        raise ModelError(
            f"reading {tensor.type} tensors needs the package {error.name}, which is not installed",
            hint="Run: pip install gguf",
        ) from error
    _, block, size = next(entry for entry in TYPES.values() if entry[0] == tensor.type)
    rows = raw.reshape(-1, tensor.shape[-1] // block * size)
    try:
        values: Floats = dequantize(rows, GGMLQuantizationType[tensor.type])
    except (KeyError, NotImplementedError) as error:
        raise ModelError(f"tensors of the type {tensor.type} are not supported") from error
    return values
