"""The only place that touches xgrammar: vocabulary and grammar text in, matchers and masks out.

Importing this package loads neither xgrammar nor numpy; the first use of a name does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlxjson.grammar.compiler import Compiled, Engine
    from mlxjson.grammar.forced import Forced
    from mlxjson.grammar.mask import allowed_ids, empty_mask, is_allowed, mask_of, mask_words
    from mlxjson.grammar.matcher import Matcher, fill_many
    from mlxjson.grammar.sources import EbnfSource, LarkSource, Source

_HOMES = {
    "Compiled": "compiler",
    "Engine": "compiler",
    "Forced": "forced",
    "allowed_ids": "mask",
    "empty_mask": "mask",
    "is_allowed": "mask",
    "mask_of": "mask",
    "mask_words": "mask",
    "Matcher": "matcher",
    "fill_many": "matcher",
    "EbnfSource": "sources",
    "LarkSource": "sources",
    "Source": "sources",
}

__all__ = [
    "Compiled",
    "EbnfSource",
    "Engine",
    "Forced",
    "LarkSource",
    "Matcher",
    "Source",
    "allowed_ids",
    "empty_mask",
    "fill_many",
    "is_allowed",
    "mask_of",
    "mask_words",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
