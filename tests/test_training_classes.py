"""Classification and yes/no facts of the training data keep clear of what validation asks."""

import re
from collections import Counter
from random import Random

import numpy as np

from training import choices, classes, examples, extras, kindfile, themes
from training.grammar import slots
from training.packing import batches, padded
from training.splits import TRAIN, VALIDATION, part
from training.tokenise import Encoded, leaves_out

FAMILIES = {
    *("topic", "subject", "intent", "request", "tone", "theme", "domain", "fact", "yes or no"),
    *("which", "kind of document", "statement", "language", "thing"),
}


def training_tasks(count: int) -> list[classes.Labelled]:
    rng = Random(11)
    return [choices.labelled(TRAIN, rng) for _ in range(count)]


def test_training_shows_no_label_of_validation() -> None:
    shown = {
        re.sub(r"[_-]", " ", option).lower()
        for task in training_tasks(1500)
        for option in task.options
    }
    assert len(shown) > 1000
    assert not shown & classes.held_labels()


def test_the_right_label_stands_anywhere() -> None:
    places = Counter(
        task.options.index(task.gold) for task in training_tasks(1500) if len(task.options) == 4
    )
    assert min(places[n] for n in range(4)) > 0.15 * places.total()


def test_other_is_now_and_then_right_and_now_and_then_not() -> None:
    rng = Random(4)
    made = [themes.subject(rng) for _ in range(600)]
    offered = [task for task in made if any(o.lower() == "none of these" for o in task.options)]
    right = [task for task in offered if task.gold.lower() == "none of these"]
    assert 0 < len(right) < len(offered)


def test_every_piece_of_evidence_can_be_said() -> None:
    for name in ("themes.txt", *classes.files("themes")):
        for group, labels, evidence in classes.read_classes(name):
            assert all((group, *labels, *evidence)), labels
            for source in evidence:
                assert source.startswith("=") or not slots(source), source


def test_no_set_of_themes_has_a_label_twice() -> None:
    for group in themes._groups():
        shown = [label.lower() for one in group for label in set(one[1])]
        assert len(shown) == len(set(shown)), Counter(shown).most_common(3)


def test_code_stands_as_it_is_written() -> None:
    rng = Random(8)
    assert {themes._surrounded(["=print(x)"], rng) for _ in range(30)} == {"print(x)"}
    assert not any(themes.theme(rng).text.startswith("=") for _ in range(1000))


def test_the_share_of_classification_is_an_option() -> None:
    def share(**how: float) -> float:
        stream = examples.train_stream(6, **how)
        return sum(next(stream).kind in FAMILIES for _ in range(400)) / 400

    assert share(choices_share=1.0) == 1
    assert share(choices_share=0.0) == 0
    assert 0.3 < share() < 0.43


def test_wordings_of_yes_and_no_are_none_of_validations() -> None:
    held = {
        wording.lstrip("!").lower()
        for kind in kindfile.kinds()
        for field in kind.fields.values()
        for wordings in field.evidence.values()
        for wording in (wordings if kind.held_out else part(wordings, VALIDATION))
    }
    ours = {wording.lower() for _, _, yes, no in extras.flags() for wording in (*yes, *no)}
    assert len(ours) > 300
    assert not ours & held


def test_keys_count_where_the_schema_lets_some_be_left_out() -> None:
    one = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}
    assert not leaves_out(one)
    assert leaves_out({**one, "required": ["a"]})
    assert leaves_out({"type": "array", "items": {"type": "object", "properties": {"a": {}}}})
    assert not leaves_out(None)


def example(prompt: int, answer: int) -> Encoded:
    size = prompt + answer
    weights = np.array([0.0] * prompt + [1.0] * answer, np.float16)
    return Encoded(np.arange(1, size + 1, dtype=np.uint16), weights)


def test_a_batch_names_the_places_before_the_ids_of_its_answers() -> None:
    ids, places, weights = padded([example(5, 2), example(3, 1)])
    assert ids.shape == (2, 33)
    assert ids[:, 1:].reshape(-1)[places].tolist() == [6, 7, 4]
    assert weights.tolist() == [1.0, 1.0, 1.0]


def test_batches_hold_every_example_that_is_not_too_long() -> None:
    shard = [example(n, 3) for n in range(10, 400, 7)] + [example(1600, 2)]
    made = batches(shard, 1000, Random(1))
    assert sum(len(ids) for ids, _, _ in made) == len(shard) - 1
    assert all(int((ids > 0).sum()) <= 1000 for ids, _, _ in made)
