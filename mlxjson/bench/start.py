"""What a user waits for: whole runs of the command, from the start of the process."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlxjson
from mlxjson.bench.figures import Figure, figure
from mlxjson.bench.samples import Sample
from mlxjson.constraint import Layout
from mlxjson.errors import ExitCode, MlxjsonError

_STAGES = ("import_ms", "load_ms", "vocabulary_ms", "compile_ms", "prefill_ms", "decode_ms")
_ENDED = (ExitCode.OK, ExitCode.CUT_OFF, ExitCode.INVALID)


@dataclass(frozen=True, slots=True)
class Started:
    """Runs of the command: figures by name, under the names of `Stats`."""

    figures: dict[str, Figure]

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {name: value.as_dict() for name, value in self.figures.items()}


@dataclass(frozen=True, slots=True)
class Command:
    """A `gen` to run in a process of its own."""

    sample: Sample
    model: str | None
    layout: Layout
    max_tokens: int
    offline: bool
    environ: Mapping[str, str]
    adapter: str | None = None
    starter_adapter: bool = True

    def arguments(self, folder: Path, cached: bool) -> list[str]:
        """The command line; `folder` holds its schema and its prompt."""
        (folder / "schema.json").write_text(json.dumps(self.sample.schema), "utf-8")
        (folder / "prompt.txt").write_text(self.sample.text, "utf-8")
        return [
            *(sys.executable, "-P", "-m", "mlxjson", "gen", "--ignore-stdin", "--stats=json"),
            *("--schema", str(folder / "schema.json"), "--file", str(folder / "prompt.txt")),
            *("--layout", self.layout, "--max-tokens", str(self.max_tokens)),
            *(("--model", self.model) if self.model else ()),
            *(("--offline",) if self.offline else ()),
            *(("--adapter", self.adapter) if self.adapter else ()),
            *(() if self.starter_adapter else ("--no-starter-adapter",)),
            *(() if cached else ("--no-cache",)),
        ]

    def variables(self) -> dict[str, str]:
        """The process's own variables, with this package found first.

        Nothing is imported from the working folder, which may hold strangers' files.
        """
        package = str(Path(mlxjson.__file__).parent.parent)
        paths = [package, self.environ.get("PYTHONPATH", "")]
        return {**self.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


def start(command: Command, runs: int, *, cached: bool) -> Started:
    """Run the command `runs` times, after once to fill the caches if they are used.

    Raises: MlxjsonError, when a run fails.
    """
    with tempfile.TemporaryDirectory() as name:
        arguments = command.arguments(Path(name), cached)
        if cached:
            _once(arguments, command.variables())
        results = [_once(arguments, command.variables()) for _ in range(runs)]
    names = ("first_byte_ms", "total_ms", *_STAGES, "peak_memory_mb")
    return Started({name: figure(result[name] for result in results) for name in names})


def _once(arguments: list[str], variables: Mapping[str, str]) -> dict[str, float]:
    """The figures of one run; first byte and total as they are seen from outside."""
    begin = time.perf_counter()
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables, bufsize=0
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        first_byte_ms = (time.perf_counter() - begin) * 1000
        _, errors = process.communicate()
        total_ms = (time.perf_counter() - begin) * 1000
    stats = _stats(errors.decode("utf-8", "replace"), process.returncode)
    return {**stats, "first_byte_ms": first_byte_ms, "total_ms": total_ms}


def _stats(errors: str, code: int) -> dict[str, float]:
    if code in _ENDED:
        for line in errors.splitlines():
            if line.startswith("{"):
                stats: dict[str, float] = json.loads(line)
                return stats
    raise MlxjsonError(f"a run of its own ended with exit code {code}: {errors.strip()[-300:]}")
