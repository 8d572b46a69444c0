"""Reasoning and certainty through the real command line."""

import json
from pathlib import Path

import pytest

from tests.command import PERSON, Outcome, mlxjson
from tests.tiny_model import make_tiny_model

ADA = "Ada Lovelace, 36, ada@example.org, lives in London."
AGE = (
    '{"type": "object", "properties": {"age": {"type": ["integer", "null"]}}, "required": ["age"]}'
)
CHOICES = ("choice", "The parcel never arrived.", "-c", "refund", "-c", "delivery", "-c", "praise")
THINKING = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n"
    "{% else %}<think>\n{% endif %}{% endif %}"
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def thinker(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model with random weights that reasons, by its template and its tokens."""
    folder = make_tiny_model(tmp_path_factory.mktemp("thinker"), template=THINKING)
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text())
    first = len(content["model"]["vocab"])
    for at, tag in enumerate(("<think>", "</think>")):
        token = content["added_tokens"][0] | {"id": first + at, "content": tag, "special": False}
        content["added_tokens"].append(token)
    path.write_text(json.dumps(content))
    return str(folder)


@pytest.fixture(scope="module")
def plain(home: Path) -> Outcome:
    return mlxjson("gen", "-s", PERSON, ADA, home=home)


def stats(outcome: Outcome) -> dict[str, int]:
    found: dict[str, int] = json.loads(outcome.lines[-1])
    return found


def test_a_confidence_stands_beside_the_result_as_it_is(home: Path, plain: Outcome) -> None:
    outcome = mlxjson("gen", "-s", PERSON, ADA, "--confidence", home=home)
    assert outcome.code == 0
    assert outcome.text.startswith(f'{{"result": {plain.text.rstrip()}, "confidence": {{')
    found = json.loads(outcome.text)
    assert list(found["confidence"]) == [f"/{name}" for name in found["result"]]
    assert all(0 < value <= 1 for value in found["confidence"].values())


def test_token_probabilities_stand_beside_the_result(home: Path) -> None:
    outcome = mlxjson(*CHOICES, "--logprobs", "--top-logprobs", "2", home=home)
    assert outcome.code == 0
    found = json.loads(outcome.text)
    assert "".join(token["token"] for token in found["logprobs"]) == found["result"]
    assert all(token["logprob"] <= 0 for token in found["logprobs"])
    assert all(len(token["top_logprobs"]) <= 2 for token in found["logprobs"])


def test_what_is_not_sure_enough_is_null_or_exit_5(home: Path) -> None:
    asked = ("gen", "A woman of about thirty or forty.", "--min-confidence", "1")
    outcome = mlxjson(*asked, "-s", AGE, home=home)
    assert (outcome.code, outcome.text) == (0, '{"age": null}\n')
    refused = mlxjson(*asked, "-s", AGE.replace(', "null"', ""), home=home)
    assert (refused.code, refused.out) == (5, b"")
    assert "not sure of /age" in refused.lines[0]


def test_probabilities_of_choices_add_up_to_one_in_their_order(home: Path) -> None:
    outcome = mlxjson(*CHOICES, "--probs", "--stats", home=home)
    found = json.loads(outcome.text)
    assert list(found) == ["refund", "delivery", "praise"]
    assert sum(found.values()) == pytest.approx(1, abs=1e-4)
    assert stats(outcome)["forward_passes"] == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--raw", "--confidence"),
        ("--stream", "--min-confidence", "0.5"),
        ("--stream", "--logprobs"),
    ],
)
def test_options_that_contradict_each_other_are_refused(
    home: Path, options: tuple[str, ...]
) -> None:
    outcome = mlxjson("gen", "-s", PERSON, ADA, *options, home=home)
    assert (outcome.code, outcome.out) == (2, b"")


def test_reasoning_never_reaches_standard_output(home: Path, thinker: str) -> None:
    asked = ("gen", "-m", thinker, "-s", '{"enum": [12, 345]}', "?", "--think-budget", "6")
    hidden = mlxjson(*asked, "--stats", home=home)
    assert hidden.code == 0, hidden.err
    assert json.loads(hidden.text) in (12, 345)
    assert stats(hidden)["thinking_tokens"] > 6
    assert "budget of 6" in hidden.lines[0]
    shown = mlxjson(*asked, "--show-thinking", "-q", home=home)
    assert shown.out == hidden.out
    assert shown.err.strip()


def test_reasoning_can_be_switched_off(home: Path, thinker: str) -> None:
    asked = ("-m", thinker, "-s", '{"enum": [12, 345]}', "?", "--think", "off", "--stats")
    outcome = mlxjson("gen", *asked, home=home)
    assert outcome.code == 0
    assert stats(outcome)["thinking_tokens"] == 0


def test_rows_of_a_batch_reason_each_for_itself(home: Path, thinker: str, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "one"}\n{"text": "two"}\n')
    asked = ("-m", thinker, "-s", '{"enum": [12, 345]}', "--think-budget", "4", "--batch", "2")
    outcome = mlxjson("gen", *asked, "--input", str(rows), "--bare", home=home)
    assert outcome.code == 0, outcome.err
    assert [json.loads(line) in (12, 345) for line in outcome.text.splitlines()] == [True, True]


def test_probabilities_come_after_the_reasoning(home: Path, thinker: str) -> None:
    asked = ("-m", thinker, "?", "-c", "a", "-c", "b", "--probs", "--think-budget", "4", "--stats")
    outcome = mlxjson("choice", *asked, home=home)
    assert outcome.code == 0, outcome.err
    assert sum(json.loads(outcome.text).values()) == pytest.approx(1, abs=1e-4)
    assert stats(outcome)["thinking_tokens"] > 4
