"""The shells' completion scripts are what the command would generate."""

from mlxjson.cli.completion import scripts
from tests.command import ROOT


def test_the_scripts_in_the_tree_are_current() -> None:
    in_tree = {path.name: path.read_text() for path in (ROOT / "completions").iterdir()}
    assert in_tree == scripts(), "run: python -m mlxjson.cli.completion completions"
