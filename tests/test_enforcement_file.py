"""A known constraint is made ready without running the front end again."""

from pathlib import Path

import pytest

from mlxjson import enforcement_file
from mlxjson.cachefiles import Cache
from mlxjson.constraint import Choice, Constraint, Ebnf, JsonObject, JsonSchema, Layout, Regex
from mlxjson.enforcement import Enforcement, enforcement
from mlxjson.enforcement_file import remembered_enforcement
from mlxjson.errors import ConstraintError

UNSAYABLE = {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[Constraint]:
    """The constraints that the front end was asked for."""
    seen: list[Constraint] = []

    def counted(constraint: Constraint) -> Enforcement:
        seen.append(constraint)
        return enforcement(constraint)

    monkeypatch.setattr(enforcement_file, "enforcement", counted)
    return seen


@pytest.mark.parametrize(
    "constraint",
    [
        JsonSchema({"type": "object", "properties": {"é": {"type": "integer"}}}),
        JsonSchema(UNSAYABLE),
        JsonSchema(True, Layout.COMPACT),
        JsonObject(),
        Choice(("yes", "no", "\ud7ff")),
        Regex(r"[a-z]+\d"),
    ],
)
def test_what_is_read_back_is_what_was_made(
    constraint: Constraint, tmp_path: Path, made: list[Constraint]
) -> None:
    first = remembered_enforcement(constraint, Cache(tmp_path))
    second = remembered_enforcement(constraint, Cache(tmp_path))
    assert first == second == enforcement(constraint)
    assert len(made) == 1


def test_layout_and_order_of_keys_matter(tmp_path: Path) -> None:
    one = {"type": "object", "properties": {"a": {}, "b": {}}}
    other = {"type": "object", "properties": {"b": {}, "a": {}}}
    cache = Cache(tmp_path)
    constraints = [
        JsonSchema(one),
        JsonSchema(other),
        JsonSchema(one, Layout.COMPACT),
        JsonObject(),
        Choice(("a", "b")),
        Choice(("b", "a")),
        Regex("a"),
    ]
    for constraint in constraints:
        remembered_enforcement(constraint, cache)
    assert len(list((tmp_path / "grammars").iterdir())) == len(constraints)


def test_a_broken_entry_is_made_anew(tmp_path: Path, made: list[Constraint]) -> None:
    remembered_enforcement(JsonObject(), Cache(tmp_path))
    for path in (tmp_path / "grammars").iterdir():
        path.write_bytes(b"mlxjson-cache-1 broken")
    assert remembered_enforcement(JsonObject(), Cache(tmp_path)).is_json
    assert len(made) == 2


def test_without_a_folder_nothing_is_remembered(made: list[Constraint]) -> None:
    for _ in range(2):
        remembered_enforcement(JsonObject(), Cache(None))
    assert len(made) == 2


def test_grammars_of_the_user_are_not_kept(tmp_path: Path) -> None:
    remembered_enforcement(Ebnf('root ::= "a"'), Cache(tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_errors_are_raised_each_time(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ConstraintError):
            remembered_enforcement(JsonSchema(False), Cache(tmp_path))
