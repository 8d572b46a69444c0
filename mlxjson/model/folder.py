"""A folder with config.json and *.safetensors -> a model, as mlx-lm loads it."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ModelError

from . import memory, weights_cache
from .adapter import Adapter
from .files import ModelFiles
from .json_file import read_json
from .lm import Model
from .network import Prepare, build, read_arrays
from .quantised import Quantisation, dequantise, quantisation_of
from .safetensors_header import check_size, read_header

if TYPE_CHECKING:
    import mlx.core as mx


def load_folder(
    files: ModelFiles, *, float32: bool, kept: Path | None = None, split: Prepare | None = None
) -> tuple[Model, dict[str, Any]]:
    """The model and its config.

    With `float32` all weights are converted; those of a quantised model are written to `kept` for
    the next start, because dequantising takes seconds.

    Raises:
        ModelError: config or weights are missing, damaged, truncated or of an unknown kind; or
            the adapter is.
    """
    path = files.path
    config = read_json(path / "config.json")
    if not config:
        raise ModelError("no config.json, or an empty one", where=str(path))
    shards = _weight_files(path)
    for file in shards:
        check_size(file)
    quantisation = quantisation_of(config, path)
    if float32:
        memory.check_fits(_float32_bytes(shards, quantisation), str(path))
    weights: dict[str, mx.array] = {}
    for file in shards:
        weights.update(read_arrays(file)[0])
    quantise = quantisation.apply if quantisation else None
    # Quantised layers can't be turned into float32 once split, nor take an adapter up before.
    adapt = _adapting(files.adapter, spread=split is not None)
    early = None if float32 else _in_turn(adapt, split)
    model = build(config, weights, quantise, sanitise=True, split=early)
    if float32:
        _to_float32(model, config, kept if quantisation else None, adapt)
        if split is not None:
            split(model)
    return model, config


def _adapting(adapter: Adapter | None, *, spread: bool) -> Prepare | None:
    if adapter is None:
        return None
    from .adapted import merge

    return lambda model: merge(model, adapter, spread=spread)


def _in_turn(*steps: Prepare | None) -> Prepare:
    def prepare(model: Model) -> None:
        for step in steps:
            if step is not None:
                step(model)

    return prepare


def _weight_files(path: Path) -> list[Path]:
    """The files of the index where there is one: other safetensors may lie beside them."""
    index = read_json(path / "model.safetensors.index.json")
    if shards := index.get("weight_map"):
        files = [path / name for name in sorted(set(shards.values()))]
    else:
        files = sorted(path.glob("model*.safetensors")) or sorted(path.glob("*.safetensors"))
    missing = [file.name for file in files if not file.is_file()]
    if missing or not files:
        what = f"weights are missing: {', '.join(missing)}" if missing else "no *.safetensors"
        raise ModelError(what, where=str(path), hint="Fetch the model again.")
    return files


def _float32_bytes(files: list[Path], quantisation: Quantisation | None) -> int:
    """How large the weights are as float32: packed ones hold 32 / bits weights a word."""
    bits = quantisation.bits if quantisation else 32
    total = 0
    for file in files:
        for name, entry in read_header(file)[0].items():
            if name != "__metadata__":
                packed = entry["dtype"] == "U32"
                total += 4 * prod(entry["shape"]) * (32 // bits if packed else 1)
    return total


def _to_float32(
    model: Model, config: dict[str, Any], kept: Path | None, adapt: Prepare | None
) -> None:
    import mlx.core as mx
    from mlx.utils import tree_flatten

    whole = dequantise(model)
    model.set_dtype(mx.float32)
    if adapt is not None:
        adapt(model)
    mx.eval(model.parameters())
    if kept is None or not whole:
        return
    weights = dict(tree_flatten(model.parameters()))
    if weights_cache.has_room(kept, sum(array.nbytes for array in weights.values())):
        import numpy as np

        shapes = {name: array.shape for name, array in weights.items()}
        weights_cache.write(kept, shapes, map(np.asarray, weights.values()), config)
