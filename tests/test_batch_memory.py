"""Thousands of rows and schemas in a memory that stays flat."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.batch_helpers import jsonl
from tests.command import ROOT

_RUN = """
import json, resource, sys
from mlxjson.batch.engine import BatchLane
from mlxjson.batch.source import from_name
from mlxjson.batch.tasks import Defaults
from tests.batch_helpers import session_of
from tests.scripted import always
from tests.scripted_batch import BatchModel

def memory_kb():
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * resource.getpagesize() // 1024

options = {"stream": False, "max_tokens": 12, "draft": 0}
lane = BatchLane(session_of(BatchModel(always(b"q", b"7"))), Defaults(options=options), 8)
done, at_first, peak_first, peak = 0, int(sys.argv[2]), 0, 0
for group in lane(from_name(sys.argv[1]).rows()):
    done += len(group)
    assert all(outcome.ok for outcome in group), group
    peak = max(peak, memory_kb())
    if done <= at_first:
        peak_first = peak
print(json.dumps([done, peak_first, peak]))
"""


def peaks(tmp_path: Path, rows: int, schemas: int, first: int) -> tuple[int, int]:
    """The peak memory, in KB, after `first` rows and after all."""
    source = tmp_path / "in.jsonl"
    source.write_bytes(jsonl(row(i, i % schemas) for i in range(rows)))
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(source), str(first)],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    counted, peak_first, peak = map(int, done.stdout.decode().strip("[]\n").split(","))
    assert counted == rows
    return peak_first, peak


def row(number: int, schema: int) -> dict[str, object]:
    properties = {f"p{schema}": {"enum": [schema, f"s{schema}"]}, "q": {"type": "boolean"}}
    given = {"type": "object", "properties": properties, "required": [f"p{schema}", "q"]}
    return {"id": number, "text": f"text {number}", "schema": given, "max_tokens": 60}


@pytest.mark.slow
def test_peak_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    first, last = peaks(tmp_path, rows=1500, schemas=500, first=400)
    assert last < 1.1 * first
