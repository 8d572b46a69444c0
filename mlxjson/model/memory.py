"""Will it fit, and what to say when it did not."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlxjson.errors import ModelError

_MOST_SEQUENCES = 64
# A prompt and an answer.
_ORDINARY_TOKENS = 2048
_HINT = "Use a smaller or more strongly quantised model, or free memory."


def check_fits(needed: int, where: str) -> None:
    """Refuse a model of `needed` bytes that the machine's free memory can't hold.

    Raises:
        ModelError: it can't fit. Linux would end the process instead of refusing the memory.
    """
    free = _available()
    if free is not None and needed > free:
        raise ModelError(
            f"out of memory: the weights take {_gib(needed)} and {_gib(free)} are free",
            where=where,
            hint=_HINT,
        )


def sequences_that_fit(config: dict[str, Any], device: str) -> int:
    """How many caches of ordinary length fit into half of the free memory: 1 to 64.

    The estimate takes full attention in every layer, keys and values in the type that the device
    computes in; models that need less memory are underrated.
    """
    text = config.get("text_config") or config
    heads = text.get("num_key_value_heads") or text.get("num_attention_heads") or 8
    hidden, all_heads = text.get("hidden_size") or 2048, text.get("num_attention_heads") or heads
    width = heads * (text.get("head_dim") or hidden // all_heads)
    layers = text.get("num_hidden_layers") or 32
    needed = 2 * layers * width * (4 if device == "cpu" else 2) * _ORDINARY_TOKENS
    found = free(device)
    return max(1, min(_MOST_SEQUENCES, (found or needed * _MOST_SEQUENCES) // 2 // needed))


def free(device: str) -> int | None:
    """Bytes of memory that a model may take on `device`; None where the system does not say."""
    return _available() if device == "cpu" else _free_on_device()


def _free_on_device() -> int | None:
    import mlx.core as mx

    info = mx.device_info()
    size = info.get("max_recommended_working_set_size") or info.get("memory_size")
    return int(size) - mx.get_active_memory() if size else None


@contextmanager
def errors_mapped(where: str) -> Iterator[None]:
    """Turn what MLX and the system raise while a model loads into ModelError."""
    try:
        yield
    except ModelError as error:
        error.where = error.where or where
        raise
    except MemoryError as error:
        raise ModelError("out of memory", where=where, hint=_HINT) from error
    except OSError as error:
        raise ModelError(f"can't read the model: {error.strerror}", where=where) from error
    except RuntimeError as error:
        text = str(error).strip().split("\n", 1)[0]
        if "allocate" in text or "out of memory" in text.lower():
            raise ModelError("out of memory", where=where, hint=_HINT) from error
        raise ModelError(f"can't load the model: {text}", where=where) from error


def _available() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        kilobytes = next(line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, IndexError):
        return _physical()
    return min(int(kilobytes) * 1024, _limit())


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def _limit() -> int:
    """The process's own address-space limit, as `ulimit -v` sets it."""
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return soft if soft != resource.RLIM_INFINITY else 1 << 62


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.1f} GiB"
