"""The network: token ids in, logits out. One class for every source of weights."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ModelError

from . import device, lm, memory, weights_cache
from .files import ModelFiles
from .lm import Model

if TYPE_CHECKING:
    from pathlib import Path

    import mlx.core as mx

    from .batch import Choose, Generator

# Does something to a model before it is used.
Prepare = Callable[[Model], None]

DEFAULT_CONTEXT = 4096
# What mlx-lm's classes raise for a config that lacks values or has wrong ones.
_MALFORMED = (TypeError, KeyError, ValueError, AttributeError, IndexError, ArithmeticError)


@dataclass(frozen=True, slots=True)
class Network:
    """A loaded model.

    Attributes:
        model: the instance of mlx-lm's model class.
        config: the model's config.json, or its equal made from GGUF metadata.
        width: how many logits each position gives.
        context_length: how many tokens the model was made for.
        trimmable: whether its cache can give tokens back.
        device: `cpu`, `metal` or `cuda`.
    """

    model: Model
    config: dict[str, Any]
    width: int
    context_length: int
    trimmable: bool
    device: str

    def __call__(self, ids: mx.array, cache: list[Any] | None = None) -> mx.array:
        """Logits (batch, positions, width) for `ids`, int32 (batch, positions); extends `cache`."""
        device.adapt()
        logits: mx.array = self.model(ids, cache=cache)
        return logits

    def make_cache(self) -> list[Any]:
        """An empty key-value cache for one sequence or batch."""
        return _make_cache(self.model)

    @property
    def can_batch(self) -> bool:
        """Whether mlx-lm can put the caches of several sequences into one."""
        return all(hasattr(layer, "merge") for layer in self.make_cache())

    @property
    def most_sequences(self) -> int:
        """How many sequences a batch may have at most, for the memory their caches take."""
        return memory.sequences_that_fit(self.config, self.device)

    def batched(self, choose: Choose, most: int) -> Generator:
        """At most `most` sequences that are extended together; see `Generator`."""
        from .batch import Generator

        # Prompts that are run together are padded to the longest. A CPU has to pay for the padding;
        # a GPU pays for every pass.
        if self.device == "cpu":
            return Generator(self.model, choose, most, prompts=2, chunk=256)
        return Generator(self.model, choose, most)


def load_network(
    files: ModelFiles, *, use_cache: bool = True, split: Prepare | None = None
) -> Network:
    """Load the model of `files` onto MLX's default device.

    On a CPU all weights become float32, and what took long to convert is kept in the cache folder
    when `use_cache` is true. Elsewhere weights stay as they are stored. `split` leaves this process
    its share of the model, before the weights are read where they are used as they are stored.

    Raises:
        ModelError: broken, of an unsupported kind, or too large for the memory.
    """
    with memory.errors_mapped(str(files.path)):
        model, config = _loaded(files, use_cache, split)
        return _network(model, config)


def _loaded(
    files: ModelFiles, use_cache: bool, split: Prepare | None
) -> tuple[Model, dict[str, Any]]:
    float32 = device.computes_in_float32()
    # Elsewhere only a GGUF file with an adapter is converted; see `gguf_load`.
    is_converted = float32 or (files.is_gguf and files.adapter is not None)
    kept = weights_cache.location(files, half=not float32) if is_converted and use_cache else None
    if kept is not None and weights_cache.is_whole(kept):
        return _from_kept(kept, split)
    if files.is_gguf:
        from .gguf_load import load_gguf

        return load_gguf(files, float32=float32, kept=kept, split=split)
    from .folder import load_folder

    return load_folder(files, float32=float32, kept=kept, split=split)


def _from_kept(path: Path, split: Prepare | None) -> tuple[Model, dict[str, Any]]:
    memory.check_fits(path.stat().st_size, str(path))
    import mlx.core as mx

    weights, metadata = read_arrays(path)
    if split is None:
        mx.async_eval(list(weights.values()))  # read on while the model's classes are imported
    config = json.loads(metadata["config"])
    return build(config, weights, split=split), config


def read_arrays(path: Path) -> tuple[dict[str, mx.array], dict[str, Any]]:
    """The arrays and the metadata of a safetensors or GGUF file that has been checked before.

    MLX reads the values when they are first used.
    """
    import mlx.core as mx

    arrays, metadata = mx.load(str(path), return_metadata=True)
    return arrays, metadata  # type: ignore[return-value]


def build(
    config: dict[str, Any],
    weights: dict[str, mx.array],
    quantise: Callable[[Model, dict[str, mx.array]], None] | None = None,
    *,
    sanitise: bool = False,
    split: Prepare | None = None,
) -> Model:
    """The model of `config` with `weights`, evaluated.

    `quantise` replaces layers by quantised ones before the weights go in; `sanitise` lets the
    model class rename what other frameworks call differently; `split` takes away what other
    processes hold, or changes the model otherwise, before anything is evaluated.

    Raises:
        ModelError: no such model class, or weights that don't fit it.
    """
    import mlx.core as mx

    model_class, args_class = lm.classes(config)
    _check_layers(config, len(weights))
    try:
        model = model_class(args_class.from_dict(config))
    except _MALFORMED as error:
        raise _malformed(error) from error
    if sanitise and hasattr(model, "sanitize"):
        weights = model.sanitize(weights)
    if quantise is not None:
        quantise(model, weights)
    _scale_rotations(model, config)
    model.eval()
    try:
        model.load_weights(list(weights.items()), strict=True)
    except ValueError as error:
        raise ModelError(f"the weights don't fit the config: {_first_line(error)}") from error
    if split is not None:
        split(model)
    mx.eval(model.parameters())
    return model


def _network(model: Model, config: dict[str, Any]) -> Network:
    import mlx.core as mx

    cache = _make_cache(model)
    try:
        # MLX is lazy: asking for the shape builds the graph and computes nothing.
        logits = model(mx.zeros((1, 1), mx.int32), cache=cache)
    except _MALFORMED as error:
        raise _malformed(error) from error
    return Network(
        model=model,
        config=config,
        width=logits.shape[-1],
        context_length=_context_length(config),
        trimmable=lm.module("cache").can_trim_prompt_cache(cache),
        device=device.name(),
    )


def _make_cache(model: Model) -> list[Any]:
    cache: list[Any] = lm.module("cache").make_prompt_cache(model)
    return cache


def _context_length(config: dict[str, Any]) -> int:
    for part in (config, config.get("text_config") or {}):
        for key in ("max_position_embeddings", "max_seq_len", "n_positions", "model_max_length"):
            if isinstance(part.get(key), int):
                return int(part[key])
    return DEFAULT_CONTEXT


def _check_layers(config: dict[str, Any], tensors: int) -> None:
    """A damaged config that asks for a billion layers would take all memory before it fails."""
    for part in (config, config.get("text_config") or {}):
        for key in ("num_hidden_layers", "n_layers", "num_layers", "n_layer"):
            layers = part.get(key)
            if isinstance(layers, int) and layers > tensors:
                raise ModelError(
                    f"the weights don't fit the config: {layers} layers, {tensors} tensors"
                )


def _scale_rotations(model: Model, config: dict[str, Any]) -> None:
    """Give every layer the rotation whose frequencies the GGUF file divides one by one."""
    if config.get("rope_factors"):
        from .rotation import scaled_rotation

        for layer in model.layers:
            layer.self_attn.rope = scaled_rotation(config)


def _malformed(error: Exception) -> ModelError:
    return ModelError(f"the model's config is incomplete or malformed: {_first_line(error)}")


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:200]
