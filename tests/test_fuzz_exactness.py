"""No document that the audit calls exact is invalid, and `check` judges as validation does."""

from collections import Counter

import pytest

from tests.emit_fuzz import compare, run

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("first", range(0, 2400, 200))
def test_what_is_exact_is_valid(first: int) -> None:
    count: Counter[str] = Counter()
    wrong = [line for seed in range(first, first + 200) for line in run(seed, count)]
    assert not wrong
    # The walk must mean something: most schemas give documents, many are exact.
    assert count["schemas"] > 150
    assert count["documents"] > 280
    assert count["exact"] > 40


@pytest.mark.parametrize("first", range(10_000, 10_600, 200))
def test_check_judges_as_validation_does(first: int) -> None:
    count: Counter[str] = Counter()
    wrong = [line for seed in range(first, first + 200) for line in compare(seed, count)]
    assert not wrong
    assert count["values"] > 2000
