"""Model folders load as mlx-lm loads them, and what is broken is said in one line."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mlxjson.errors import ModelError
from mlxjson.model import ModelFiles, load_network, load_tokenizer, resolve

from .tiny_model import make_tiny_model, random_weights, tokenizer_json

IDS = [5, 80, 81, 200, 7]


def logits(folder: Path, *, use_cache: bool = False) -> Any:
    import mlx.core as mx

    network = load_network(resolve(str(folder)), use_cache=use_cache)
    return network(mx.array([IDS], mx.int32), network.make_cache())


def plain_logits(model: Any) -> Any:
    import mlx.core as mx

    return model(mx.array([IDS], mx.int32))


def close(left: Any, right: Any, tolerance: float = 1e-4) -> bool:
    import mlx.core as mx

    return bool(mx.allclose(left, right, atol=tolerance))


def test_a_folder_computes_what_its_model_class_computes(tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    assert close(logits(folder), plain_logits(random_weights(config)))


def test_width_comes_from_the_logits_and_stop_ids_from_every_source(tmp_path: Path) -> None:
    files = resolve(str(make_tiny_model(tmp_path / "model", padding=21)))
    network, tokenizer = load_network(files), load_tokenizer(files)
    known = len(tokenizer_json()["model"]["vocab"])
    assert network.width == known + 21
    assert network.context_length == 512
    vocabulary = tokenizer.vocabulary(network.width)
    assert len(vocabulary.tokens) == known
    assert vocabulary.stop_ids == {0, 2}


@pytest.mark.parametrize("bits", [4, 8])
def test_quantised_weights_give_the_same_logits_plain_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bits: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = make_tiny_model(tmp_path / "model", quantise_bits=bits)
    first = logits(folder, use_cache=True)
    assert close(first, logits(folder, use_cache=True), 0)
    assert close(first, logits(folder, use_cache=False), 0)
    kept = list((tmp_path / "cache" / "mlxjson" / "weights").glob("*.safetensors"))
    assert len(kept) == 1
    kept[0].write_bytes(kept[0].read_bytes()[:-9])
    assert close(first, logits(folder, use_cache=True), 0)


@pytest.mark.parametrize("bits", [4, 8])
def test_quantised_weights_stay_quantised_where_that_is_fast(tmp_path: Path, bits: int) -> None:
    from mlxjson.model.folder import load_folder

    folder = make_tiny_model(tmp_path / "model", quantise_bits=bits)
    stored, _ = load_folder(ModelFiles(folder, "tiny"), float32=False)
    assert "scales" in stored.layers[0].self_attn.q_proj
    assert close(plain_logits(stored), logits(folder), 1e-2)


ARCHITECTURES = {
    "mistral": {"model_type": "mistral"},
    "qwen2": {"model_type": "qwen2"},
    "qwen3": {"model_type": "qwen3", "head_dim": 8},
    "phi3": {"model_type": "phi3"},
    "gemma2": {"model_type": "gemma2", "head_dim": 8},
    "gemma3_text": {"model_type": "gemma3_text", "head_dim": 8, "num_hidden_layers": 6},
    "olmo2": {"model_type": "olmo2"},
}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_common_architectures_load(tmp_path: Path, name: str) -> None:
    folder = make_tiny_model(tmp_path / name, config=ARCHITECTURES[name])
    files = resolve(str(folder))
    network = load_network(files)
    assert network.width == load_tokenizer(files).vocabulary(network.width).width


@pytest.mark.parametrize(
    "name",
    ["gemma3", "gpt_oss", "mistral3", "qwen3_moe", "deepseek_v3", "mixtral", "glm4", "smollm3"],
)
def test_model_classes_import_without_torch_and_transformers(name: str) -> None:
    from mlxjson.model import lm

    before = set(sys.modules)
    lm.classes({"model_type": name})
    assert not {"torch", "transformers"} & (set(sys.modules) - before)


def test_a_model_type_is_served_as_mlx_lm_serves_it() -> None:
    """Our table is mlx-lm's: read from its source, which can't be imported without transformers."""
    import ast
    from importlib.util import find_spec

    from mlxjson.model import lm

    package = find_spec("mlx_lm")
    assert package is not None
    assert package.origin is not None
    source = (Path(package.origin).parent / "utils.py").read_text()
    tables = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and "REMAPPING" in node.targets[0].id
    }
    assert tables["MODEL_REMAPPING"] == lm._BY_TYPE
    assert tables["MODEL_ARCHITECTURE_REMAPPING"] == lm._BY_ARCHITECTURE


def cut(name: str, end: int | None) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:end])


def written(name: str, text: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text)


def configured(**changes: Any) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        config = json.loads((folder / "config.json").read_text()) | changes
        kept = {key: value for key, value in config.items() if value is not None}
        (folder / "config.json").write_text(json.dumps(kept))

    return change


TWO_SHARDS = '{"weight_map": {"a": "model.safetensors", "b": "model-00002.safetensors"}}'
BREAKS: dict[str, tuple[Callable[[Path], object], str]] = {
    "truncated": (cut("model.safetensors", -100), "truncated safetensors"),
    "cut in the header": (cut("model.safetensors", 40), "truncated safetensors"),
    "empty weights": (cut("model.safetensors", 0), "truncated safetensors"),
    "not safetensors": (written("model.safetensors", "<!doctype html>" * 99), "damaged"),
    "no tokenizer": (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer.json"),
    "bad tokenizer": (written("tokenizer.json", '{"model": 3}'), "not a tokenizer"),
    "config not json": (written("config.json", "{"), "can't be read as JSON"),
    "config a list": (written("config.json", "[]"), "not a JSON object"),
    "unknown type": (configured(model_type="perceptron"), "'perceptron' is not supported"),
    "type with a path": (configured(model_type="../llama"), "not supported"),
    "own code": (configured(model_file="model.py"), "code of its own"),
    "missing key": (configured(hidden_size=None), "hidden_size"),
    "wrong kind": (configured(num_attention_heads="four"), "malformed"),
    "other shapes": (configured(hidden_size=64), "don't fit the config"),
    "more layers": (configured(num_hidden_layers=3), "don't fit the config"),
    "a billion layers": (configured(num_hidden_layers=10**9), "don't fit the config"),
    "foreign": (configured(quantization_config={"quant_method": "gptq"}), "'gptq' is not"),
    "missing shard": (written("model.safetensors.index.json", TWO_SHARDS), "model-00002"),
}


def load_all(folder: Path) -> None:
    files = resolve(str(folder))
    load_network(files)
    load_tokenizer(files)


@pytest.mark.parametrize("how", BREAKS)
def test_a_broken_folder_is_refused_in_two_lines(tmp_path: Path, how: str) -> None:
    folder = make_tiny_model(tmp_path / "model")
    break_it, said = BREAKS[how]
    break_it(folder)
    with pytest.raises(ModelError) as caught:
        load_all(folder)
    assert said in str(caught.value)
    assert str(folder) in str(caught.value)
    assert str(caught.value).count("\n") <= 1


def test_a_model_that_cannot_fit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mlxjson.model import memory

    folder = make_tiny_model(tmp_path / "model")
    monkeypatch.setattr(memory, "_available", lambda: 1000)
    with pytest.raises(ModelError, match="out of memory"):
        load_network(resolve(str(folder)))
