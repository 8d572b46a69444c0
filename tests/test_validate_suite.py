"""The official JSON Schema test suite, judged by `mlxjson.validate` alone."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlxjson.errors import ConstraintError
from mlxjson.validate import prepare, read_store

SUITE = Path(__file__).resolve().parents[2] / "shared/suites/JSON-Schema-Test-Suite"
DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SUITE.is_dir(), reason=f"the official suite is not at {SUITE}"),
]


def dated(schema: Any, uri: str) -> Any:
    """The suite leaves `$schema` out where the folder says the draft."""
    return {"$schema": uri, **schema} if isinstance(schema, dict) else schema


def verdict(schema: Any, data: Any, remotes: dict[str, Any]) -> bool | str:
    try:
        return prepare(schema, store=remotes).check(json.dumps(data)) is None
    except ConstraintError as error:
        return error.message


def cases(draft: str, pattern: str) -> Iterator[tuple[str, Any, Any, bool]]:
    for file in sorted((SUITE / "tests" / draft).glob(pattern)):
        for case in json.loads(file.read_text(encoding="utf-8")):
            for test in case["tests"]:
                name = f"{file.name}: {case['description']}: {test['description']}"
                yield name, dated(case["schema"], DRAFTS[draft]), test["data"], test["valid"]


def wrong(draft: str, pattern: str) -> tuple[int, list[str]]:
    remotes = read_store(SUITE / "remotes", "http://localhost:1234")
    total, faults = 0, []
    for name, schema, data, valid in cases(draft, pattern):
        total += 1
        got = verdict(schema, data, remotes)
        if got is not valid:
            faults.append(f"{name}: {got}")
    return total, faults


def only_an_annotation(fault: str) -> bool:
    """`format` asserts here, which 2020-12 leaves to the implementation."""
    return fault.startswith("format.json: ") and "only an annotation" in fault


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_required_test_is_judged_right(draft: str) -> None:
    total, faults = wrong(draft, "*.json")
    assert total > 600
    assert [fault for fault in faults if not only_an_annotation(fault)] == []


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_format_is_judged_right(draft: str) -> None:
    total, faults = wrong(draft, "optional/format/*.json")
    assert total > 200
    assert faults == []


@pytest.mark.parametrize("draft", DRAFTS)
def test_optional_tests_are_judged_right(draft: str) -> None:
    """But for encoded content, an annotation only, and for a keyword that newer drafts replaced."""
    left = ("content.json", "dependencies-compatibility.json")
    _, faults = wrong(draft, "optional/*.json")
    assert [fault for fault in faults if not fault.startswith(left)] == []


BENCH = SUITE.parent / "jsonschemabench/dev-1500.jsonl.gz"


@pytest.mark.skipif(not BENCH.is_file(), reason=f"JSONSchemaBench is not at {BENCH}")
def test_every_instance_of_jsonschemabench_is_judged_right() -> None:
    with gzip.open(BENCH, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    faults = [
        f"{row['id']}: {test['valid']}"
        for row in rows
        for test in row["tests"]
        if verdict(row["schema"], test["data"], {}) is not test["valid"]
    ]
    assert faults == []
