"""A tokenizer that is read back is the tokenizer that was read."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mlxjson.cachefiles import Cache
from mlxjson.model import ModelFiles, load_tokenizer, resolve
from mlxjson.model import tokenizer as tokenizer_module
from mlxjson.model.tokenizer import Tokenizer
from tests.test_vocabulary import real  # noqa: F401  a fixture
from tests.tiny_gguf import write_gguf, write_sentence_piece
from tests.tiny_model import make_tiny_model

TEXTS = (
    "",
    " a  b\n\n\tc ",
    "the train is true",
    '{"name": "Zoë", "n": 12345}',
    "<|im_start|>user\nhi<|im_end|>\n<s>x</s><think>",
    "\u4f60\u597d \U0001f600 \u0928\u092e\u0938\u094d\u0924\u0947 e\u0301",
)


def is_kept(files: ModelFiles, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a tokenizer comes from the cache."""
    seen: list[ModelFiles] = []
    read = tokenizer_module._parts
    with monkeypatch.context() as patch:
        patch.setattr(tokenizer_module, "_parts", lambda files: seen.append(files) or read(files))
        load_tokenizer(files, cache)
    return not seen


def assert_same(one: Tokenizer, other: Tokenizer) -> None:
    assert one._backend.to_str() == other._backend.to_str()
    assert (one.template, one.stop_ids, one._bos) == (other.template, other.stop_ids, other._bos)
    assert one.tokens == other.tokens
    assert one.fingerprint(9) == other.fingerprint(9)
    for text in TEXTS:
        for special in (True, False):
            ids = one.encode(text, special=special, bos=True)
            assert ids == other.encode(text, special=special, bos=True)
        assert one.token_id(text) == other.token_id(text)


def sentence_piece(path: Path) -> Path:
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256)), "▁", "a", "▁a"]
    write_sentence_piece(path, pieces, [-float(i) for i in range(len(pieces))])
    return path


def gguf(path: Path) -> Path:
    write_gguf(path, extra={"tokenizer.chat_template": "{{ messages[0].content }}<|im_end|>"})
    return path


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: make_tiny_model(folder / "m"),
        lambda folder: gguf(folder / "m.gguf"),
        lambda folder: sentence_piece(folder / "m.gguf"),
    ],
    ids=["folder", "gguf", "sentence-piece"],
)
def test_it_reads_back_whole(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, cache = ModelFiles(make(tmp_path), "m"), Cache(tmp_path / "cache")
    fresh = load_tokenizer(files)
    assert_same(load_tokenizer(files, cache), fresh)
    assert is_kept(files, cache, monkeypatch)
    assert_same(load_tokenizer(files, cache), fresh)


@pytest.mark.slow
def test_real_tokenizers_read_back_whole(
    real: Path,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files, cache = ModelFiles(real, "m"), Cache(tmp_path)
    assert_same(load_tokenizer(files, cache), load_tokenizer(files))
    assert is_kept(files, cache, monkeypatch)
    assert_same(load_tokenizer(files, cache), load_tokenizer(files))


@pytest.mark.slow
def test_the_starters_tokenizer_reads_back_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, cache = resolve("starter"), Cache(tmp_path)
    load_tokenizer(files, cache)
    assert is_kept(files, cache, monkeypatch)
    assert_same(load_tokenizer(files, cache), load_tokenizer(files))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("tokenizer.json", {"normalizer": {"type": "NFC"}}),
        ("tokenizer_config.json", {"eos_token": "<|im_start|>"}),
        ("generation_config.json", {"eos_token_id": 5}),
    ],
)
def test_whatever_changes_in_a_folder_is_read_anew(
    name: str, change: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = make_tiny_model(tmp_path / "m"), Cache(tmp_path / "cache")
    files = ModelFiles(folder, "m")
    load_tokenizer(files, cache)
    path = folder / name
    value = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(value | change))
    assert not is_kept(files, cache, monkeypatch)
    assert_same(load_tokenizer(files, cache), load_tokenizer(files))


def test_another_gguf_file_of_the_same_size_and_time_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cache = gguf(tmp_path / "m.gguf"), Cache(tmp_path / "cache")
    files, status = ModelFiles(path, "m"), path.stat()
    load_tokenizer(files, cache)
    path.write_bytes(path.read_bytes().replace(b"content }}<", b"content }}>"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not is_kept(files, cache, monkeypatch)


def test_a_broken_entry_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, cache = ModelFiles(make_tiny_model(tmp_path / "m"), "m"), Cache(tmp_path / "cache")
    load_tokenizer(files, cache)
    (entry,) = (tmp_path / "cache" / "tokenizers").iterdir()
    entry.write_bytes(entry.read_bytes()[:-1])
    assert not is_kept(files, cache, monkeypatch)
    assert is_kept(files, cache, monkeypatch)


def test_what_cannot_be_built_from_lists_is_kept_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, cache = make_tiny_model(tmp_path / "m"), Cache(tmp_path / "cache")
    form = json.loads((folder / "tokenizer.json").read_text())
    vocabulary = {piece: i for i, piece in enumerate(("[UNK]", "a", "b"))}
    form["model"] = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    (folder / "tokenizer.json").write_text(json.dumps(form))
    files = ModelFiles(folder, "m")
    assert_same(load_tokenizer(files, cache), load_tokenizer(files))
    assert is_kept(files, cache, monkeypatch)
    assert_same(load_tokenizer(files, cache), load_tokenizer(files))


def test_without_a_cache_all_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = ModelFiles(make_tiny_model(tmp_path / "m"), "m")
    assert not is_kept(files, Cache(None), monkeypatch)
