"""What the README says is true of the tree."""

import json
import re

from mlxjson.errors import ExitCode, MlxjsonError
from tests.command import ROOT

README = (ROOT / "README.md").read_text()


def test_the_table_of_exit_codes_is_the_enum() -> None:
    table = [int(code) for code in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)]
    assert table == [code.value for code in ExitCode]


def test_every_error_has_a_code_of_the_table() -> None:
    def codes(error: type[MlxjsonError]) -> set[ExitCode]:
        return {error.code}.union(*(codes(child) for child in error.__subclasses__()))

    assert codes(MlxjsonError) == set(ExitCode) - {ExitCode.OK}


def test_both_commands_of_a_new_user_stand_there() -> None:
    assert "pip install uv && uv run mlxjson gen --schema schemas/person.json" in README
    assert "uv run pytest" in README


def test_every_schema_of_the_tree_has_a_line() -> None:
    listed = set(re.findall(r"^\| `(schemas/[\w-]+\.json)` \|", README, re.MULTILINE))
    in_tree = {f"schemas/{path.name}" for path in (ROOT / "schemas").glob("*.json")}
    assert listed == in_tree
    for name in in_tree:
        assert json.loads((ROOT / name).read_text())["description"]
