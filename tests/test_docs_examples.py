"""The terminal sessions of docs/ about schemas and requests are what a terminal shows."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import ROOT, environment

SESSION = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def steps(page: str) -> list[tuple[str, str]]:
    """Commands and what they print, in order."""
    found = []
    for session in SESSION.findall((ROOT / "docs" / page).read_text()):
        for step in session.split("$ ")[1:]:
            command, _, output = step.partition("\n")
            found.append((command, output))
    return found


def shown(command: str, folder: Path) -> str:
    """What a terminal shows: both streams."""
    bin_folder = folder / "bin"
    bin_folder.mkdir(exist_ok=True)
    shim = bin_folder / "mlxjson"
    shim.write_text(f'#!/bin/sh\nexec {sys.executable} -m mlxjson "$@"\n')
    shim.chmod(0o755)
    variables = environment(folder, PYTHONPATH=str(ROOT))
    variables["PATH"] = f"{bin_folder}:{variables['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=variables,
        cwd=folder,
        timeout=300,
        check=False,
    )
    return done.stdout.decode()


def test_the_sessions_about_schemas(tmp_path: Path) -> None:
    told = steps("schema-sources.md")
    assert len(told) == 2
    for command, output in told:
        assert shown(command, tmp_path) == output


@pytest.mark.slow
def test_the_sessions_about_requests(tmp_path: Path) -> None:
    (cat, body), (gen, answer), (echo, fault) = steps("requests.md")
    assert cat == "cat body.json"
    (tmp_path / "body.json").write_text(body)
    choices = json.loads(body)["guided_choice"]
    assert json.loads(answer) in choices
    assert json.loads(shown(gen, tmp_path)) in choices
    assert shown(echo, tmp_path) == fault
