"""The starter's training data: right answers, seeds that hold, splits that share nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

from training import choices, examples, kindfile, naming, numerals, validation
from training.grammar import expand, parse, say, slots
from training.scoring import leaves, score
from training.splits import TRAIN, VALIDATION, part
from training.tokenise import rendered, stretches

PROBE = Path(__file__).parents[2] / "shared" / "probe" / "extraction-15.jsonl"


def made(split: str, count: int, seed: int = 1, held_out: bool = False) -> list[examples.Example]:
    rng = Random(seed)
    return [examples.extraction(split, rng, held_out) for _ in range(count)]


def names(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties":
                yield from value
            yield from names(value)
    if isinstance(schema, list):
        for item in schema:
            yield from names(item)


@pytest.fixture(scope="module")
def train() -> list[examples.Example]:
    return made(TRAIN, 150)


@pytest.fixture(scope="module")
def held() -> list[examples.Example]:
    return made(VALIDATION, 60)


def test_every_answer_is_valid_under_its_schema(train: list[examples.Example]) -> None:
    for one in train:
        jsonschema.validate(json.loads(one.answer), one.schema)


def test_keys_come_in_the_order_of_the_schema(train: list[examples.Example]) -> None:
    for one in train:
        if one.schema.get("type") == "object":
            order = list(one.schema["properties"])
            assert list(one.gold) == [key for key in order if key in one.gold]


def test_most_answers_are_spaced(train: list[examples.Example]) -> None:
    spaced = [one for one in train if one.answer == json.dumps(one.gold, ensure_ascii=False)]
    assert len(spaced) > len(train) * 0.7


def test_copied_strings_stand_in_the_text(train: list[examples.Example]) -> None:
    strings = [
        (one.text, leaf)
        for one in train
        for path, leaf in leaves(one.gold).items()
        if isinstance(leaf, str)
    ]
    found = [leaf for text, leaf in strings if leaf in text]
    # The others are enums, dates and times in another form.
    assert len(found) > len(strings) * 0.6


def test_the_same_seed_gives_the_same_examples() -> None:
    stream = examples.train_stream(3)
    first = [next(stream) for _ in range(8)]
    stream = examples.train_stream(3)
    assert [next(stream) for _ in range(8)] == first
    stream = examples.train_stream(4)
    assert [next(stream) for _ in range(8)] != first


def test_splits_share_no_frames_and_no_field_names(
    train: list[examples.Example], held: list[examples.Example]
) -> None:
    assert not {one.frame for one in train} & {one.frame for one in held}
    ours = {name.lower() for one in train for name in names(one.schema) if len(name) > 3}
    theirs = {name.lower() for one in held for name in names(one.schema)}
    assert not ours & theirs


def test_nearly_every_frame_is_new(train: list[examples.Example]) -> None:
    assert len({one.frame for one in train}) > len(train) * 0.97


def test_held_out_families_are_kept_from_training(train: list[examples.Example]) -> None:
    held = {kind.name for kind in kindfile.kinds() if kind.held_out}
    assert len(held) >= 8
    assert not {one.kind for one in train} & held
    assert {one.kind for one in made(VALIDATION, 10, held_out=True)} <= held


def test_validation_labels_are_unseen() -> None:
    def labels(split: str) -> set[str]:
        rng = Random(2)
        found = (choices.labelled(split, rng) for _ in range(120))
        return {
            option.lower().replace("_", " ")
            for one in found
            if one.family in {"topic", "intent"}
            for option in one.options
        }

    assert not labels(TRAIN) & labels(VALIDATION)


def test_a_classification_answer_is_one_of_its_options() -> None:
    rng = Random(5)
    for split in (TRAIN, VALIDATION):
        for _ in range(40):
            one = choices.labelled(split, rng)
            assert one.gold in one.options
            assert 2 <= len(one.options) == len(set(one.options))


def test_name_lists_are_divided() -> None:
    items = [f"name {number}" for number in range(100)]
    ours, theirs = part(items, TRAIN), part(items, VALIDATION)
    assert not set(ours) & set(theirs)
    assert len(theirs) == 17
    assert len(ours) == 83


def test_nothing_of_the_probe_is_in_the_training_texts() -> None:
    if not PROBE.exists():
        pytest.skip("the probe texts are not there")

    def runs(text: str) -> set[tuple[str, ...]]:
        words = text.split()
        return {tuple(words[i : i + 6]) for i in range(len(words) - 5)}

    probe = [json.loads(line) for line in PROBE.read_text("utf-8").splitlines()]
    known = set().union(*(runs(row["text"]) for row in probe))
    assert not known & set().union(*(runs(one.text) for one in made(TRAIN, 200, seed=9)))


def test_a_grammar_chooses_fills_and_writes_parentheses() -> None:
    assert say("a(b|b)c {d}", Random(1)) == "abc (d)"
    assert slots("(x [one]|[two:ord])") == {"one", "two"}
    assert {say("(a|b|)", Random(n)) for n in range(30)} == {"a", "b", ""}
    assert expand("[n:ord] floor", Random(1))[1] == " floor"
    with pytest.raises(ValueError, match="missing"):
        parse("(a|b")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "zero"),
        (12, "twelve"),
        (45, "forty-five"),
        (300, "three hundred"),
        (1234, "one thousand two hundred and thirty-four"),
    ],
)
def test_numbers_in_words(number: int, text: str) -> None:
    assert numerals.words(number) == text


def test_field_names_belong_to_one_split() -> None:
    assert naming.belongs("invoice_number", TRAIN) != naming.belongs("invoiceNumber", VALIDATION)
    assert naming.styled(["date", "of", "birth"], "camel") == "dateOfBirth"


def test_stretches_part_what_is_forced_from_what_is_chosen() -> None:
    answer = '{"a": "x, \\"y\\"", "b": [1, true], "c": {"d": null}}'
    pieces = stretches(answer)
    assert "".join(text for text, _ in pieces) == answer
    assert [text for text, free in pieces if free] == ['x, \\"y\\""', "1", "true", "null"]


def test_scores_count_leaves() -> None:
    gold = {"a": " X", "b": [1, 2], "c": [{"d": 1.0}, {"d": None}], "e": True}
    assert score({"a": "x", "b": [1, 2], "c": [{"d": 1}, {"d": None}], "e": 1}, gold)[:2] == (4, 5)
    assert score(None, gold)[0] == 0


def test_validation_sets_are_fixed() -> None:
    assert validation.labels(3) == validation.labels(3)
    assert all(3 <= len(one.options) <= 6 for one in validation.labels(5))


def test_prompts_are_what_the_starters_template_gives() -> None:
    from mlxjson.errors import ModelError
    from mlxjson.model import load_tokenizer, resolve

    try:
        tokenizer = load_tokenizer(resolve("starter"))
    except ModelError:
        pytest.skip("the starter model is not installed")
    for messages in (
        [{"role": "user", "content": "a"}],
        [{"role": "system", "content": "b"}, {"role": "user", "content": "a"}],
    ):
        assert rendered(messages) == tokenizer.template.render(messages)
