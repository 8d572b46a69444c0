"""Reference -> files -> tokenizer, template and network: the one place that knows model formats.

    files = resolve("starter")
    tokenizer = load_tokenizer(files)
    network = load_network(files)
    vocabulary = tokenizer.vocabulary(network.width)

Nothing is imported until it is asked for: resolving and tokenising need no MLX.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .files import ModelFiles
    from .network import Network, load_network
    from .reference import resolve
    from .template import ChatTemplate
    from .tokenizer import Tokenizer, load_tokenizer

__all__ = [
    "ChatTemplate",
    "ModelFiles",
    "Network",
    "Tokenizer",
    "load_network",
    "load_tokenizer",
    "resolve",
]

_HOMES = {
    "ChatTemplate": "template",
    "ModelFiles": "files",
    "Network": "network",
    "Tokenizer": "tokenizer",
    "load_network": "network",
    "load_tokenizer": "tokenizer",
    "resolve": "reference",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
