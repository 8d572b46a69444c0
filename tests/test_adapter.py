"""Adapters change the weights as their authors mean it, and what is no adapter is said."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlxjson.errors import ModelError
from mlxjson.model import ModelFiles, load_network, resolve
from mlxjson.model.adapter import open_adapter, starter_adapter
from mlxjson.model.folder import load_folder
from mlxjson.model.gguf_load import load_gguf

from .command import PERSON, Outcome, mlxjson
from .tiny_adapter import (
    EMBEDDING,
    LAYERS,
    changed,
    random_pairs,
    write_mlx_lm,
    write_own,
    write_peft,
)
from .tiny_gguf import write_gguf
from .tiny_model import make_tiny_model, random_weights

IDS = [5, 80, 81, 200, 7]
WRITERS: list[Callable[..., Path]] = [write_mlx_lm, write_peft]


def logits(model: Any) -> Any:
    import mlx.core as mx

    return np.array(model(mx.array([IDS], mx.int32)).astype(mx.float32))


def loaded(model: Path, adapter: Path, *, use_cache: bool = False) -> Any:
    return logits(load_network(resolve(str(model), adapter=str(adapter)), use_cache=use_cache))


def plain(folder: Path) -> Any:
    return random_weights(json.loads((folder / "config.json").read_text()))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return make_tiny_model(tmp_path / "model")


@pytest.fixture
def adapter(tmp_path: Path, model: Path) -> Path:
    return write_mlx_lm(tmp_path / "adapter", random_pairs(plain(model)))


def figures(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(next(line for line in outcome.lines if line[0] == "{"))
    return found


def refusal(model: Path, adapter: Path) -> str:
    with pytest.raises(ModelError) as caught:
        loaded(model, adapter)
    assert str(caught.value).count("\n") <= 1
    return str(caught.value)


@pytest.mark.parametrize("write", WRITERS)
def test_each_form_adds_scale_b_a(tmp_path: Path, model: Path, write: Callable[..., Path]) -> None:
    pairs = random_pairs(plain(model), (*LAYERS, EMBEDDING))
    adapter = write(tmp_path / "adapter", pairs)
    expected = logits(changed(plain(model), pairs))
    assert not np.allclose(expected, logits(plain(model)), atol=0.1)
    assert np.allclose(loaded(model, adapter), expected, atol=1e-4)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_result_is_that_of_mlx_lms_own_layers(
    tmp_path: Path, model: Path, adapter: Path
) -> None:
    from mlx_lm.tuner.utils import load_adapters

    keys = [name.split(".", 3)[3] for name in LAYERS]
    every = [f"model.layers.{n}.{key}" for n in range(2) for key in keys]
    parameters = {"rank": 3, "scale": 2.0, "dropout": 0.0, "keys": keys}
    folder = write_mlx_lm(
        tmp_path / "own", random_pairs(plain(model), every), lora_parameters=parameters
    )
    theirs = load_adapters(plain(model), str(folder))
    assert np.allclose(loaded(model, folder), logits(theirs), atol=1e-4)


def test_scales_of_peft_may_differ_by_layer_and_be_rank_stabilised(
    tmp_path: Path, model: Path
) -> None:
    pairs = random_pairs(plain(model), LAYERS[:2])
    adapter = write_peft(
        tmp_path / "adapter",
        pairs,
        lora_alpha=1.0,
        use_rslora=True,
        alpha_pattern={"q_proj": 2 * 3**0.5, "self_attn.k_proj": 2 * 3**0.5},
    )
    assert np.allclose(loaded(model, adapter), logits(changed(plain(model), pairs)), atol=1e-4)


@pytest.mark.parametrize("float32", [True, False])
def test_quantised_layers_take_it_up(tmp_path: Path, float32: bool) -> None:
    folder = make_tiny_model(tmp_path / "model", quantise_bits=8)
    pairs = random_pairs(plain(folder))
    adapter = open_adapter(write_peft(tmp_path / "adapter", pairs))
    model, _ = load_folder(ModelFiles(folder, "tiny", adapter=adapter), float32=float32)
    assert ("scales" in model.layers[1].self_attn.v_proj) is not float32
    expected = logits(changed(plain(folder), pairs))
    assert np.allclose(logits(model), expected, atol=0.1)


@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
@pytest.mark.parametrize("float32", [True, False])
def test_gguf_files_take_it_up_in_their_own_row_order(
    tmp_path: Path, architecture: str, float32: bool
) -> None:
    original = write_gguf(tmp_path / "model.gguf", architecture)
    pairs = random_pairs(original)
    adapter = open_adapter(write_mlx_lm(tmp_path / "adapter", pairs))
    files = ModelFiles(tmp_path / "model.gguf", "tiny", adapter=adapter)
    model, _ = load_gguf(files, float32=float32)
    expected = logits(changed(original, pairs))
    assert np.allclose(logits(model), expected, atol=1e-4 if float32 else 0.3)


def test_our_own_form_is_in_the_order_of_the_file(tmp_path: Path) -> None:
    original = write_gguf(tmp_path / "model.gguf", "qwen2")
    pairs = random_pairs(original)
    adapter = write_own(tmp_path / "adapter", pairs)
    expected = logits(changed(original, pairs))
    assert np.allclose(loaded(tmp_path / "model.gguf", adapter), expected, atol=2e-2)


def test_the_merged_weights_are_kept_under_the_adapters_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    original = write_gguf(tmp_path / "model.gguf", quantised="Q8_0")
    first = write_own(tmp_path / "first", random_pairs(original))
    second = write_own(tmp_path / "second", random_pairs(original, seed=2))
    again = shutil.copytree(first, tmp_path / "again")
    found = [
        loaded(tmp_path / "model.gguf", folder, use_cache=True)
        for folder in (first, second, again, first)
    ]
    assert not np.allclose(found[0], found[1])
    assert np.array_equal(found[0], found[2])
    assert np.array_equal(found[0], found[3])
    assert len(list((tmp_path / "cache" / "mlxjson" / "weights").iterdir())) == 2


def test_where_weights_have_16_bits_the_merged_ones_are_kept_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("mlxjson.model.device.computes_in_float32", lambda: False)
    original = write_gguf(tmp_path / "model.gguf", quantised="Q8_0")
    pairs = random_pairs(original)
    adapter = write_mlx_lm(tmp_path / "adapter", pairs)
    first = loaded(tmp_path / "model.gguf", adapter, use_cache=True)
    (kept,) = (tmp_path / "cache" / "mlxjson" / "weights").iterdir()
    assert np.array_equal(first, loaded(tmp_path / "model.gguf", adapter, use_cache=True))
    assert np.array_equal(first, loaded(tmp_path / "model.gguf", adapter))
    assert np.allclose(first, logits(changed(original, pairs)), atol=0.3)
    kept.unlink()
    load_network(resolve(str(tmp_path / "model.gguf")))
    assert not kept.exists()


def test_an_adapter_of_another_model(tmp_path: Path, model: Path, adapter: Path) -> None:
    wider = make_tiny_model(tmp_path / "wider", config={"hidden_size": 64})
    assert "for another model" in refusal(wider, adapter)
    shallow = make_tiny_model(tmp_path / "shallow", config={"num_hidden_layers": 1})
    assert "there is no layer model.layers.1" in refusal(shallow, adapter)
    write_gguf(tmp_path / "model.gguf")
    assert "for another model" in refusal(tmp_path / "model.gguf", adapter)


def test_our_own_form_is_for_gguf_files(tmp_path: Path, model: Path) -> None:
    adapter = write_own(tmp_path / "adapter", random_pairs(plain(model)))
    assert "belongs to a GGUF file" in refusal(model, adapter)


@pytest.mark.parametrize(
    ("write", "config", "message"),
    [
        (write_mlx_lm, {"fine_tune_type": "dora"}, "'dora'"),
        (write_mlx_lm, {"fine_tune_type": "full"}, "'full'"),
        (write_mlx_lm, {"lora_parameters": {"rank": 3}}, "scale"),
        (write_mlx_lm, {"lora_parameters": None}, "scale"),
        (write_peft, {"use_dora": True}, "'dora'"),
        (write_peft, {"peft_type": "LOHA"}, "'loha'"),
        (write_peft, {"lora_alpha": None}, "scale"),
        (write_peft, {"fan_in_fan_out": True}, "transposed"),
    ],
)
def test_kinds_that_are_not_supported(
    tmp_path: Path, model: Path, write: Callable[..., Path], config: dict[str, Any], message: str
) -> None:
    adapter = write(tmp_path / "adapter", random_pairs(plain(model)), **config)
    assert message in refusal(model, adapter)


def test_what_is_no_adapter(tmp_path: Path, model: Path, adapter: Path) -> None:
    assert "not an adapter folder" in refusal(model, tmp_path / "absent")
    assert "not an adapter folder" in refusal(model, model)
    (adapter / "adapter_config.json").write_text("[")
    assert "JSON" in refusal(model, adapter)
    (adapter / "adapter_config.json").unlink()
    assert "no adapter_config.json" in refusal(model, adapter)


def test_a_damaged_adapter(model: Path, adapter: Path) -> None:
    import mlx.core as mx

    path = adapter / "adapters.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    assert "truncated" in refusal(model, adapter)
    mx.save_safetensors(str(path), {f"{LAYERS[0]}.lora_a": mx.zeros((32, 3))})
    assert "lacks its B" in refusal(model, adapter)
    mx.save_safetensors(str(path), {f"{LAYERS[0]}.lora_m": mx.zeros((32,))})
    assert "not supported" in refusal(model, adapter)
    mx.save_safetensors(str(path), {})
    assert refusal(model, adapter)


def test_the_starters_adapter_is_its_folder(tmp_path: Path) -> None:
    assert starter_adapter(tmp_path) is None
    write_own(tmp_path, {LAYERS[0]: (np.ones((4, 3)), np.ones((3, 4)))})
    found = starter_adapter(tmp_path)
    assert found is not None
    assert found.name == f"starter-{found.digest[:8]}"
    (tmp_path / "version").write_text("1.2\n")
    assert getattr(starter_adapter(tmp_path), "name", "") == "starter-1.2"


def test_the_starters_adapter_can_be_left_out_or_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adapter: Path
) -> None:
    own = open_adapter(write_own(tmp_path / "own", {LAYERS[0]: (np.ones((4, 3)), np.ones((3, 4)))}))
    monkeypatch.setattr("mlxjson.model.reference.starter_adapter", lambda: own)
    assert resolve("starter").adapter == own
    assert resolve("starter", with_starter_adapter=False).adapter is None
    assert resolve("starter", environ={"MLXJSON_STARTER_ADAPTER": "0"}).adapter is None
    assert resolve("starter", adapter=str(adapter)).adapter == open_adapter(adapter)
    bare = resolve("starter", with_starter_adapter=False)
    assert bare.identity != resolve("starter").identity


@pytest.mark.slow
def test_the_command_takes_an_adapter_and_says_which(
    tmp_path: Path, model: Path, adapter: Path
) -> None:
    command = ("gen", "-s", PERSON, "-m", str(model), "--max-tokens", "64", "--stats=json", "Ada")
    bare = mlxjson(*command, home=tmp_path)
    done = mlxjson(*command, "--adapter", str(adapter), home=tmp_path)
    assert figures(bare)["adapter"] == ""
    assert figures(done)["adapter"] == str(adapter)
    wrong = mlxjson(*command, "--adapter", str(tmp_path), home=tmp_path)
    assert wrong.code == 6
    assert len(wrong.lines) == 2
