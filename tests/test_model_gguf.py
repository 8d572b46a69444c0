"""GGUF files: every architecture and type that is promised, and every way a file can be broken."""

import gzip
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer as Backend

from mlxjson.errors import ModelError
from mlxjson.model import ModelFiles, load_network, load_tokenizer, resolve
from mlxjson.model.gguf_header import TYPES, TensorEntry, read_header
from mlxjson.model.gguf_load import load_gguf
from mlxjson.model.gguf_types import dequantise

from .tiny_gguf import CONFIGS, write_gguf, write_sentence_piece
from .tiny_model import make_tiny_model

IDS = [5, 80, 81, 200, 7]
# How far the logits of a 64-wide random model move when weights are rounded.
ROUNDING = {"F32": 1e-5, "F16": 1e-2, "BF16": 5e-2, "Q8_0": 5e-2, "Q4_0": 1, "Q4_1": 1, "Q5_0": 1}


def logits(model: Any) -> Any:
    import mlx.core as mx

    return np.array(model(mx.array([IDS], mx.int32)).astype(mx.float32))


@pytest.mark.parametrize("architecture", CONFIGS)
def test_an_architecture_computes_what_its_weights_say(tmp_path: Path, architecture: str) -> None:
    path = tmp_path / "model.gguf"
    original = write_gguf(path, architecture)
    network = load_network(resolve(str(path)), use_cache=False)
    assert network.device != "cpu" or np.allclose(logits(network), logits(original), atol=1e-5)
    assert network.context_length == 512
    assert network.width == logits(original).shape[-1]


@pytest.mark.parametrize("quantised", ROUNDING)
def test_a_type_reads_as_stored_and_as_float32(tmp_path: Path, quantised: str) -> None:
    path = tmp_path / "model.gguf"
    original = write_gguf(path, quantised=quantised)
    as_float32, _ = load_gguf(ModelFiles(path, "tiny"), float32=True)
    as_stored, _ = load_gguf(ModelFiles(path, "tiny"), float32=False)
    assert np.allclose(logits(as_float32), logits(original), atol=ROUNDING[quantised])
    assert np.allclose(logits(as_float32), logits(as_stored), atol=5e-2)


def test_quantised_matrices_stay_quantised_where_that_is_fast(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_gguf(path, quantised="Q4_0")
    model, _ = load_gguf(ModelFiles(path, "tiny"), float32=False)
    assert model.layers[0].self_attn.q_proj.bits == 4
    assert "scales" in model.model.embed_tokens


@pytest.mark.parametrize("kind", [name for name, block, _ in TYPES.values() if block > 1])
def test_every_block_type_is_read_as_ggml_reads_it(kind: str) -> None:
    import gguf

    block, size = next((block, size) for name, block, size in TYPES.values() if name == kind)
    assert (block, size) == gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[kind]]
    # Bytes below 60 make small finite numbers of every half-precision scale.
    raw = np.random.default_rng(0).integers(0, 60, 6 * size, np.uint8)
    tensor = TensorEntry((2, 3 * block), kind, 0, raw.size)
    expected = gguf.dequantize(raw.reshape(2, -1), gguf.GGMLQuantizationType[kind])
    assert np.array_equal(dequantise(raw, tensor), expected)


def test_the_float32_form_is_kept_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "model.gguf"
    write_gguf(path, quantised="Q4_1")
    first = logits(load_network(resolve(str(path))))
    (kept,) = (tmp_path / "cache" / "mlxjson" / "weights").iterdir()
    assert np.array_equal(first, logits(load_network(resolve(str(path)))))
    kept.write_bytes(b"broken")
    assert np.array_equal(first, logits(load_network(resolve(str(path)))))
    write_gguf(path, "qwen2", quantised="Q4_1")
    assert not np.array_equal(first, logits(load_network(resolve(str(path)))))


def test_a_cache_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("where the folder should be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    path = tmp_path / "model.gguf"
    original = write_gguf(path)
    assert np.allclose(logits(load_network(resolve(str(path)))), logits(original), atol=1e-5)


def test_the_tokenizer_is_the_one_of_the_folder(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_gguf(path)
    ours = load_tokenizer(resolve(str(path)))
    theirs = load_tokenizer(resolve(str(make_tiny_model(tmp_path / "folder"))))
    text = '<|im_start|>user\nthe other "true": [1, 22] Zoë\n<|im_end|>'
    for special in (True, False):
        assert ours.encode(text, special=special) == theirs.encode(text, special=special)
    assert ours.tokens == theirs.tokens
    assert ours.stop_ids == {2}
    assert ours.template is not None
    assert theirs.template is not None
    assert ours.template.source == theirs.template.source


def test_the_rotation_of_long_context_llama_is_divided_per_frequency() -> None:
    """A factor of 1 everywhere is the plain rotation, a factor of f stretches positions by f."""
    import mlx.core as mx

    from mlxjson.model.rotation import scaled_rotation

    config = {"head_dim": 16, "rope_theta": 10000.0, "rope_traditional": True}
    x = mx.random.normal((1, 2, 5, 16))
    plain = mx.fast.rope(x, 16, traditional=True, base=10000.0, scale=1.0, offset=3)
    ones = scaled_rotation(config | {"rope_factors": [1.0] * 8})
    assert mx.allclose(ones(x, offset=3), plain, atol=1e-5)
    slow = mx.fast.rope(x, 16, traditional=True, base=10000.0, scale=0.25, offset=3)
    fours = scaled_rotation(config | {"rope_factors": [4.0] * 8})
    assert mx.allclose(fours(x, offset=3), slow, atol=1e-5)


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({"split.count": 3}, "split"),
        ({"llama.expert_count": 8}, "experts"),
        ({"llama.rope.scaling.type": "longrope"}, "longrope"),
    ],
)
def test_what_is_not_supported_is_named(tmp_path: Path, extra: dict[str, Any], said: str) -> None:
    path = tmp_path / "model.gguf"
    write_gguf(path, extra=extra)
    with pytest.raises(ModelError, match=said):
        load_network(resolve(str(path)), use_cache=False)


def test_an_unknown_architecture_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_gguf(path)
    path.write_bytes(path.read_bytes().replace(b"llama", b"mamba"))
    with pytest.raises(ModelError, match="'mamba' is not supported"):
        load_network(resolve(str(path)), use_cache=False)


@pytest.mark.parametrize("pre", ["smollm", "qwen2", "llama-bpe", "default", "gpt-2"])
def test_known_pre_tokenizers_keep_the_text(tmp_path: Path, pre: str) -> None:
    path = tmp_path / "model.gguf"
    write_gguf(path, pre=pre)
    tokenizer = load_tokenizer(resolve(str(path)))
    text = "It's 2024, isn't it?\r\n\n  Zoë's  中文 123456 ::\t"
    assert tokenizer.text(tokenizer.encode(text, special=True)) == text


@pytest.mark.parametrize(
    ("options", "said"),
    [({"pre": "tekken-9"}, "tekken-9"), ({"tokenizer": "rwkv"}, "'rwkv' is not supported")],
)
def test_unknown_tokenizers_are_named(tmp_path: Path, options: dict[str, str], said: str) -> None:
    path = tmp_path / "model.gguf"
    write_gguf(path, **options)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=said):
        load_tokenizer(resolve(str(path)))


def test_a_truncated_file_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_gguf(path)
    content = path.read_bytes()
    for end in [0, 3, 4, 10, 30, *range(100, len(content), len(content) // 40), len(content) - 1]:
        path.write_bytes(content[:end])
        with pytest.raises(ModelError) as caught:
            load_network(resolve(str(path)), use_cache=False)
        assert str(path) in str(caught.value)
        assert str(caught.value).count("\n") <= 1


@pytest.mark.slow
def test_a_damaged_header_is_refused_and_costs_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    write_gguf(path)
    content = path.read_bytes()
    header = len(content) - sum(entry.size for entry in read_header(path).tensors.values())
    random = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        for place in random.integers(4, min(header, 20_000), 3):
            damaged[place] = random.integers(256)
        path.write_bytes(damaged)
        refused += refuses(load_tokenizer, path)
        refused += refuses(partial(load_network, use_cache=False), path)
    assert refused > 0


def refuses(load: Callable[[ModelFiles], object], path: Path) -> bool:
    """Whether `load` refuses the file; any other error than ModelError fails the test."""
    try:
        load(resolve(str(path)))
    except ModelError:
        return True
    return False


def test_text_with_the_name_of_a_gguf_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_text(json.dumps({"not": "a model"}))
    with pytest.raises(ModelError, match="not a GGUF file"):
        load_network(resolve(str(path)))


def _pair(merge: str | list[str]) -> list[str]:
    return merge.split(" ") if isinstance(merge, str) else merge


LLAMA2 = Path(__file__).parents[2] / "shared" / "tokenizers" / "llama2.tokenizer.json.gz"


def test_sentence_piece_from_scores_cuts_as_its_tokenizer_json_does(tmp_path: Path) -> None:
    if not LLAMA2.exists():
        pytest.skip(f"{LLAMA2} is not there")
    content = gzip.decompress(LLAMA2.read_bytes())
    original = Backend.from_buffer(content)
    model = json.loads(content)["model"]
    ranks = {"".join(_pair(merge)): -rank for rank, merge in enumerate(model["merges"])}
    pieces = list(model["vocab"])
    scores = [float(ranks.get(piece, 0)) for piece in pieces]
    write_sentence_piece(tmp_path / "model.gguf", pieces, scores)
    tokenizer = load_tokenizer(resolve(str(tmp_path / "model.gguf")))
    assert tokenizer.stop_ids == {2}
    for text in [
        "Hello world",
        "  Zoë's café, naïve: 12345 + 67.8 = ?",
        '{"name": "Ada Lovelace", "born": 1815, "tags": ["math", "poetry"]}',
        "def f(x):\n\treturn x ** 2  # square\r\n",
        "中文和日本語 😀 \x00",
    ]:
        expected = original.encode(text, add_special_tokens=False).ids
        assert tokenizer.encode(text, special=True) == expected
        assert tokenizer.encode(text, special=True, bos=True) == [1, *expected]
        assert tokenizer.text(tokenizer.encode(text, special=False)) == text
