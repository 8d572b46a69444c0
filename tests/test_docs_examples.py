"""Every example of the README and of docs/ is run as it is written.

What they print is compared up to the freedom that the model has: see FORMS. Commands that can't be
run in a test stand in UNRUN, with the reason.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mlxjson.sources import schema_given
from mlxjson.validate import prepare
from tests.command import ROOT, environment
from tests.tools.thinking_model import make_thinking_model

PAGES = ["README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md"))]
SESSION = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
PROGRAM = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MARK = "\x1e"

# Commands that are not run: other machines, models that have to be fetched, minutes.
UNRUN = {
    "mlxjson gen -m mlx-community/Qwen3-4B-4bit --schema schemas/invoice.json -f invoice.txt"
    " | jq .total": "fetches 2.3 GB",
    "uv run pytest": "is this run",
    "mlx.launch -n 4 -- mlxjson gen --schema invoice.json --input docs.jsonl --output out.jsonl":
    "four copies of the starter; test_batch_ranks launches two processes",
    "mlx.launch --hostfile hosts.json -- mlxjson gen -m org/huge --shard --schema invoice.json"
    " -f mail.txt": "needs several machines; test_batch_ranks shards a tiny model",
}  # fmt: skip
# What comes before the command in the README, and needs the network.
INSTALLATION = "pip install uv && uv run "
# What the examples read and do not show.
FILES = {
    "mail.txt": "Hello, since this morning nobody in the office can log in. This is urgent!\n",
    "README.md/docs.jsonl": '{"id": 1, "text": "Invoice 7 from Acme: 2 lamps, total 10 EUR"}\n',
}


@dataclass(frozen=True, slots=True)
class Step:
    """A command and what it prints."""

    command: str
    output: str


def sessions(page: str) -> list[list[Step]]:
    """The terminal sessions of a page."""
    return [
        [Step(*step.partition("\n")[::2]) for step in session.split("$ ")[1:]]
        for session in SESSION.findall((ROOT / page).read_text())
    ]


Form = Callable[[str], Any]


def document(schema: str) -> Form:
    """A document on one line that validates."""

    def form(output: str) -> Any:
        given = ROOT / "schemas" / f"{schema}.json"
        asked = (
            json.loads(given.read_text()) if given.exists() else schema_given(schema, None, None)
        )  # type: ignore[arg-type]
        assert output.endswith("\n")
        assert output.count("\n") == 1
        assert prepare(asked).check(output[:-1]) is None, output
        return "valid"

    return form


def one_of(*options: str) -> Form:
    def form(output: str) -> Any:
        assert output in {f"{option}\n" for option in options}
        return "one of them"

    return form


def matches(pattern: str) -> Form:
    def form(output: str) -> Any:
        assert re.fullmatch(pattern, output), output
        return "matches"

    return form


def numbers_apart(output: str) -> Any:
    """The text, whatever numbers stand in it."""
    return re.sub(r"\d+(\.\d+)?", "0", output)


def certain(schema: str) -> Form:
    def form(output: str) -> Any:
        made = json.loads(output)
        document(schema)(f"{json.dumps(made['result'])}\n")
        assert all(0 <= value <= 1 for value in made["confidence"].values())
        return list(made), list(made["confidence"])

    return form


def shares(output: str) -> Any:
    made = json.loads(output)
    assert sum(made.values()) == pytest.approx(1, abs=1e-3)
    return list(made)


def row(schema: str) -> Form:
    def form(output: str) -> Any:
        made = json.loads(output)
        document(schema)(f"{json.dumps(made['result'])}\n")
        return {name: value for name, value in made.items() if name not in ("result", "seconds")}

    return form


LAMP = "title, price: num|null"
# How outputs may differ from what is written: both have the same form. Others are the same.
FORMS: list[tuple[str, Form]] = [
    ("mlxjson gen --schema schemas/person.json", document("person")),
    ("mlxjson gen -s 'product, price: num, currency",
     document("product, price: num, currency: EUR|USD")),
    ("cat mail.txt | mlxjson gen -s ticket | jq -r .priority",
     one_of("low", "normal", "high", "urgent")),
    ('mlxjson choice "The parcel', one_of('"refund"', '"delivery"', '"praise"')),
    ("mlxjson regex", matches(r"\d{1,3} (km|m)\n")),
    ("echo 'root ::=", matches(r"(left|right) [0-9]{1,3}\n")),
    ("mlxjson check", numbers_apart),
    ("head -1 out.jsonl", row("name, age: int")),
    (f"mlxjson gen -s '{LAMP}' \"The lamp is blue, and not cheap.\" --confidence", certain(LAMP)),
    (f"mlxjson gen -s '{LAMP}' \"The lamp is blue, and not cheap.\" --min", numbers_apart),
    ('mlxjson choice "It arrived', shares),
    ("mlxjson gen --request body.json", one_of('"Rome"', '"Paris"')),
    ("mlxjson models", lambda output: re.sub(r"mlx-community/\S+|[\d.]+|  +", "", output)),
]  # fmt: skip


def form_of(command: str) -> Form:
    return next((form for start, form in FORMS if command.startswith(start)), str)


def ready(folder: Path, page: str, steps: list[Step]) -> dict[str, str]:
    """A folder with what the commands read, and a shell that knows them."""
    folder.mkdir(exist_ok=True)
    for name, content in FILES.items():
        if name.startswith(f"{page}/") or "/" not in name:
            (folder / Path(name).name).write_text(content)
    for step in steps:
        if shown := re.fullmatch(r"cat (\S+)", step.command):
            (folder / shown[1]).write_text(step.output)
    if not (folder / "schemas").exists():
        (folder / "schemas").symlink_to(ROOT / "schemas")
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    (tools / "mlxjson").write_text(f'#!/bin/sh\nexec {sys.executable} -m mlxjson "$@"\n')
    (tools / "mlxjson").chmod(0o755)
    variables = environment(folder, PYTHONPATH=str(ROOT))
    return variables | {"PATH": f"{tools}:{variables['PATH']}"}


def shown(steps: list[Step], folder: Path, variables: dict[str, str]) -> list[str]:
    """What a terminal shows of each command: both streams."""
    script = "\n".join(
        f"{step.command.removeprefix(INSTALLATION)}\ncode=$?; printf '{MARK}'; (exit $code)"
        for step in steps
    )
    done = subprocess.run(
        ["sh", "-c", script],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables,
        cwd=folder,
        timeout=600,
        check=False,
    )
    return done.stdout.decode().split(MARK)[:-1]


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if sessions(page)])
def test_commands_print_what_is_written(page: str, tmp_path: Path) -> None:
    if page == "docs/thinking.md":
        make_thinking_model(tmp_path / "thinker")
    for session in sessions(page):
        steps = [step for step in session if step.command not in UNRUN]
        variables = ready(tmp_path, page, steps)
        outputs = shown(steps, tmp_path, variables)
        assert len(outputs) == len(steps)
        for step, output in zip(steps, outputs, strict=True):
            form = form_of(step.command)
            assert form(output) == form(step.output), step.command


def test_what_is_left_out_is_there_to_be_left_out() -> None:
    written = [step.command for page in PAGES for session in sessions(page) for step in session]
    assert set(UNRUN) <= set(written)
    assert all(any(command.removeprefix(INSTALLATION).startswith(start) for command in written)
               for start, _ in FORMS)  # fmt: skip
    assert len(UNRUN) < 0.2 * len(written)


def test_no_command_stands_outside_of_a_session() -> None:
    """Blocks without a language show no commands: those would not be run."""
    for page in PAGES:
        rest = SESSION.sub("", (ROOT / page).read_text())
        for block in re.findall(r"^```(?:text)?\n(.*?)^```", rest, re.MULTILINE | re.DOTALL):
            assert "$ mlxjson" not in block, page


@pytest.mark.slow
def test_the_program_of_the_readme(tmp_path: Path) -> None:
    (program,) = PROGRAM.findall((ROOT / "README.md").read_text())
    done = subprocess.run(
        [sys.executable, "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(tmp_path, PYTHONPATH=str(ROOT)),
        cwd=tmp_path,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert document("name: str")(done.stdout.decode()) == "valid"
