"""The one import of xgrammar, with torch and transformers kept out of the process.

xgrammar imports both at the top of its modules, yet needs torch only for a dtype name and
transformers only for isinstance checks. Importing them costs about two seconds, so both are
replaced by inert stand-ins while xgrammar loads and removed again afterwards.
"""

import importlib
import importlib.machinery
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

Handle = Any  # an object of xgrammar, which has no usable types


class _Inert:
    """Stands for every class or value that xgrammar asks of torch or transformers."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        """Take anything: `torch.tensor(-1)` is evaluated while xgrammar loads."""


class _StandIn(ModuleType):
    """A module in which every public name is an inert class."""

    def __getattr__(self, name: str) -> type[_Inert]:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Inert


def _stand_in(name: str) -> _StandIn:
    module = _StandIn(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    return module


@contextmanager
def _replaced(name: str, module: ModuleType | None) -> Iterator[None]:
    """Put `module` in the place of `name`; None makes its import fail."""
    before = sys.modules.get(name)
    sys.modules[name] = module  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
        if before is not None:
            sys.modules[name] = before


def _load() -> ModuleType:
    if "xgrammar" in sys.modules:
        return sys.modules["xgrammar"]
    # tvm_ffi takes torch only if it can be imported; a stand-in would mislead it.
    with _replaced("torch", None):
        importlib.import_module("tvm_ffi")
    with (
        _replaced("torch", _stand_in("torch")),
        _replaced("transformers", _stand_in("transformers")),
    ):
        return importlib.import_module("xgrammar")


xgr = _load()
