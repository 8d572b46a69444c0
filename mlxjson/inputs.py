"""Reading what the user names: prompts, grammars, choices; from files, text or stdin."""

import json
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from mlxjson.constraint import Ebnf, Lark
from mlxjson.environment import Environment
from mlxjson.errors import UsageError

STDIN = "-"
SILENCE_SECONDS = 3.0


@dataclass(slots=True)
class Inputs:
    """Reads named inputs; stdin can be read only once, and remembers for what."""

    environment: Environment
    ignore_stdin: bool = False
    _stdin_used_for: str | None = None

    def text(self, name: str, purpose: str) -> str:
        """The text of a file, or of stdin for `-`.

        Raises: UsageError when it can't be read or is not UTF-8.
        """
        if name == STDIN:
            return self._stdin(purpose)
        try:
            data = Path(name).read_bytes()
        except OSError as error:
            raise UsageError(f"can't read the {purpose}: {error.strerror}", where=name) from error
        return _decode(data, name)

    def choices(
        self, single: Iterable[str], joined: str | None, file: str | None
    ) -> tuple[str, ...]:
        """Options given one by one, separated by commas, and as the lines of a file.

        Raises: UsageError when there is none.
        """
        options = [*single, *((joined or "").split(",") if joined else ())]
        if file is not None:
            options += [line for line in self.text(file, "choices").splitlines() if line]
        if not options:
            raise UsageError("there is nothing to choose from", hint="Give options with -c.")
        return tuple(dict.fromkeys(options))

    def prompt(self, words: Iterable[str], file: str | None) -> str:
        """The prompt: what stdin or the file holds, then the words of the command line.

        Raises: UsageError when there is nothing at all.
        """
        parts = [self.text(file, "prompt")] if file is not None else []
        if file is None and self._has_piped_prompt():
            parts.append(self._stdin("prompt"))
        parts.append(" ".join(words))
        prompt = "\n\n".join(part.strip() for part in parts if part.strip())
        if not prompt:
            raise UsageError(
                "the prompt is empty",
                hint="Give it as an argument, with -f FILE, or through a pipe.",
            )
        return prompt

    def instruction(self, words: Iterable[str], file: str | None) -> str:
        """What the file holds, then the words of the command line; standard input is not read."""
        parts = [self.text(file, "prompt")] if file is not None else []
        return "\n\n".join(part.strip() for part in (*parts, " ".join(words)) if part.strip())

    def stream(self, purpose: str) -> BinaryIO:
        """Standard input itself, for whoever reads it bit by bit.

        Raises: UsageError when it is closed or was read before.
        """
        if self._stdin_used_for is not None:
            raise UsageError(
                f"standard input can't be both the {self._stdin_used_for} and the {purpose}",
                hint="Put one of them into a file.",
            )
        self._stdin_used_for = purpose
        if self.environment.stdin is None:
            raise UsageError(f"standard input is closed, so there is no {purpose} to read")
        return self.environment.stdin

    def _has_piped_prompt(self) -> bool:
        return (
            self.environment.stdin_is_data
            and not self.ignore_stdin
            and self._stdin_used_for is None
        )

    def _stdin(self, purpose: str) -> str:
        return _decode(self._read_with_notice(self.stream(purpose), purpose), "standard input")

    def _read_with_notice(self, stream: BinaryIO, purpose: str) -> bytes:
        """Read to the end; after some silence say what is being waited for."""
        notice = threading.Timer(SILENCE_SECONDS, self._say_waiting, [purpose])
        notice.daemon = True
        notice.start()
        try:
            return stream.read()
        except OSError as error:
            raise UsageError(
                f"can't read the {purpose}: {error.strerror}", where="standard input"
            ) from error
        finally:
            notice.cancel()

    def _say_waiting(self, purpose: str) -> None:
        self.environment.say(
            f"mlxjson: waiting for the {purpose} on standard input (--ignore-stdin to go without)"
        )


def _decode(data: bytes, where: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"not UTF-8 text (byte {error.start})", where=where) from error


def parse_json(text: str, where: str, parse_float: Callable[[str], Any] | None = None) -> Any:
    """Parse a JSON document that configures a run (a schema, not a result).

    Raises: UsageError with line and column.
    """
    try:
        return json.loads(text, parse_float=parse_float)
    except json.JSONDecodeError as error:
        place = f"{where}, line {error.lineno}, column {error.colno}"
        raise UsageError(f"not JSON: {error.msg}", where=place) from error
    except RecursionError as error:
        raise UsageError("nested too deeply to be read", where=where) from error
    except ValueError as error:
        most = sys.get_int_max_str_digits()  # Python's guard; longer ones take quadratic time
        raise UsageError(f"a number has more than {most:,} digits", where=where) from error


def grammar_of(source: str, name: str, lark: bool | None) -> Ebnf | Lark:
    """The grammar in a text: as told, else by the file's ending, else by what it looks like.

    An EBNF rule is `name ::= …`; a Lark rule is `name: …`.
    """
    if lark is None:
        lark = name.endswith(".lark") or (
            not name.endswith((".ebnf", ".gbnf")) and "::=" not in source
        )
    shown = "standard input" if name == STDIN else name
    return Lark(source, shown) if lark else Ebnf(source, shown)
