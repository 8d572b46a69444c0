"""The one import of xgrammar, with everything kept out that is not needed to match grammars.

xgrammar imports torch, transformers and pydantic at the top of its modules, yet needs torch only
for a dtype's name and the others for isinstance checks. They cost two seconds, so inert stand-ins
take their places while xgrammar loads and are removed again afterwards. Its package file
would also build hundreds of pydantic models for structural tags and tool calls; the modules
below are therefore loaded without it. Structural tags still work, as JSON.
"""

import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import Any

Handle = Any  # an object of xgrammar, which has no usable types

# In the order in which xgrammar's own package file loads them.
_MODULES = (
    "load_binding",
    "base",
    "exception",
    "config",
    "tokenizer_info",
    "grammar",
    "compiler",
    "matcher",
)
_NOT_NEEDED = ("torch", "transformers", "pydantic", "xgrammar.structural_tag")
# For building extensions, and for exchanging tensors with torch.
_NOT_NEEDED_OF_TVM = ("tvm_ffi.cpp", "tvm_ffi._optional_torch_c_dlpack")
# xgrammar goes without these when their import fails.
_LEFT_OUT = ("sentencepiece", "tiktoken")


class _Inert:
    """Stands for every class or value that xgrammar asks of a module that isn't there."""

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
    with _replaced("torch", None), ExitStack() as stack:
        for name in _NOT_NEEDED_OF_TVM:
            stack.enter_context(_replaced(name, _stand_in(name)))
        importlib.import_module("tvm_ffi")
    spec = importlib.util.find_spec("xgrammar")
    if spec is None:
        raise ModuleNotFoundError("No module named 'xgrammar'", name="xgrammar")
    package = importlib.util.module_from_spec(spec)
    sys.modules["xgrammar"] = package
    try:
        _load_modules(package)
    except BaseException:
        for name in [n for n in sys.modules if n.split(".")[0] == "xgrammar"]:
            del sys.modules[name]
        raise
    return package


def _load_modules(package: ModuleType) -> None:
    """Load what matching takes into the bare `package`, and put its public names there."""
    with ExitStack() as stack:
        for name in _NOT_NEEDED:
            stack.enter_context(_replaced(name, _stand_in(name)))
        for name in _LEFT_OUT:
            stack.enter_context(_replaced(name, None))
        for name in _MODULES:
            module = importlib.import_module(f"xgrammar.{name}")
            for public in [n for n in vars(module) if not n.startswith("_")]:
                if getattr(vars(module)[public], "__module__", None) == module.__name__:
                    setattr(package, public, vars(module)[public])


xgr = _load()
