"""Several processes on one batch, under MLX's own launcher on loopback."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlxjson.batch.outputs import done_in, join, part, parts
from mlxjson.batch.records import Fault, Outcome
from mlxjson.batch.rows import Row
from tests.batch_helpers import jsonl
from tests.command import ROOT, environment
from tests.tiny_model import make_tiny_model

Launched = Callable[..., subprocess.CompletedProcess[str]]

LAUNCH = shutil.which("mlx.launch", path=str(Path(sys.executable).parent))


def line(row: Row) -> bytes:
    fault = Fault(2, "twice", "/id") if row.is_double else None
    return Outcome(row, f'"{row.number}"', fault=fault).line()


ROWS = [*(Row(i, f"row {i}", {}) for i in range(1, 9)), Row(9, "row 3", {}, "twice", True)]


def test_parts_are_joined_in_the_order_of_the_rows(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    shuffled = random.Random(1).sample(ROWS, len(ROWS))
    output.write_bytes(b"".join(map(line, shuffled[:2])))
    for rank in range(3):
        part(output, rank * 5).write_bytes(b"".join(map(line, shuffled[2 + rank :: 3])))
    assert [path.name for path in parts(output)] == ["out.0.jsonl", "out.5.jsonl", "out.10.jsonl"]
    assert len(done_in(output)) == len(ROWS)
    join(output, ROWS)
    assert output.read_bytes() == b"".join(map(line, ROWS))
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_a_join_that_was_cut_short_doubles_nothing(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    whole = b"".join(map(line, ROWS))
    output.write_bytes(whole)
    part(output, 0).write_bytes(whole[: len(whole) // 2])
    join(output, ROWS)
    assert output.read_bytes() == whole


def test_lines_of_rows_that_are_no_longer_asked_for_are_kept(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    part(output, 0).write_bytes(b"".join(map(line, ROWS)))
    join(output, ROWS[4:8])
    assert output.read_bytes() == b"".join(map(line, [*ROWS[4:8], *ROWS[:4], ROWS[8]]))


@pytest.fixture(scope="module")
def run(
    tmp_path_factory: pytest.TempPathFactory,
) -> Launched:
    home = tmp_path_factory.mktemp("home")
    model = make_tiny_model(tmp_path_factory.mktemp("model") / "tiny")
    ports = iter(range(41000 + os.getpid() % 9000, 60000, 100))

    def launched(ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mlxjson", "gen", "-m", str(model), *arguments]
        if ranks > 1:
            if LAUNCH is None:
                pytest.skip("mlx.launch is not installed")
            ring = ("--backend", "ring", "--starting-port", str(next(ports)))
            command = [LAUNCH, "-n", str(ranks), *ring, "--", *command]
        return subprocess.run(
            command,
            env=environment(home),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return launched


@pytest.mark.slow
def test_two_ranks_give_the_rows_of_one_and_others_go_on(run: Launched, tmp_path: Path) -> None:
    source, alone, shared = (tmp_path / name for name in ("in.jsonl", "one.jsonl", "two.jsonl"))
    rows = [{"id": i, "text": f"text {i}", "regex": f"[a-d]{{{i % 5}}}"} for i in range(12)]
    source.write_bytes(jsonl([*rows, {"id": "bad"}]))
    options = ("--input", str(source), "--batch", "2", "-q", "-o")
    assert run(1, *options, str(alone)).returncode == 7
    two = run(2, *options, str(shared))
    assert "1 of 13 rows failed" in two.stderr + two.stdout
    results = without_seconds(alone)
    assert without_seconds(shared) == results
    assert not parts(shared)

    # As if four had been at it, and had been stopped.
    lines = shared.read_bytes().splitlines(keepends=True)
    for rank in range(4):
        part(shared, rank).write_bytes(b"".join(lines[rank:9:4]) + b'{"id": 11, "to')
    shared.unlink()
    run(2, *options, str(shared), "--resume")
    assert without_seconds(shared) == results
    assert not parts(shared)


@pytest.mark.slow
def test_another_training_of_the_same_shape_is_another_model(run: Launched, tmp_path: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(jsonl([{"text": "x", "choices": ["a", "b"]}]))
    model = make_tiny_model(tmp_path / "tiny")
    gen = ("-m", str(model), "--input", str(source), "-o", str(output))
    assert run(1, *gen).returncode == 0
    assert run(1, *gen, "--resume").returncode == 0
    make_tiny_model(model, seed=1)
    other = run(1, *gen, "--resume")
    assert (other.returncode, "the model changed" in other.stderr) == (2, True), other.stderr


@pytest.mark.slow
def test_a_model_spread_over_two_ranks_writes_what_one_writes(
    run: Launched, tmp_path: Path
) -> None:
    source, alone, shared = (tmp_path / name for name in ("in.jsonl", "one.jsonl", "two.jsonl"))
    schema = {
        "type": "array",
        "items": {"type": "string", "maxLength": 3},
        "uniqueItems": True,
        "minItems": 2,
        "maxItems": 3,
    }
    rows = [{"id": i, "text": f"ab ab {i}", "schema": schema} for i in range(4)]
    source.write_bytes(jsonl(rows))
    options = ("--input", str(source), "--batch", "1", "-q", "-o")
    assert run(1, *options, str(alone)).returncode == 0
    two = run(2, *options, str(shared), "--shard")
    assert without_seconds(shared) == without_seconds(alone), two.stderr
    single = ("-s", '{"enum": [1, 12, 123]}', "x")
    one, both = run(1, *single), run(2, *single, "--shard")
    assert one.stdout
    assert both.stdout == one.stdout, both.stderr


def without_seconds(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) | {"seconds": 0} for line in path.read_bytes().splitlines()]
