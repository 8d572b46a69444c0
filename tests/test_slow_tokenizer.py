"""Folders without tokenizer.json: transformers converts what is there, once, without torch."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mlxjson.errors import ModelError
from mlxjson.model import load_tokenizer, resolve
from mlxjson.model.hub_cache import wanted
from mlxjson.model.tokenizer import Tokenizer
from tests.command import environment, mlxjson
from tests.tiny_model import make_tiny_model


def slow(folder: Path) -> Path:
    """A tiny model whose tokenizer is in the files of a slow GPT-2 tokenizer."""
    form = json.loads((make_tiny_model(folder) / "tokenizer.json").read_text())
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.json").write_text(json.dumps(form["model"]["vocab"]))
    merges = [" ".join(pair) for pair in form["model"]["merges"]]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]))
    change(folder, tokenizer_class="GPT2Tokenizer", extra_special_tokens=["<|im_start|>"])
    return folder


def change(folder: Path, **values: Any) -> None:
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def load(folder: Path) -> Tokenizer:
    return load_tokenizer(resolve(str(folder)))


def test_it_is_the_same_tokenizer(tmp_path: Path) -> None:
    ours, theirs = load(slow(tmp_path / "slow")), load(make_tiny_model(tmp_path / "fast"))
    assert ours.tokens == theirs.tokens
    assert ours.stop_ids == theirs.stop_ids
    messages = [{"role": "user", "content": "hi"}]
    assert ours.template is not None
    assert theirs.template is not None
    assert ours.template.render(messages) == theirs.template.render(messages)
    for text in ("the train is true", " Zoë\n\n", "<|im_start|>user\nthe<|im_end|>"):
        for special in (True, False):
            assert ours.encode(text, special=special) == theirs.encode(text, special=special)


def test_word_pieces_are_converted(tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path)
    (folder / "tokenizer.json").unlink()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "##s"]
    (folder / "vocab.txt").write_text("\n".join(words))
    change(folder, tokenizer_class="BertTokenizer")
    assert load(folder).encode("the cats", special=False) == [5, 6, 7]


@pytest.mark.slow
def test_torch_stays_out_and_transformers_is_asked_once(tmp_path: Path) -> None:
    folder = slow(tmp_path / "model")
    code = (
        "import sys; from mlxjson.api import open_engine; open_engine(sys.argv[1]);"
        "print(*(name in sys.modules for name in ('transformers', 'torch')))"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code, str(folder)],
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(2)
    ]
    assert [one.stdout for one in said] == ["True False\n", "False False\n"]
    assert [one.stderr for one in said] == ["", ""]


@pytest.mark.slow
def test_the_command_runs_on_it(tmp_path: Path) -> None:
    folder = slow(tmp_path / "model")
    done = mlxjson("choice", "the", "-c", "a", "-c", "b", "-m", str(folder), home=tmp_path)
    assert (done.code, done.err) == (0, b"")
    assert done.text in ('"a"\n', '"b"\n')


def test_the_hub_is_asked_for_its_files_only_where_there_is_no_other() -> None:
    files = ["README.md", "config.json", "tokenizer.model", "sub/vocab.txt", "model.safetensors"]
    assert wanted(files) == ["config.json", "model.safetensors", "tokenizer.model"]
    fast = ["config.json", "model.safetensors", "tokenizer.json"]
    assert wanted([*files, "tokenizer.json"]) == fast


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"tokenizer_class": "NoSuchTokenizer", "auto_map": {"AutoTokenizer": "own.Own"}}, "code"),
        ({"tokenizer_class": "BertTokenizer"}, "BertTokenizer finds no vocabulary"),
        ({"tokenizer_class": "GPT2Tokenizer"}, "no tokenizer.json, and its other files give no"),
    ],
)
def test_what_it_cannot_convert_is_refused(
    config: dict[str, Any], said: str, tmp_path: Path
) -> None:
    folder = slow(tmp_path)
    (folder / "own.py").write_text("raise SystemExit('run')")
    (folder / "merges.txt").write_bytes(b"\xff\xfe broken")
    (folder / "vocab.json").write_text("{")
    change(folder, **config)
    with pytest.raises(ModelError) as caught:
        load(folder)
    assert said in str(caught.value)
    assert str(caught.value).count("\n") <= 1
    assert "torch" not in sys.modules
