"""The official suite, its formats, and real-world schemas, judged as `check --cases` judges."""

import itertools

import pytest

from mlxjson.check import check_case, compiler
from mlxjson.grammar import Engine
from tests.grammar_helpers import qwen3
from tests.schema_scores import META, SUITES, bench, remotes
from tests.tools.score import Tally, cases, count

pytestmark = pytest.mark.slow


def tally(name: str) -> Tally:
    if not SUITES.exists():
        pytest.skip(f"{SUITES} is not there")
    compile_, store, found = compiler(Engine(qwen3())), remotes(), Tally()
    rows = itertools.islice(bench(), 0, None, 10) if name == "bench" else cases(name)
    for label, schema, tests in rows:
        row = {"id": label, "schema": schema, "instances": [data for data, _ in tests]}
        count(found, check_case(row, compile_, store=store), tests)
    return found


@pytest.mark.parametrize("draft", META)
def test_nothing_wrong_passes_in_silence_and_most_is_right(draft: str) -> None:
    found = tally(draft)
    assert found.silent == 0
    assert found.right >= 0.95 * found.tests
    assert found.valid >= 0.98 * found.tests


def test_formats() -> None:
    found = tally("formats")
    assert found.silent == 0
    assert found.right >= 0.9 * found.tests
    assert found.valid >= 0.97 * found.tests


def test_every_tenth_real_world_schema() -> None:
    found = tally("bench")
    assert found.silent == 0
    assert found.errors == 0
    assert found.whole >= 0.97 * found.cases
    assert found.valid >= 0.99 * found.tests
