"""`mlxjson models`: what is in the hub's cache, whether it can be used, and what to fetch."""

import json
import shutil
from pathlib import Path

import pytest

from mlxjson.inventory import Inventory, as_text, inventory
from mlxjson.model.cached import CachedModel, cached_models, starter_model
from mlxjson.model.recommend import CANDIDATES, recommended

from .command import mlxjson
from .tiny_model import make_tiny_model

COMMIT = "ab" * 20
GIB = 1 << 30


def cache_model(home: Path, name: str, commit: str = COMMIT, branch: str = "main") -> Path:
    """A tiny quantised model in the layout of huggingface_hub's cache; its snapshot folder."""
    storage = home / "hf" / "hub" / f"models--{name.replace('/', '--')}"
    if branch:
        (storage / "refs").mkdir(parents=True, exist_ok=True)
        (storage / "refs" / branch).write_text(commit)
    return make_tiny_model(storage / "snapshots" / commit, quantise_bits=4)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HF_HOME": str(tmp_path / "hf"), "HOME": str(tmp_path)}


def found(environ: dict[str, str], *, free: int | None = GIB) -> list[CachedModel]:
    return cached_models(free, float32=True, environ=environ)


def test_a_model_is_described(tmp_path: Path, environ: dict[str, str]) -> None:
    snapshot = cache_model(tmp_path, "org/tiny")
    (model,) = found(environ)
    assert model.reference == "org/tiny"
    assert model.commit == COMMIT
    assert (model.architecture, model.quantisation, model.state) == ("llama", "4 bit", "ready")
    assert model.size == (snapshot / "model.safetensors").stat().st_size
    assert model.memory > 4 * model.size
    (stored,) = cached_models(GIB, float32=False, environ=environ)
    assert stored.memory == stored.size


def test_the_memory_is_that_of_the_weights_in_float32(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    plain = make_tiny_model(tmp_path / "plain")
    cache_model(tmp_path, "org/tiny")
    (model,) = found(environ)
    # Scales and biases of the quantised form go away when it is converted: a sixteenth each.
    whole = (plain / "model.safetensors").stat().st_size
    assert whole * 0.95 < model.memory < whole * 1.1


def test_revisions_are_told_apart(tmp_path: Path, environ: dict[str, str]) -> None:
    cache_model(tmp_path, "org/tiny")
    cache_model(tmp_path, "org/tiny", "cd" * 20, "v2")
    cache_model(tmp_path, "org/tiny", "ef" * 20, "")
    names = {model.reference for model in found(environ)}
    assert names == {"org/tiny", "org/tiny@v2", f"org/tiny@{'ef' * 20}"}


def test_why_a_model_cannot_be_used(tmp_path: Path, environ: dict[str, str]) -> None:
    (cache_model(tmp_path, "org/half") / "tokenizer.json").unlink()
    for name, change in {
        "future": {"model_type": "of_the_future"},
        "gptq": {"quantization": None, "quantization_config": {"quant_method": "gptq"}},
        "code": {"model_file": "own.py"},
    }.items():
        config = cache_model(tmp_path, f"org/{name}") / "config.json"
        config.write_text(json.dumps(json.loads(config.read_text()) | change))
    broken = cache_model(tmp_path, "org/broken") / "model.safetensors"
    broken.write_bytes(broken.read_bytes()[:-10])
    states = {model.reference: model.state for model in found(environ)}
    assert states["org/half"] == "incomplete"
    assert "not known to the installed mlx-lm" in states["org/future"]
    assert "gptq" in states["org/gptq"]
    assert states["org/code"] != "ready"
    assert "truncated" in states["org/broken"]


def test_what_does_not_fit_is_said(tmp_path: Path, environ: dict[str, str]) -> None:
    cache_model(tmp_path, "org/tiny")
    assert found(environ, free=1000)[0].state == "too large for the free memory"
    assert found(environ, free=None)[0].state == "ready"


def test_an_odd_cache_is_no_error(tmp_path: Path, environ: dict[str, str]) -> None:
    assert found(environ) == []
    snapshot = cache_model(tmp_path, "org/tiny")
    (snapshot / "config.json").write_bytes(b"\xff{")
    other = cache_model(tmp_path, "org/other")
    (other / "model.safetensors").write_bytes(b"\xff" * 16)
    (tmp_path / "hf" / "hub" / "models--nothing").mkdir()
    (tmp_path / "hf" / "hub" / "models--a--file").write_text("")
    assert [model.reference for model in found(environ)] == ["org/other"]
    shutil.rmtree(snapshot.parents[1] / "refs")
    assert [model.state for model in found(environ)] != ["ready"]


def test_the_starter_is_named() -> None:
    row, what = starter_model(float32=True)
    assert row.reference == "starter"
    assert (row.architecture, row.quantisation) == ("llama", "Q4_1")
    assert row.memory == 4 * 134_515_008
    assert "SmolLM2-135M-Instruct" in what


@pytest.mark.parametrize("float32", [True, False])
def test_more_memory_never_recommends_less(float32: bool) -> None:
    choices = [recommended(n * GIB, float32=float32) for n in range(1, 64)]
    ranks = [CANDIDATES.index(choice) for choice in choices if choice is not None]
    assert ranks == sorted(ranks)
    for size, choice in enumerate(choices, 1):
        assert choice is None or choice.memory(float32=float32) < size * GIB
    largest = choices[-1]
    assert largest is not None
    assert largest.weights == (1.54e9 if float32 else 30.5e9)
    assert recommended(None, float32=float32) is None


def test_the_table_says_what_to_do(environ: dict[str, str]) -> None:
    text = as_text(inventory(environ))
    assert text.startswith("model")
    assert "\nstarter" in text
    assert "recommended" in text
    assert "too little memory" in as_text(Inventory([], "none", "cpu", 1, None))


@pytest.mark.slow
def test_the_command_prints_a_table_or_json(tmp_path: Path) -> None:
    cache_model(tmp_path, "org/tiny")
    variables = {"HF_HOME": str(tmp_path / "hf")}
    table = mlxjson("models", home=tmp_path, variables=variables)
    assert table.code == 0
    assert table.err == b""
    assert [line.split()[0] for line in table.text.splitlines()[:3]] == [
        "model",
        "starter",
        "org/tiny",
    ]
    as_json = json.loads(mlxjson("models", "--json", home=tmp_path, variables=variables).out)
    assert [model["reference"] for model in as_json["models"]] == ["starter", "org/tiny"]
    assert as_json["device"]
