"""The official suite and real-world schemas, judged by the table of nodes alone."""

from collections import Counter

import pytest

from mlxjson.errors import ConstraintError
from tests.schema_scores import META, SUITES, Group, bench, judge, remotes, suite

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SUITES.is_dir(), reason=f"the suites are not at {SUITES}"),
]


def counted(groups: list[Group], store: object) -> Counter[str]:
    count: Counter[str] = Counter()
    for _, schema, tests in groups:
        verdicts, program, _ = judge(schema, tests, store)
        wanted = [valid for _, valid in tests]
        count["tests"] += len(tests)
        count["groups"] += 1
        count["right"] += sum(a == b for a, b in zip(verdicts, wanted, strict=False))
        count["whole"] += verdicts == wanted
        count["errors"] += isinstance(program, ConstraintError)
        if not getattr(program, "findings", ()):
            count["unsound"] += sum(a and not b for a, b in zip(verdicts, wanted, strict=False))
    return count


@pytest.mark.parametrize("draft", META)
def test_the_official_suite(draft: str) -> None:
    count = counted(list(suite(draft)), remotes())
    assert count["unsound"] == 0
    assert count["right"] >= 0.98 * count["tests"]


def test_real_world_schemas() -> None:
    count = counted(list(bench()), None)
    assert count["unsound"] == 0
    assert count["whole"] >= 0.99 * count["groups"]
    assert count["errors"] <= 0.002 * count["groups"]
