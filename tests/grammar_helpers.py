"""Vocabularies for the tests of the grammar layer."""

import gzip
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from mlxjson.grammar import Engine
from mlxjson.vocabulary import Vocabulary

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def vocabulary(tokens: Sequence[bytes], width: int, stop_ids: Sequence[int]) -> Vocabulary:
    digest = hashlib.sha256(repr((tokens, width, stop_ids)).encode()).hexdigest()
    return Vocabulary(tuple(tokens), width, frozenset(stop_ids), digest)


@cache
def small() -> Vocabulary:
    """Every byte, a few words, one stop id, one special id, and padding up to 300."""
    words = [b'{"', b'":', b' "', b"name", b'"}', b' "-', b"caf", "é".encode(), b"12", b"ab"]
    tokens = [bytes([i]) for i in range(256)] + words + [b"", b""]
    return vocabulary(tokens, 300, [len(tokens) - 2])


STOP = 266
SPECIAL = 267


@cache
def small_engine() -> Engine:
    return Engine(small())


def longest_match(text: str) -> list[int]:
    """What a tokenizer of the small vocabulary could do: longest match, no merges undone."""
    tokens = small().tokens
    data, ids = text.encode(), []
    while data:
        best = max((i for i, t in enumerate(tokens) if t and data.startswith(t)), key=_length)
        ids.append(best)
        data = data[len(tokens[best]) :]
    return ids


def _length(token_id: int) -> int:
    return len(small().tokens[token_id])


def _bytes_of_unicode() -> dict[str, int]:
    """GPT-2's printable spelling of bytes, as byte-level tokenizers write their vocabulary."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in printable]
    return {chr(b): b for b in printable} | {chr(256 + i): b for i, b in enumerate(rest)}


def _tokenizer(name: str) -> dict:
    path = SHARED / "tokenizers" / f"{name}.tokenizer.json.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return json.loads(gzip.decompress(path.read_bytes()))


@cache
def qwen3() -> Vocabulary:
    data = _tokenizer("qwen3")
    spelling = _bytes_of_unicode()
    tokens = [b""] * (max(a["id"] for a in data["added_tokens"]) + 1)
    for text, i in data["model"]["vocab"].items():
        tokens[i] = bytes(spelling[c] for c in text)
    for added in data["added_tokens"]:
        tokens[added["id"]] = b"" if added["special"] else added["content"].encode()
    return vocabulary(tokens, 151_936, [151_643, 151_645])


@cache
def llama2() -> Vocabulary:
    data = _tokenizer("llama2")
    tokens = [b""] * len(data["model"]["vocab"])
    for text, i in data["model"]["vocab"].items():
        byte = re.fullmatch(r"<0x([0-9A-F]{2})>", text)
        tokens[i] = bytes([int(byte[1], 16)]) if byte else text.replace("▁", " ").encode()
    for added in data["added_tokens"]:
        tokens[added["id"]] = b""
    return vocabulary(tokens, len(tokens), [2])
