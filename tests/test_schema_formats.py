"""Formats as languages: every word passes the validators, and the official suite's verdicts."""

import json
import random
import warnings
from pathlib import Path

import jsonschema
import pytest

from mlxjson.regular import to_ebnf
from mlxjson.schema.formats import FORMATS, format_language, is_exact
from mlxjson.validate.formats import conforms
from tests.regular_fuzz import Grammar, word

SUITE = (
    Path(__file__).resolve().parents[2]
    / "shared/suites/JSON-Schema-Test-Suite/tests/draft2020-12/optional/format"
)
needs_suite = pytest.mark.skipif(not SUITE.is_dir(), reason=f"the official suite is not at {SUITE}")


def suite_strings(name: str) -> list[tuple[str, bool]]:
    groups = json.loads((SUITE / f"{name}.json").read_text(encoding="utf-8"))
    return [
        (test["data"], test["valid"])
        for group in groups
        for test in group["tests"]
        if isinstance(test["data"], str)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_every_word_passes_both_validators(name: str) -> None:
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    language = format_language(name)
    assert language is not None
    rng = random.Random(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(60 if name in ("regex", "iri", "iri-reference") else 400):
            sample = word(language.node, rng)
            assert checker.conforms(sample, name), sample
            assert conforms(name, sample), sample


@needs_suite
def test_the_suite_is_judged_right_nine_times_of_ten() -> None:
    wrong = []
    total = 0
    for name in FORMATS:
        language = format_language(name)
        assert language is not None
        for text, valid in suite_strings(name):
            total += 1
            if language.accepts(text) != valid:
                wrong.append((name, text, valid))
    assert len(wrong) < 0.08 * total
    assert [entry for entry in wrong if not entry[2]] == [], "accepts what the suite refuses"


@needs_suite
@pytest.mark.parametrize("name", FORMATS)
def test_a_language_called_exact_has_every_valid_text(name: str) -> None:
    language = format_language(name)
    assert language is not None
    missing = [text for text, valid in suite_strings(name) if valid and not language.accepts(text)]
    assert not (missing and is_exact(name)), missing


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_a_small_grammar(name: str) -> None:
    language = format_language(name)
    assert language is not None
    start, rules = to_ebnf(language, "f", "json")
    assert len(start) + sum(map(len, rules)) < 8000
    sample = language.shortest()
    assert Grammar(start, rules).accepts(json.dumps(sample)[1:-1])


@pytest.mark.parametrize(
    ("day", "real"),
    [
        ("2024-02-29", True), ("2023-02-29", False), ("1900-02-29", False), ("2000-02-29", True),
        ("2023-04-31", False), ("2023-12-31", True), ("2023-00-10", False), ("0000-01-01", False),
    ],
)  # fmt: skip
def test_months_have_their_real_lengths(day: str, real: bool) -> None:
    language = format_language("date")
    assert language is not None
    assert language.accepts(day) == real


def test_unknown_formats_have_no_language() -> None:
    assert format_language("color") is None
    assert not is_exact("color")
