"""Options are what they would be if the parser converted each of them."""

from typing import Any

import pytest

from mlxjson.cli import job
from mlxjson.cli.boundary import run
from mlxjson.cli.options import Common
from mlxjson.constraint import Layout
from mlxjson.errors import ExitCode
from mlxjson.thinking import Think


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the command `choice` was given, instead of carrying it out."""
    found: dict[str, Any] = {}

    def generate(self: job.Job, constraint: Any, *_rest: Any) -> None:
        found.update(common=self.common, constraint=constraint)

    monkeypatch.setattr(job.Job, "generate", generate)
    return found


CHOICE = ("choice", "--ignore-stdin", "snow", "is", "-c", "white", "-c", "black")


def test_without_options_all_are_defaults(taken: dict[str, Any]) -> None:
    assert run(CHOICE) == ExitCode.OK
    assert taken["common"] == Common(ignore_stdin=True)
    assert taken["constraint"].options == ("white", "black")


@pytest.mark.parametrize(
    ("arguments", "field", "value"),
    [
        (("--max-tokens", "007"), "max_tokens", 7),
        (("--max-tokens", "0"), "max_tokens", 0),
        (("--max-tokens", "3.0"), "max_tokens", 3),
        (("--seed", "-3"), "seed", -3),
        (("--top-logprobs", "20"), "top_logprobs", 20),
        (("--temp", "1"), "temp", 1.0),
        (("--layout", "compact"), "layout", Layout.COMPACT),
        (("--think", "off"), "think", Think.OFF),
        (("--no-stream",), "stream", False),
        (("--think-budget", "5"), "think_budget", 5),
        (("--system", ""), "system", ""),
    ],
)
def test_what_is_given_has_its_type(
    taken: dict[str, Any], arguments: tuple[str, ...], field: str, value: object
) -> None:
    assert run((*CHOICE, *arguments)) == ExitCode.OK
    found = getattr(taken["common"], field)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--max-tokens", "-1"),
        ("--max-tokens", "many"),
        ("--max-tokens", "\u0663x"),
        ("--top-logprobs", "21"),
        ("--layout", "wide"),
        ("--temp", "hot"),
    ],
)
def test_what_is_wrong_is_refused(
    taken: dict[str, Any], arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run((*CHOICE, *arguments)) == ExitCode.USAGE
    assert arguments[0] in capsys.readouterr().err
    assert not taken


def test_no_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(()) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("mlxjson: Missing command.\nSee ")


def test_variables_are_options(taken: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLXJSON_JUMP", "0")
    assert run(CHOICE) == ExitCode.OK
    assert taken["common"].jump is False


def test_a_command_in_hand_is_the_same_among_all() -> None:
    from typer.main import get_command

    from mlxjson.cli.app import tree

    whole: Any = get_command(tree([]))
    for name in whole.commands:
        (only,) = get_command(tree([name, "--help"])).commands.values()  # type: ignore[attr-defined]
        assert [p.opts for p in only.params] == [p.opts for p in whole.commands[name].params]
