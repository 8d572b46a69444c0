"""`module:Class`: sixteen classes, and the documents of their schemas, which they accept."""

import random
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from mlxjson.errors import UsageError
from mlxjson.grammar import EbnfSource
from mlxjson.schema import compile_schema
from mlxjson.sources import schema_of
from mlxjson.sources.typed_dicts import accepted
from tests import pydantic_models
from tests.command import ROOT, mlxjson
from tests.emit_fuzz import walk
from tests.grammar_helpers import small_engine
from tests.sources_helpers import inputs

DOCUMENTS = 20
# A grammar can't keep the same free key from coming twice; nothing else is left to check.
NEARLY = {"Maps": {"(duplicate keys)"}}


def schema_of_model(name: str) -> Any:
    return schema_of(f"tests.pydantic_models:{name}", inputs(Path("/")))


def test_fifteen_are_enforced_wholly() -> None:
    assert len(set(pydantic_models.NAMES) - set(NEARLY)) == 15


@pytest.mark.parametrize("name", pydantic_models.NAMES)
def test_the_grammar_enforces_all_of_a_class(name: str) -> None:
    findings = compile_schema(schema_of_model(name)).findings
    assert {finding.keyword for finding in findings} == NEARLY.get(name, set())


@pytest.mark.parametrize("name", pydantic_models.NAMES)
def test_a_class_accepts_the_documents_of_its_schema(name: str) -> None:
    grammar = EbnfSource(compile_schema(schema_of_model(name)).ebnf)
    compiled = small_engine().compile(grammar, trusted=True)
    adapter = TypeAdapter(accepted(getattr(pydantic_models, name)))
    drawn = [walk(compiled.matcher(), random.Random(seed)) for seed in range(DOCUMENTS)]
    documents = [text for text in drawn if text is not None]
    assert len(documents) >= DOCUMENTS // 2
    for text in documents:
        adapter.validate_json(text)


def test_a_class_is_imported_from_the_current_folder(tmp_path: Path) -> None:
    code = "from pydantic import BaseModel\nclass Pet(BaseModel):\n    'A pet.'\n    name: str\n"
    (tmp_path / "my_pets.py").write_text('print("noise")\n' + code)
    outcome = mlxjson("schema", "my_pets:Pet", home=tmp_path, cwd=tmp_path, variables=_path())
    assert outcome.code == 0, outcome.err.decode()
    assert '"A pet."' in outcome.text
    assert "noise" not in outcome.text


def test_nothing_is_imported_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "pets.py").write_text("raise SystemExit('imported')")
    (tmp_path / "pets.json").write_text("{}")
    outcome = mlxjson("schema", "pets.json", home=tmp_path, cwd=tmp_path, variables=_path())
    assert outcome.code == 0


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no_such:Pet", "no module 'no_such'"),
        ("tests.pydantic_models:Nestd", "Did you mean 'Nested'?"),
        ("tests.pydantic_models:NAMES", "a value (list), not a class"),
        ("tests.no_such:Pet", "no module 'tests.no_such'"),
        ("json:JSONDecoder", "it has no JSON Schema"),
    ],
)
def test_what_can_not_be_found_is_explained(name: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        schema_of(name, inputs(Path("/")))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import no_such_thing", "ModuleNotFoundError: No module named 'no_such_thing'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("class Pet(:", "SyntaxError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_a_module_that_fails_is_the_users_affair(code: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(code)
    outcome = mlxjson("schema", "broken:Pet", home=tmp_path, cwd=tmp_path, variables=_path())
    assert outcome.code == 2
    assert says in outcome.err.decode()
    assert len(outcome.lines) <= 2


def _path() -> dict[str, str]:
    """`mlxjson` itself, for a process that runs elsewhere."""
    return {"PYTHONPATH": str(ROOT)}
