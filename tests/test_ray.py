"""Documents for Ray Data: the callable itself, and two actors of a local Ray."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlxjson.errors import ConstraintError
from mlxjson.ray import Documents
from tests.batch_helpers import session_of
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


def test_a_schema_that_is_none_ends_the_actor() -> None:
    with pytest.raises(ConstraintError):
        Documents({"type": 5}, session=session_of(BatchModel()))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_two_actors_of_a_local_ray(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="ray is an extra: mlxjson[ray]")
    data = pytest.importorskip("ray.data", reason="ray is an extra: mlxjson[ray]")
    model = make_tiny_model(tmp_path / "tiny")
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    try:
        rows = data.from_items([{"n": n, "text": f"row {n}"} for n in range(12)])
        done = rows.repartition(4).map_batches(
            Documents,
            fn_constructor_kwargs={"schema": SCHEMA, "model": str(model), "batch": 3},
            concurrency=2,
            batch_size=3,
        )
        made = sorted(done.take_all(), key=lambda row: row["n"])
    finally:
        ray.shutdown()
    assert [row["n"] for row in made] == list(range(12))
    assert all(row["ok"] and json.loads(row["result"]) in SCHEMA["enum"] for row in made)
