"""LoRA adapters: small changes to a model's weights, W + scale B A (Hu et al. 2021).

Three forms are read, told apart by the file that holds the weights:

    adapters.safetensors        mlx-lm: `NAME.lora_a` (in, rank), `NAME.lora_b` (rank, out), the
                                scale in adapter_config.json under `lora_parameters`
    adapter_model.safetensors   PEFT: `base_model.model.NAME.lora_A.weight` (rank, in),
                                `...lora_B.weight` (out, rank), scale lora_alpha / r
    adapter.safetensors         ours: `NAME.lora_a` (rank, in), `NAME.lora_b` (out, rank), the scale
                                in B, rows in the order of the GGUF file it was trained on
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ModelError

from .json_file import read_json
from .safetensors_header import check_size
from .samples import samples

if TYPE_CHECKING:
    import mlx.core as mx

STARTER_ADAPTER = Path(__file__).parent / "starter_adapter"


class Form(Enum):
    """Who wrote an adapter; the value is the name of the file with its weights."""

    MLX_LM = "adapters.safetensors"
    PEFT = "adapter_model.safetensors"
    OWN = "adapter.safetensors"


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter that is there, though not yet read.

    Attributes:
        path: the file with the weights.
        form: how they are to be read.
        name: what statistics call it.
        config: adapter_config.json, {} in our own form.
    """

    path: Path
    form: Form
    name: str
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """From a SHA-256 over samples of the weights and the config: what the changes are.

        Raises: ModelError when the file can't be read.
        """
        digest = hashlib.sha256()
        try:
            for sample in samples(self.path):
                digest.update(sample)
        except OSError as error:
            raise ModelError(error.strerror or str(error), where=str(self.path)) from error
        digest.update(repr(sorted(self.config.items())).encode())
        return digest.hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Change:
    """What is added to a weight: `b` (.., rows, rank) times `a` (.., rank, columns), float32."""

    b: mx.array
    a: mx.array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the weight that it belongs to."""
        return (*self.b.shape[:-1], self.a.shape[-1])


def open_adapter(folder: Path) -> Adapter:
    """The adapter in `folder`.

    Raises:
        ModelError: none is there, it is damaged, or of a kind that is not supported.
    """
    form = next((form for form in Form if (folder / form.value).is_file()), None)
    if form is None:
        raise ModelError(
            "not an adapter folder",
            where=str(folder),
            hint=f"Give a folder with {Form.MLX_LM.value} (mlx-lm) or {Form.PEFT.value} (PEFT).",
        )
    path = folder / form.value
    check_size(path)
    config = {} if form is Form.OWN else read_json(folder / "adapter_config.json")
    if form is not Form.OWN:
        _check_supported(config, form, folder / "adapter_config.json")
    return Adapter(path, form, str(folder), config)


def starter_adapter(folder: Path = STARTER_ADAPTER) -> Adapter | None:
    """The adapter that comes with the package for the starter model; None if it has none.

    `version` in the folder is its version, a line of text.

    Raises: ModelError when it is damaged.
    """
    if not (folder / Form.OWN.value).is_file():
        return None
    found = open_adapter(folder)
    version = folder / "version"
    name = version.read_text("utf-8").strip() if version.is_file() else found.digest[:8]
    return Adapter(found.path, found.form, f"starter-{name}")


def changes(adapter: Adapter) -> dict[str, Change]:
    """What the adapter adds to each layer's weight, by the layer's name.

    Raises:
        ModelError: a tensor without its partner, of a wrong shape, or of an unknown kind.
    """
    pairs = _pairs(adapter)
    if not pairs:
        raise ModelError("the adapter changes nothing", where=str(adapter.path))
    try:
        return {name: _change(name, pair, adapter) for name, pair in pairs.items()}
    except (KeyError, ValueError, IndexError) as error:
        raise ModelError(f"a damaged adapter: {error}", where=str(adapter.path)) from error


_PARTS = {
    Form.MLX_LM: re.compile(r"(?P<name>.+)\.lora_(?P<part>[ab])"),
    Form.OWN: re.compile(r"(?P<name>.+)\.lora_(?P<part>[ab])"),
    Form.PEFT: re.compile(
        r"(?:base_model\.model\.)?(?P<name>.+)\.lora_(?P<table>embedding_)?(?P<part>[AB])"
        r"(?:\.default)?(?:\.weight)?"
    ),
}
# mlx-lm's adapters of embeddings have A and B the other way round than those of linear layers.
_TABLE = re.compile(r"(.*\.)?(embed_tokens|tok_embeddings|word_embeddings|embeddings|wte)")


def _pairs(adapter: Adapter) -> dict[str, dict[str, mx.array]]:
    from .network import read_arrays

    pairs: dict[str, dict[str, mx.array]] = {}
    for key, values in read_arrays(adapter.path)[0].items():
        match = _PARTS[adapter.form].fullmatch(key)
        if match is None:
            raise ModelError(
                f"the adapter has a part that is not supported: {key}",
                where=str(adapter.path),
                hint="Only LoRA matrices can be added to a model's weights.",
            )
        pairs.setdefault(match["name"], {})[match["part"].lower()] = values
    return pairs


def _change(name: str, pair: dict[str, mx.array], adapter: Adapter) -> Change:
    import mlx.core as mx

    missing = {"a", "b"} - pair.keys()
    if missing:
        raise ValueError(f"{name} lacks its {missing.pop().upper()}")
    a, b = (pair[part].astype(mx.float32) for part in "ab")
    if adapter.form is Form.MLX_LM:
        scale = float(adapter.config["lora_parameters"]["scale"])
        if b.ndim == 3:  # experts: b (experts, out, rank), a (experts * rank, in)
            a = a.reshape(b.shape[0], -1, a.shape[-1])
        else:
            a, b = a.T, b.T
    else:
        scale = _peft_scale(name, a.shape[0], adapter.config) if adapter.config else 1.0
    if a.ndim != b.ndim or a.shape[-2] != b.shape[-1]:
        raise ValueError(f"A and B of {name} don't fit each other")
    if adapter.form is not Form.OWN and _TABLE.fullmatch(name):
        a, b = b.T, a.T
    return Change(b * scale, a)


def _peft_scale(name: str, rank: int, config: dict[str, Any]) -> float:
    """alpha / rank, or alpha / sqrt(rank) if rank-stabilised; alpha may differ by layer."""
    own = config.get("alpha_pattern") or {}
    found = (alpha for key, alpha in own.items() if name == key or name.endswith(f".{key}"))
    alpha = float(next(found, config["lora_alpha"]))
    return alpha / (rank**0.5 if config.get("use_rslora") else rank)


def _check_supported(config: dict[str, Any], form: Form, path: Path) -> None:
    if not config:
        raise ModelError("the adapter has no adapter_config.json", where=str(path.parent))
    if form is Form.MLX_LM:
        kind = str(config.get("fine_tune_type", "lora")).lower()
        complete = isinstance((config.get("lora_parameters") or {}).get("scale"), int | float)
    else:
        kind = "dora" if config.get("use_dora") else str(config.get("peft_type", "lora")).lower()
        kind = "lora for transposed layers" if config.get("fan_in_fan_out") else kind
        complete = isinstance(config.get("lora_alpha"), int | float)
    if kind != "lora":
        raise ModelError(
            f"adapters of the kind '{kind}' are not supported",
            where=str(path),
            hint="Only LoRA is; fuse other kinds into the model with the tool that made them.",
        )
    if not complete:
        raise ModelError("the adapter's config does not tell its scale", where=str(path))
