"""mlx-lm's model classes and caches, without mlx-lm's command-line half.

The `__init__` of mlx_lm imports its generator and with it transformers, half a second and a
hundred megabytes that the model classes don't need. So the package object is made here and its
`__init__` runs only if somebody asks it for a name that lives there.
"""

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from mlxjson.errors import ModelError

from . import device

# MLX's module classes carry no types.
Model = Any

_MODULE_NAME = re.compile(r"[A-Za-z]\w*")

# The same tables as mlx_lm.utils, which can't be imported without transformers; a test compares.
_BY_TYPE = {
    "mistral": "llama",
    "llava": "mistral3",
    "phi-msft": "phixtral",
    "falcon_mamba": "mamba",
    "joyai_llm_flash": "deepseek_v3",
    "kimi_k2": "deepseek_v3",
    "qwen2_5_vl": "qwen2_vl",
    "minimax_m2": "minimax",
    "iquestcoder": "llama",
    "xverse": "llama",
    "gemma4_unified": "gemma4",
    "deepseek_v41_text": "deepseek_v41",
}
_BY_ARCHITECTURE = {("bailing_hybrid", "BailingMoeV3ForCausalLM"): "bailing_moe_v3"}


class _DeferredPackage(ModuleType):
    """A package whose submodules import at once and whose `__init__` runs on first use."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__") or self.__dict__.get("_started"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self._started = True
        assert self.__spec__ is not None
        assert self.__spec__.loader is not None
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def package() -> None:
    """Put mlx_lm into sys.modules without running it."""
    if "mlx_lm" in sys.modules:
        return
    spec = importlib.util.find_spec("mlx_lm")
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError("mlx-lm is not installed", name="mlx_lm")
    package = _DeferredPackage("mlx_lm")
    package.__spec__ = spec
    package.__file__ = spec.origin
    package.__path__ = spec.submodule_search_locations
    package.__package__ = "mlx_lm"
    sys.modules["mlx_lm"] = package


def module(name: str) -> ModuleType:
    """The module mlx_lm.models.`name`.

    Raises:
        ModuleNotFoundError: mlx-lm has no such module.
    """
    device.prepare()
    package()
    try:
        return importlib.import_module(f"mlx_lm.models.{name}")
    except SystemExit as error:  # one of them ends the process when its dependency is missing
        raise ModuleNotFoundError(name) from error


def classes(config: dict[str, Any]) -> tuple[Any, Any]:
    """The model class and the class of its arguments for a config.json.

    Raises:
        ModelError: mlx-lm has no class for it, or the model wants to bring its own code.
    """
    if config.get("model_file"):
        raise ModelError("the model wants to run code of its own, which is never done")
    name = _module_name(config)
    if not _MODULE_NAME.fullmatch(name):
        raise ModelError(f"model type {name!r} is not supported")
    try:
        found = module(name)
        return found.Model, found.ModelArgs
    except (ImportError, AttributeError) as error:
        raise ModelError(
            f"model type '{name}' is not supported by the installed mlx-lm",
            hint="A newer mlx-lm may know it.",
        ) from error


def is_known(config: dict[str, Any]) -> bool:
    """Whether mlx-lm has a module for a config.json; imports neither it nor MLX."""
    package()
    name = _module_name(config)
    folders = sys.modules["mlx_lm"].__path__
    is_there = any((Path(folder) / "models" / f"{name}.py").is_file() for folder in folders)
    return bool(_MODULE_NAME.fullmatch(name)) and is_there and not config.get("model_file")


def _module_name(config: dict[str, Any]) -> str:
    """The module that serves `model_type`: mlx-lm serves some types with another's code."""
    model_type = str(config.get("model_type", ""))
    for architecture in config.get("architectures") or ():
        if (model_type, architecture) in _BY_ARCHITECTURE:
            return _BY_ARCHITECTURE[model_type, architecture]
    return _BY_TYPE.get(model_type, model_type)
