"""The stdout promise: what is written where, when, and how a run ends early."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.command import ROOT, environment, mlxjson

pytestmark = pytest.mark.slow

# Too long to be finished before the test goes on.
EPIC = ("regex", "--no-draft", "[a-z ]{3000}", "Tell me a story about a cat.")
STORY = ("regex", "--no-draft", "[a-z ]{150}", "Tell me a story about a cat.")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@contextmanager
def started(
    home: Path, *arguments: str, stdin: int = subprocess.DEVNULL
) -> Iterator[subprocess.Popen[bytes]]:
    """The command while it runs; killed and its pipes closed at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mlxjson", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(home),
        cwd=ROOT,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def first_byte(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return os.read(process.stdout.fileno(), 1)


def test_what_is_exact_streams_into_a_pipe_before_it_is_complete(home: Path) -> None:
    with started(home, *STORY) as process:
        first = first_byte(process)
        assert first == b'"'
        assert process.poll() is None
        out, _ = process.communicate()
        assert process.returncode == 0
        assert len(json.loads(first + out)) == 150


def test_a_reader_that_goes_away_ends_the_run_quietly(home: Path) -> None:
    with started(home, *EPIC) as process:
        first_byte(process)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(timeout=120) == 141
        assert process.stderr.read() == b""


def test_ctrl_c_while_decoding_ends_at_once_with_one_line(home: Path) -> None:
    with started(home, *EPIC) as process:
        first_byte(process)
        assert_interrupted(process)


def test_ctrl_c_while_starting_or_reading_the_prompt_ends_with_one_line(home: Path) -> None:
    with started(home, "choice", "word " * 2000, "-c", "yes", "-c", "no") as process:
        time.sleep(2.5)
        assert_interrupted(process)


def assert_interrupted(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert time.monotonic() - begin < 20
    assert process.returncode == 130
    assert err == b"mlxjson: interrupted\n"


def test_raw_prints_the_bare_text(home: Path) -> None:
    options = ("-c", 'say "hi"', "-c", "tab\tand \\")
    as_json = mlxjson("choice", "Greet.", *options, home=home)
    raw = mlxjson("choice", "Greet.", *options, "-r", home=home)
    assert json.loads(as_json.text) + "\n" == raw.text
    assert raw.text.rstrip("\n") in options


def test_raw_unwraps_a_string_document_only(home: Path) -> None:
    schema = '{"enum": ["a \\"b\\" \\n c"]}'
    assert mlxjson("gen", "-s", schema, "-r", "x", home=home).text == 'a "b" \n c\n'
    assert mlxjson("gen", "-s", '{"enum": [12]}', "-r", "x", home=home).text == "12\n"


def test_an_output_file_appears_whole_or_not_at_all(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    target.write_text("before")
    cut = mlxjson("regex", "[a-z]{40}", "x", "--max-tokens", "2", "-o", str(target), home=home)
    assert (cut.code, cut.out, target.read_text()) == (4, b"", "before")
    done = mlxjson("choice", "x", "-c", "yes", "-o", str(target), home=home)
    assert (done.code, done.out, target.read_text()) == (0, b"", '"yes"\n')
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_a_rejected_result_is_kept_where_asked(home: Path, tmp_path: Path) -> None:
    kept = tmp_path / "rejected.txt"
    options = ("--max-tokens", "3", "--no-stream", "--save-rejected", str(kept))
    cut = mlxjson("regex", "[a-z]{400}", "x", *options, home=home)
    assert (cut.code, cut.out) == (4, b"")
    assert len(kept.read_text()) > 1


def test_where_a_rejected_result_cannot_be_kept_the_run_still_says_why_it_failed(
    home: Path, tmp_path: Path
) -> None:
    options = ("--max-tokens", "3", "--no-stream", "--save-rejected", str(tmp_path))
    cut = mlxjson("regex", "[a-z]{400}", "x", *options, home=home)
    assert (cut.code, cut.out) == (4, b"")
    assert "directory" in cut.lines[0]
    assert "cut off" in cut.lines[1]


def test_statistics_are_one_line_of_json_on_stderr(home: Path) -> None:
    outcome = mlxjson("choice", "x", "-c", "yes", "-c", "no", "--stats", home=home)
    assert json.loads(outcome.text) in ("yes", "no")
    assert len(outcome.lines) == 1
    stats = json.loads(outcome.lines[0])
    assert stats["finish"] == "stop"
    assert stats["forward_passes"] == 1
    assert stats["total_ms"] >= stats["first_byte_ms"] > 0


def test_a_choice_of_one_takes_no_forward_pass(home: Path) -> None:
    outcome = mlxjson("choice", "x", "-c", "only this", "--stats=json", home=home)
    assert json.loads(outcome.lines[0])["forward_passes"] == 0


def test_the_same_command_gives_the_same_bytes(home: Path) -> None:
    sampled = ("regex", "[a-z ]{30}", "Words", "--temp", "1", "--seed", "5")
    first, second = (mlxjson(*sampled, home=home).out for _ in range(2))
    other = mlxjson(*sampled[:-1], "6", home=home).out
    assert first == second != other


def test_a_prompt_may_come_from_a_pipe_a_file_or_both(home: Path, tmp_path: Path) -> None:
    options = ("-c", "a", "-c", "b", "--stats")
    (tmp_path / "prompt.txt").write_text("Which letter?")

    def prompt_tokens(*arguments: str, stdin: bytes | None = None) -> int:
        outcome = mlxjson("choice", *arguments, *options, home=home, stdin=stdin)
        assert outcome.code == 0, outcome.lines
        tokens: int = json.loads(outcome.lines[-1])["prompt_tokens"]
        return tokens

    said = prompt_tokens("Which letter?")
    assert prompt_tokens(stdin=b"Which letter?\n") == said
    assert prompt_tokens("-f", str(tmp_path / "prompt.txt")) == said
    assert prompt_tokens("Which letter?", "--ignore-stdin", stdin=b"ignored") == said
    assert prompt_tokens("Which letter?", stdin=b"Some document.") > said


def test_a_silent_stdin_is_explained_after_a_while(home: Path) -> None:
    with started(home, "gen", "-s", "{}", "x", stdin=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert b"waiting for the prompt on standard input" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130


FULL = "standard output: can't write the result: No space left on device"


@pytest.mark.parametrize(
    "command", ["--version", "gen --help", "schema person", "check person", "models", "cache"]
)
def test_a_full_disk_and_a_reader_that_is_gone_are_told_by_every_command(
    command: str, home: Path
) -> None:
    line = f"{sys.executable} -m mlxjson {command}"
    full = in_shell(f"{line} > /dev/full", home)
    assert (full.returncode, full.stderr.decode()) == (2, f"mlxjson: {FULL}\n")
    gone = in_shell(f"{line} | true; exit ${{PIPESTATUS[0]}}", home)
    assert gone.stderr == b""
    assert gone.returncode == 141


def test_streams_that_the_caller_closed_are_not_taken_for_files(home: Path, tmp_path: Path) -> None:
    line = f"{sys.executable} -m mlxjson choice -c yes -c no x"
    assert in_shell(f"{line} <&-", home).returncode == 0
    assert in_shell(f"{line} 2>&-", home).returncode == 0
    closed = in_shell(f"{line} >&-", home)
    assert closed.returncode == 2
    assert closed.stderr.startswith(b"mlxjson: standard output: can't write the result")
    file = tmp_path / "answer"
    assert in_shell(f"{line} -o {file} <&- >&- 2>&-", home).returncode == 0
    assert json.loads(file.read_bytes()) in ("yes", "no")


def in_shell(line: str, home: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", line],
        check=False,
        capture_output=True,
        env=environment(home),
        cwd=ROOT,
        timeout=120,
    )
