"""What models there are: the starter, those in the hub's cache, and one to fetch."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ModelError

if TYPE_CHECKING:
    from mlxjson.model.cached import CachedModel


@dataclass(frozen=True, slots=True)
class Inventory:
    """The models of this machine.

    Attributes:
        models: the starter first, if it is installed; then the hub's cache.
        starter: what the starter is.
        device: `cpu`, `metal` or `cuda`.
        free: bytes of memory that a model may take; None if not known.
        recommended: a model of the hub for that memory; None if none fits.
        recommended_memory: bytes that it takes there.
    """

    models: "list[CachedModel]"
    starter: str
    device: str
    free: int | None
    recommended: str | None
    recommended_memory: int = 0

    def as_dict(self) -> dict[str, Any]:
        """The same, ready for JSON."""
        return asdict(self)


def inventory(environ: Mapping[str, str] = os.environ) -> Inventory:
    """Look through the machine; nothing is loaded and the network is not used."""
    from mlxjson.model import device, memory
    from mlxjson.model.cached import cached_models, starter_model
    from mlxjson.model.recommend import recommended

    device.prepare()
    name = device.name()
    free, float32 = memory.free(name), device.computes_in_float32()
    candidate = recommended(free, float32=float32)
    try:
        starter, what = starter_model(float32=float32, environ=environ)
        models = [starter]
    except ModelError as error:
        models, what = [], f"{error.message}. {error.hint}"
    models += cached_models(free, float32=float32, environ=environ)
    return Inventory(
        models=models,
        starter=what,
        device=name,
        free=free,
        recommended=candidate.reference if candidate else None,
        recommended_memory=candidate.memory(float32=float32) if candidate else 0,
    )


def as_text(found: Inventory) -> str:
    """A table, what the starter is, and the advice."""
    titles = ("model", "architecture", "weights", "on disk", "in memory", "state")
    rows = [titles, *map(_row, found.models)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(titles))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in rows]
    return "\n".join([*lines, "", f"starter: {found.starter}", *_advice(found)])


def _row(model: "CachedModel") -> tuple[str, ...]:
    return (
        model.reference,
        model.architecture,
        model.quantisation,
        _gigabytes(model.size),
        _gigabytes(model.memory),
        model.state,
    )


def _advice(found: Inventory) -> list[str]:
    room = "" if found.free is None else f" of {_gigabytes(found.free)} free"
    if found.recommended is None:
        return [f"No larger model is recommended: there is too little memory{room}."]
    return [
        f"recommended here ({found.device}): {found.recommended}, "
        f"{_gigabytes(found.recommended_memory)}{room} memory",
        f"    mlxjson pull {found.recommended}",
    ]


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.2f} GB"
