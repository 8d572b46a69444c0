"""What a batch is told besides what holds for single runs."""

import os
from dataclasses import dataclass
from pathlib import Path

from mlxjson.errors import UsageError
from mlxjson.inputs import STDIN


@dataclass(frozen=True, slots=True)
class Settings:
    """Where rows come from and go to.

    Attributes:
        source: `--input`: a file of rows, `-`, a folder or a glob.
        output: the file that lines are added to; None for stdout.
        bare: only the results.
        unordered: rows as they finish, not in the order of the input.
        resume: go on with the output of an earlier run.
        force: write an output anew; or, with `resume`, go on although something changed.
        errors: a file for the rows that failed, as they came in.
        max_failures: how many rows may fail before the batch is given up; None: all.
        manifest: a file for the record of the run.
        width: how many rows are worked on at once; None for what suits model and machine.
        sharded: the processes share the model, and do not share the rows.
    """

    source: str
    output: Path | None = None
    bare: bool = False
    unordered: bool = False
    resume: bool = False
    force: bool = False
    errors: Path | None = None
    max_failures: int | None = None
    manifest: Path | None = None
    width: int | None = None
    sharded: bool = False

    def checked(self) -> "Settings":
        """The settings themselves. Raises: UsageError where they contradict each other."""
        if self.bare and self.unordered:
            raise UsageError("--bare results come in input order: --unordered can't be given too")
        if self.bare and self.resume:
            raise UsageError("--bare results have no ids, so --resume can't tell which are there")
        if self.resume and self.output is None:
            raise UsageError("--resume needs the --output to go on with")
        self._refuse_one_file_for_two()
        return self

    def _refuse_one_file_for_two(self) -> None:
        """`--errors` over the input, say, would be the end of the input, `--force` or not."""
        uses = {
            "--input": None if self.from_stdin else Path(self.source),
            "--output": self.output,
            "--errors": self.errors,
            "--manifest": self.manifest,
        }
        seen: dict[str, str] = {}
        for option, path in uses.items():
            if path is None or (os.path.exists(path) and not path.is_file()):
                continue
            before = seen.setdefault(os.path.realpath(path), option)
            if before != option:
                raise UsageError(f"{before} and {option} are the same file", where=str(path))

    @property
    def from_stdin(self) -> bool:
        """Whether the rows come through standard input."""
        return self.source == STDIN


def parse_width(text: str) -> int | None:
    """`--batch N|auto`. Raises: UsageError."""
    if text == "auto":
        return None
    if text.isdecimal() and len(text) < 10 and int(text) > 0:
        return int(text)
    raise UsageError("--batch takes a number of rows, or auto")
