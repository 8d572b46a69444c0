"""Batches through the real command line, on the starter."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.batch_helpers import jsonl
from tests.command import PERSON, ROOT, environment, mlxjson

pytestmark = pytest.mark.slow

ROWS = [
    {"id": "ada", "text": "Ada, 36"},
    {"id": "color", "text": "The sky.", "choices": ["blue", "green"]},
    {"id": "bad", "text": "x", "schema": "none.json"},
    {"id": "year", "text": "The moon landing", "regex": "19[0-9]{2}"},
]
SMALL = '{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}'


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


def test_rows_through_a_pipe_give_lines_and_exit_code_seven(home: Path) -> None:
    gen = ("gen", "-s", SMALL, "--input", "-", "--batch", "1", "What age?")
    ran = mlxjson(*gen, home=home, stdin=jsonl(ROWS))
    assert ran.code == 7
    assert ran.lines == ["mlxjson: 1 of 4 rows failed"]
    rows = [json.loads(line) for line in ran.text.splitlines()]
    assert [row["id"] for row in rows] == ["ada", "color", "bad", "year"]
    assert list(rows[0]["result"]) == ["age"]
    assert rows[1]["result"] in ("blue", "green")
    assert rows[2]["error"]["pointer"] == "/schema"
    assert rows[3]["result"].startswith("19")


def test_a_folder_and_an_output_file(home: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_text(f"Document {name}.")
    out = tmp_path / "out.jsonl"
    gen = ("gen", "-s", SMALL, "--input", str(tmp_path / "*.txt"), "-o", str(out), "--batch", "1")
    manifest = ("--manifest", str(tmp_path / "manifest.json"))
    done = mlxjson(*gen, *manifest, home=home)
    assert (done.code, done.out, done.err) == (0, b"", b"")
    ids = [json.loads(line)["id"] for line in out.read_text().splitlines()]
    assert ids == [str(tmp_path / "one.txt"), str(tmp_path / "two.txt")]
    assert json.loads((tmp_path / "manifest.json").read_text())["totals"]["ok"] == 2
    assert mlxjson(*gen, home=home).code == 2
    before = out.read_bytes()
    assert mlxjson(*gen, "--resume", home=home).code == 0
    assert out.read_bytes() == before


def test_greedy_text_is_the_same_however_many_rows_run_at_once(home: Path, tmp_path: Path) -> None:
    texts = ("Ada, 36", "A man of forty.", "Eve is 7 years old", "The boat")
    source = tmp_path / "in.jsonl"
    source.write_bytes(jsonl({"text": text} for text in texts))
    gen = ("gen", "-s", SMALL, "--input", str(source), "--bare", "--stats")
    alone, together = (mlxjson(*gen, "--batch", n, home=home) for n in ("1", "3"))
    assert alone.code == 0
    assert together.text == alone.text
    assert json.loads(together.lines[-1])["ok"] == len(texts)


def test_what_a_batch_cannot_do_is_said_at_once(home: Path) -> None:
    for arguments in (
        ("--input", "none.jsonl"),
        ("--input", PERSON, "--batch", "0"),
        ("--input", PERSON, "--raw"),
        ("--input", PERSON, "--prompt", "a", "b"),
        ("--input", PERSON, "--resume"),
    ):
        ran = mlxjson("gen", *arguments, home=home)
        assert (ran.code, ran.out) == (2, b""), arguments


@pytest.mark.parametrize("how", ["interrupt", "close"])
def test_ending_a_batch_early_leaves_whole_lines(home: Path, how: str) -> None:
    rows = [{"text": f"Document {i}.", "regex": "[a-z ]{30}"} for i in range(40)]
    process = subprocess.Popen(
        [sys.executable, "-m", "mlxjson", "gen", "--input", "-", "--batch", "3"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
        cwd=ROOT,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process, process.stdin as stdin:
        stdin.write(jsonl(rows))
        stdin.close()
        out = os.read(process.stdout.fileno(), 100_000)
        if how == "close":
            process.stdout.close()
            assert process.wait(timeout=120) == 141
            assert process.stderr.read() == b""
        else:
            process.send_signal(signal.SIGINT)
            out += process.stdout.read()
            assert process.wait(timeout=120) == 130
            assert process.stderr.read() == b"mlxjson: interrupted\n"
    assert out.endswith(b"\n")
    assert all(json.loads(line)["ok"] for line in out.splitlines())
