"""Requests of a general kind, which guard against forgetting, and the turns written under them."""

import re
from random import Random

import pytest

from training import general, side_by_side
from training.turns import Written, ends_sentence, pieces, repeating, together


@pytest.fixture(scope="module")
def asked() -> list[general.Request]:
    rng = Random(5)
    return [general.request(rng) for _ in range(4000)]


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{4,}", text.lower()))


def test_requests_differ(asked: list[general.Request]) -> None:
    assert len({one.task for one in asked}) > 0.7 * len(asked)


def test_no_request_is_one_that_free_text_is_judged_by(asked: list[general.Request]) -> None:
    judged = [words(prompt) for prompt, _ in side_by_side._PROMPTS]
    for one in asked:
        own = words(one.task)
        near = max(len(own & other) / len(own | other or {""}) for other in judged)
        assert near < 0.7, one.task


def test_every_value_has_a_field_and_some_are_free_text(asked: list[general.Request]) -> None:
    for one in asked:
        if one.schema is None:
            assert pieces(one) == ["", ""]
            continue
        assert list(one.values) == list(one.schema["properties"])
        assert len(pieces(one)) == 1 + sum(value is None for value in one.values.values())


def test_what_is_given_stands_around_the_free_texts() -> None:
    one = general.Request("", {}, {"text": None, "age": 7, "note": None})
    assert pieces(one) == ['{"text": "', '", "age": 7, "note": "', '"}']


@pytest.mark.parametrize(
    ("ids", "expected"),
    [([], set()), ([1, 2, 3], set()), ([1, 2, 3, 1, 2], {3}), ([1, 1, 1], {1}), ([1, 2], set())],
)
def test_an_id_repeats_where_three_would_stand_twice(ids: list[int], expected: set[int]) -> None:
    assert repeating(ids) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("It rains.", True), ("Why?", True), ("first, 1.", False), ("", False), ("and so", False)],
)
def test_a_sentence_ends_with_its_mark(text: str, expected: bool) -> None:
    assert ends_sentence(text) is expected


def turn(ids: list[int], sentences: list[int]) -> Written:
    made = Written()
    made.told([90, 91])
    made.chosen(ids, sentences, closing=99)
    made.told([92, 93], after_text=True)
    return made


def test_the_places_of_a_batch_lead_to_the_ids_of_its_texts() -> None:
    text = [*range(1, 40), 1, 2]
    batch = together([turn([7, 8], []), turn(text, [4, 30])])
    ids, places, _ = batch.batch
    following = ids[:, 1:].reshape(-1)[places]
    assert following.tolist() == [7, 8, 92, *text, 92]
    # After 1, 2 a 3 would make three ids stand twice; a text of four ids is too short to end.
    assert batch.banned.tolist() == [[3 + len(text), 3]]
    assert batch.closed.tolist() == [[3 + 30, 99]]
