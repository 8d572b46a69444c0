"""How sure the model was of a value: its probability under the constraint."""

import json
from collections.abc import Callable
from math import exp, log
from typing import Any

import numpy as np
import pytest

from mlxjson.confidence import envelope, withheld
from mlxjson.constraint import Choice, JsonSchema, Regex
from mlxjson.errors import InvalidDocument
from mlxjson.grammar.mask import allowed_ids, empty_mask
from mlxjson.prepared import matcher_of
from mlxjson.session import Session
from mlxjson.task import Result, Task
from tests.batch_helpers import Model, session_of
from tests.scripted import TOKENS, encode, random_logits

PROMPT = "how much?"


def objects(**properties: Any) -> JsonSchema:
    return JsonSchema({"type": "object", "properties": properties, "required": list(properties)})


PERSON = objects(name={"enum": ["Ada", "Bob", "Böb"]}, age={"type": "integer"})
SHAPES = [
    PERSON,
    objects(a={"enum": [3, 34, 345]}, b={"type": "boolean"}),
    objects(a={"type": "array", "items": {"enum": [1, 2]}, "minItems": 2, "maxItems": 3}),
    objects(é={"type": "string", "maxLength": 3}),
    JsonSchema({"type": "integer", "minimum": 0, "maximum": 9999}),
    JsonSchema({"enum": ["a", "ab", None, 5, 55]}),
]


@pytest.fixture(scope="module")
def session() -> Session:
    return session_of(Model())


def run(session: Session, constraint: Any, **options: Any) -> Result:
    options = {"confidence": True, "temperature": 1.0, "max_tokens": 60, **options}
    result = session.run(Task(constraint, PROMPT, **options))
    assert result.finish == "stop"
    return result


def replayed(session: Session, constraint: Any, ids: list[int]) -> list[np.ndarray]:
    """The probabilities of all ids at each place of an output, worked out without the loop."""
    enforced = session.prepared(constraint).enforcement()
    matcher = matcher_of(enforced, session.engine)
    rows = []
    for at in range(len(ids) + 1):
        row = empty_mask(len(TOKENS))
        matcher.fill(row)
        allowed = allowed_ids(row)
        probabilities = np.zeros(len(TOKENS))
        logits = random_logits([*encode(PROMPT), *ids[:at]])[allowed].astype(np.float64)
        probabilities[allowed] = np.exp(logits) / np.exp(logits).sum()
        rows.append(probabilities)
        if at < len(ids):
            assert matcher.accept(ids[at])
    return rows


def expected(session: Session, constraint: Any, result: Result) -> dict[str, float]:
    """The confidences, from the tokens that were written and the definition alone."""
    assert result.logprobs is not None
    ids = [TOKENS.index(score.token) for score in result.logprobs]
    rows = replayed(session, constraint, ids)
    ends = np.cumsum([len(TOKENS[i]) for i in ids])
    rests = [b"".join(TOKENS[i] for i in ids[at:]) for at in range(len(ids))]
    found = {}
    for pointer, (start, end) in _leaves(result.text):
        parts = [
            sum(rows[at][i] for i, token in enumerate(TOKENS) if token and rest.startswith(token))
            for at, rest in enumerate(rests)
            if ends[at] > start and ends[at] - len(TOKENS[ids[at]]) < end
        ]
        if result.text.encode()[start:end].strip(b"-0123456789") == b"" and end in (0, *ends):
            behind = int(np.searchsorted(ends, end, side="right"))
            digits = [i for i, t in enumerate(TOKENS) if t[:1] in b"0123456789.eE+-" and t]
            parts.append(1 - rows[behind][digits].sum())
        found[pointer] = float(np.prod(parts))
    return found


def _leaves(text: str) -> list[tuple[str, tuple[int, int]]]:
    from mlxjson.validate import spans

    def place(character: int) -> int:
        return len(text[:character].encode())

    return [
        (pointer, (place(start), place(end)))
        for pointer, (start, end) in spans(text).items()
        if text[start] not in "[{"
    ]


@pytest.mark.parametrize("constraint", SHAPES)
@pytest.mark.parametrize("draft", [0, 8])
def test_it_is_the_product_over_the_tokens_that_write_the_value(
    session: Session, constraint: Any, draft: int
) -> None:
    for seed in range(6):
        result = run(session, constraint, seed=seed, logprobs=True, draft=draft)
        assert result.confidence is not None
        found = expected(session, constraint, result)
        assert result.confidence.keys() == found.keys()
        for pointer, value in found.items():
            assert result.confidence[pointer] == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize(
    "values", [[3, 34, 345], ["x", "xy", "z"], [True, False], [None, 7, "q"], [0.5, 5, 55]]
)
def test_of_all_values_together_it_is_one(session: Session, values: list[Any]) -> None:
    found: dict[str, float] = {}
    for seed in range(80):
        result = run(session, objects(a={"enum": values}), seed=seed)
        assert result.confidence is not None
        found[json.dumps(json.loads(result.text)["a"])] = result.confidence["/a"]
    assert len(found) == len(values)
    assert sum(found.values()) == pytest.approx(1, abs=1e-4)


def test_what_is_forced_is_certain(session: Session) -> None:
    result = run(session, objects(kind={"const": "person"}, n={"const": 12}))
    assert result.confidence == {"/kind": 1.0, "/n": 1.0}
    assert result.stats.forward_passes == 0


def test_jumps_stay_on_for_values_and_go_off_for_tokens(session: Session) -> None:
    plain = run(session, PERSON, confidence=False)
    sure = run(session, PERSON)
    tokens = run(session, PERSON, logprobs=True)
    assert sure.stats.forced_tokens == plain.stats.forced_tokens > 0
    assert tokens.stats.forced_tokens == 0


def test_asking_changes_nothing_of_the_document(session: Session) -> None:
    for seed in range(10):
        plain = run(session, PERSON, confidence=False, seed=seed)
        assert run(session, PERSON, seed=seed).text == plain.text


def test_tokens_have_the_logarithm_of_their_probability(session: Session) -> None:
    result = run(session, PERSON, logprobs=True, top_logprobs=3, temperature=0.0)
    assert result.logprobs is not None
    assert b"".join(score.token for score in result.logprobs) == result.text.encode()
    ids = [TOKENS.index(score.token) for score in result.logprobs]
    for at, row in enumerate(replayed(session, PERSON, ids)[:-1]):
        score = result.logprobs[at]
        assert score.logprob == pytest.approx(log(row[ids[at]]), abs=1e-4)
        assert score.top[0] == (score.token, pytest.approx(score.logprob))
        assert len(score.top) == min(3, np.count_nonzero(row))
        assert sum(exp(logprob) for _, logprob in score.top) < 1.0001


def test_a_text_has_one_confidence(session: Session) -> None:
    result = run(session, Regex("[ab]c"))
    assert result.confidence is not None
    assert list(result.confidence) == [""]
    assert 0 < result.confidence[""] < 1


def test_a_choice_is_as_sure_as_its_probability(session: Session) -> None:
    found = {}
    for seed in range(40):
        result = run(session, Choice(("x", "xy", "z")), seed=seed)
        found[result.text] = (result.confidence or {})[""]
    assert sum(found.values()) == pytest.approx(1, abs=1e-4)


def test_a_retry_keeps_scores_and_tokens_together(session: Session) -> None:
    items = {"enum": [1, 2, 3]}
    unique = {"type": "array", "items": items, "minItems": 2, "maxItems": 2, "uniqueItems": True}
    for seed in range(12):
        result = run(session, JsonSchema(unique), seed=seed, retries=5, logprobs=True)
        assert result.logprobs is not None
        assert b"".join(score.token for score in result.logprobs) == result.text.encode()


NULLABLE = objects(name={"type": ["string", "null"], "maxLength": 6}, age={"const": 5})


def test_a_value_below_the_least_becomes_null_where_that_is_valid(session: Session) -> None:
    plain = run(session, NULLABLE, seed=3)
    unsure, age = (plain.confidence or {}).values()
    assert unsure < age
    result = run(session, NULLABLE, seed=3, min_confidence=(unsure + age) / 2)
    name = json.dumps(json.loads(plain.text)["name"], ensure_ascii=False)
    assert result.text == plain.text.replace(name, "null", 1)
    assert result.confidence == plain.confidence


def test_a_value_below_the_least_is_invalid_where_null_is(session: Session) -> None:
    result = session.run(Task(PERSON, PROMPT, min_confidence=1.0))
    assert result.finish == "invalid"
    with pytest.raises(InvalidDocument, match="not sure of /name"):
        result.checked()


def test_sure_enough_is_left_alone(session: Session) -> None:
    plain = run(session, PERSON)
    least = min((plain.confidence or {}).values())
    assert run(session, PERSON, min_confidence=least).text == plain.text


@pytest.mark.parametrize(
    ("text", "low", "left"),
    [
        ('{"a": "é\\n", "b": [1, {"c": 2}]}', {"/a": 0.1}, '{"a": null, "b": [1, {"c": 2}]}'),
        (
            '{"a": 1, "b": [1, {"c": 2}]}',
            {"/b/1/c": 0, "/a": 0},
            '{"a": null, "b": [1, {"c": null}]}',
        ),
        ('"x"', {"": 0.2}, "null"),
        ("[ [] , 1e5 ]", {"/0": 0.2, "/1": 0.9}, "[ null , 1e5 ]"),
    ],
)
def test_nulls_leave_the_rest_as_it_was(text: str, low: dict[str, float], left: str) -> None:
    assert withheld(text, low, 0.5, lambda _text: None) == (left, None)


def test_the_first_value_that_is_not_sure_enough_is_named() -> None:
    from mlxjson.validate import check

    refuse: Callable[[str], Any] = lambda text: check(text, {"items": {"type": "integer"}})  # noqa: E731
    text, failure = withheld("[1, 2, 3]", {"/0": 0.9, "/1": 0.1, "/2": 0.2}, 0.5, refuse)
    assert text == "[1, 2, 3]"
    assert failure is not None
    assert failure.pointer == "/1"


def test_an_envelope_holds_the_result_byte_for_byte() -> None:
    result = '{ "a" : 1.50e1,\n "b":"\\u00e9"}'
    text = envelope(result, {"/a": 0.5}, None)
    assert text == '{"result": ' + result + ', "confidence": {"/a": 0.5}}'
    assert json.loads(text)["result"] == json.loads(result)
