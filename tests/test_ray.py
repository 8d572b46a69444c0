"""Documents for Ray Data: the callable itself, and two actors of a local Ray."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlxjson.errors import ConstraintError
from mlxjson.ray import Documents
from tests.batch_helpers import session_of
from tests.command import ROOT, environment
from tests.scripted_batch import BatchModel
from tests.tiny_model import make_tiny_model

SCHEMA = {"enum": ["red", "green", {"a": 1}]}


def column(*values: Any) -> Any:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def test_a_batch_of_columns_gets_a_column_for_each_figure() -> None:
    documents = Documents(SCHEMA, session=session_of(BatchModel()), batch=2, draft=0)
    given = {
        "text": column("one", "two", None, "four", "five"),
        "schema": column(None, '{"const": 7}', None, "none.json", None),
        "regex": column(None, None, None, None, "x{2}"),
        "other": np.arange(5),
    }
    made = documents(given)
    assert made["ok"].tolist() == [True, True, False, False, True]
    assert json.loads(made["result"][0]) in SCHEMA["enum"]
    assert made["result"].tolist()[1:] == ["7", None, None, '"xx"']
    assert [error and json.loads(error)["code"] for error in made["error"]] == [
        *(None, None, 2, 2, None)
    ]
    assert made["finish"].tolist() == ["stop", "stop", None, None, "stop"]
    assert made["output_tokens"].dtype == np.int64
    assert made["other"] is given["other"]


def test_numbers_of_a_column_may_be_limits() -> None:
    documents = Documents(session=session_of(BatchModel()), max_tokens=9, draft=0)
    given = {"text": column("a", "b"), "regex": column("[a-z]{50}", "[a-z]{50}")}
    made = documents({**given, "max_tokens": np.array([3, 5])})
    assert made["finish"].tolist() == ["length", "length"]
    assert made["output_tokens"].tolist() == [3, 5]


def test_what_columns_make_of_lists_and_gaps_is_what_the_rows_had() -> None:
    documents = Documents(SCHEMA, session=session_of(BatchModel()), draft=0)
    made = documents(
        {
            "text": column("a", "b", "c"),
            "choices": column(np.array(["x", "y"], dtype=object), None, None),
            "max_tokens": np.array([np.nan, 40.0, np.nan]),
            "temp": np.array([np.nan, np.nan, 0.5]),
            "seed": np.array([1.0, np.nan, 2.0]),
        }
    )
    assert made["ok"].tolist() == [True] * 3, made["error"]
    assert json.loads(made["result"][0]) in ("x", "y")
    assert made["choices"].tolist() == [["x", "y"], None, None]


def test_a_schema_without_a_grammar_may_be_left_to_the_prompt() -> None:
    schema = {"anyOf": [{"type": "string", "minLength": 10**9}, {"type": "integer"}]}
    with pytest.raises(ConstraintError):
        Documents(schema, session=session_of(BatchModel()))
    documents = Documents(schema, session=session_of(BatchModel()), on_uncompilable="prompt")
    made = documents({"text": column(*map(str, range(20)))})
    results = [json.loads(result) for result in made["result"] if result is not None]
    assert results
    assert all(float(result).is_integer() for result in results)  # 1e2 is an integer
    assert {json.loads(error)["code"] for error in made["error"] if error} <= {4, 5}


def test_a_schema_that_is_none_ends_the_actor() -> None:
    with pytest.raises(ConstraintError):
        Documents({"type": 5}, session=session_of(BatchModel()))


# Actors of a local Ray, where the extra is installed

PROGRAM = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
COUNT = 24


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_tiny_model(tmp_path_factory.mktemp("tiny")))


@pytest.fixture(scope="module")
def data() -> Iterator[Any]:
    """Ray Data on two actors' worth of a local Ray."""
    ray = pytest.importorskip("ray", reason="ray is an extra: mlxjson[ray]")
    data = pytest.importorskip("ray.data", reason="ray is an extra: mlxjson[ray]")
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    yield data
    ray.shutdown()


def worked(rows: Any, model: str, callable_class: type = Documents, **options: Any) -> Any:
    asked = {"schema": SCHEMA, "model": model, "batch": 3} | options
    return rows.map_batches(
        callable_class,
        fn_constructor_kwargs=asked,
        batch_size=3,
        compute=data_module().ActorPoolStrategy(size=2),
    )


def data_module() -> Any:
    import ray.data

    return ray.data


def texts(data: Any) -> Any:
    return data.from_items([{"n": n, "text": f"row {n}"} for n in range(COUNT)]).repartition(8)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_two_actors_load_the_model_once_each(data: Any, model: str) -> None:
    class Watched(Documents):
        """Says which process did a row, and how many batches it had done."""

        done = 0

        def __call__(self, batch: Any) -> Any:
            Watched.done += 1
            if Watched.done == 1:
                time.sleep(1)  # so that the other actor gets some, too
            made = super().__call__(batch)
            by = np.full(len(made["ok"]), os.getpid())
            return {**made, "by": by, "which": np.full(len(made["ok"]), id(self))}

    made = sorted(worked(texts(data), model, Watched).take_all(), key=lambda row: row["n"])
    assert [row["n"] for row in made] == list(range(COUNT))
    assert all(row["ok"] and json.loads(row["result"]) in SCHEMA["enum"] for row in made)
    assert len({row["by"] for row in made}) == 2
    assert len({(row["by"], row["which"]) for row in made}) == 2


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_rows_have_their_own_schemas_and_faults(data: Any, model: str) -> None:
    schemas = ['{"const": 7}', None, "none.json", '{"type": "strnig"}']
    given = [{"n": n, "text": "x", "schema": schemas[n % 4]} for n in range(COUNT)]
    rows = worked(data.from_items(given), model).take_all()
    made = sorted(rows, key=lambda row: row["n"])
    assert {row["result"] for row in made[0::4]} == {"7"}
    assert all(json.loads(row["result"]) in SCHEMA["enum"] for row in made[1::4])
    assert {json.loads(row["error"])["code"] for row in made[2::4]} == {2}
    assert {json.loads(row["error"])["code"] for row in made[3::4]} == {3}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_an_actor_that_dies_is_started_again_and_nothing_is_doubled(
    data: Any, model: str, tmp_path: Path
) -> None:
    mark = tmp_path / "died"

    class Dying(Documents):
        """Its first process ends in the middle of a batch."""

        def __call__(self, batch: Any) -> Any:
            made = super().__call__(batch)
            if not mark.exists():
                mark.touch()
                os._exit(1)
            return made

    made = worked(texts(data), model, Dying).take_all()
    assert mark.exists()
    assert sorted(row["n"] for row in made) == list(range(COUNT))
    assert all(row["ok"] for row in made)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("options", "says"),
    [({"schema": {"type": 5}}, "ConstraintError"), ({"model": "/none"}, "ModelError")],
)
def test_what_would_fail_every_row_ends_the_job(
    data: Any, model: str, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(Exception, match=says):
        worked(texts(data), **{"model": model, **options}).take_all()


@pytest.mark.slow
def test_the_program_of_the_page_about_batches(model: str, tmp_path: Path) -> None:
    pytest.importorskip("ray.data", reason="ray is an extra: mlxjson[ray]")
    (program,) = PROGRAM.findall((ROOT / "docs" / "batches.md").read_text())
    given: list[dict[str, Any]] = [{"id": n, "text": f"row {n}"} for n in range(5)]
    given[1]["choices"] = ["red", "green"]
    given[2] |= {"max_tokens": 60, "seed": 3}
    (tmp_path / "docs.jsonl").write_text("\n".join(map(json.dumps, given)))
    done = subprocess.run(
        [sys.executable, "-c", f"schema = {SCHEMA!r}\n{program}"],
        capture_output=True,
        env=environment(tmp_path, PYTHONPATH=str(ROOT), MLXJSON_MODEL=model),
        cwd=tmp_path,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    written = [json.loads(line) for path in (tmp_path / "out").iterdir()
               for line in path.read_text().splitlines()]  # fmt: skip
    assert sorted(row["id"] for row in written) == list(range(5))
    assert all(row["ok"] and json.loads(row["result"]) in SCHEMA["enum"] for row in written)
