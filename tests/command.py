"""Runs the real command line in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PERSON = str(ROOT / "schemas" / "person.json")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command left behind."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def lines(self) -> list[str]:
        return self.err.decode().splitlines()


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of a user whose home folder is `home`."""
    kept = {key: os.environ[key] for key in ("PATH", "OPENBLAS_NUM_THREADS") if key in os.environ}
    return {**kept, "HOME": str(home), "LANG": "C.UTF-8", **more}


def mlxjson(
    *arguments: str,
    home: Path,
    stdin: bytes | None = None,
    variables: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    timeout: float = 300,
) -> Outcome:
    """Run `mlxjson` with these arguments; no standard input unless given."""
    done = subprocess.run(
        [sys.executable, "-m", "mlxjson", *arguments],
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        env=environment(home, **(variables or {})),
        cwd=cwd,
        timeout=timeout,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
