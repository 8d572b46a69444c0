"""Where errors become exit codes and lines on stderr."""

import os
import sys
import traceback
from collections.abc import Sequence

from mlxjson.environment import Environment
from mlxjson.errors import ExitCode, Interrupted, MlxjsonError, ReaderClosed, UsageError


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    environment = Environment.of_process()
    debug = "--debug" in arguments
    try:
        code = _code_of([_utf8(argument) for argument in arguments], environment)
        environment.stdout.flush()
        return code
    except BaseException as error:
        if debug:
            traceback.print_exc(file=environment.stderr)
        return _reported(error, environment)


def _code_of(arguments: Sequence[str], environment: Environment) -> int:
    if arguments == ["--version"]:
        # Asked by scripts, so it does not wait for the option parser to load.
        from mlxjson import __version__

        environment.stdout.write(f"mlxjson {__version__}\n".encode())
        return ExitCode.OK
    try:
        _dispatch(arguments, environment)
    except SystemExit as stop:  # raised by completion
        return stop.code if isinstance(stop.code, int) else ExitCode.OK
    return ExitCode.OK


def _dispatch(arguments: Sequence[str], environment: Environment) -> None:
    from mlxjson.cli.app import tree

    app = tree(arguments)
    returned = app(_with_explicit_stats(arguments), standalone_mode=False, obj=environment)
    if returned == ExitCode.INTERRUPTED:  # the option parser catches Ctrl-C itself
        raise Interrupted("interrupted")


def _utf8(argument: str) -> str:
    """An argument as UTF-8 whatever the locale made of it (PEP 383). Raises: UsageError."""
    try:
        return os.fsencode(argument).decode()
    except UnicodeError as error:
        raise UsageError("an argument is not UTF-8 text", where=ascii(argument)) from error


def _with_explicit_stats(arguments: Sequence[str]) -> list[str]:
    """`--stats` may stand alone; the parser wants a value."""
    return ["--stats=auto" if argument == "--stats" else argument for argument in arguments]


def _reported(error: BaseException, environment: Environment) -> int:
    if isinstance(error, (KeyboardInterrupt, Interrupted)) or _is_abort(error):
        _say(environment, "interrupted")
        return ExitCode.INTERRUPTED
    if isinstance(error, (BrokenPipeError, ReaderClosed)):
        _leave_stdout()
        return ExitCode.READER_CLOSED
    if isinstance(error, MlxjsonError) and error.code is not ExitCode.BUG:
        _say(environment, str(error))
        return error.code
    if hasattr(error, "format_message"):  # the option parser's own errors
        _say(environment, _usage(error))
        return ExitCode.USAGE
    _say(environment, f"unexpected error: {_one_line(error)}\n{_REPORT}")
    return ExitCode.BUG


_LONGEST = 400  # characters of a line: a user's own text may be in it
_REPORT = "This is a bug: please report it with the command and what --debug prints."


def _is_abort(error: BaseException) -> bool:
    return type(error).__name__ == "Abort"


def _usage(error: BaseException) -> str:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "mlxjson"
    message = _one_line(error.format_message())  # type: ignore[attr-defined]
    return f"{message}\nSee '{command} --help'."


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:500] or type(error).__name__


def _say(environment: Environment, text: str) -> None:
    lines = [line if len(line) <= _LONGEST else line[:_LONGEST] + "…" for line in text.split("\n")]
    try:
        environment.say("mlxjson: " + "\n".join(lines[:2]))
    except OSError:
        return  # nobody reads stderr either; the exit code says it


def _leave_stdout() -> None:
    """Keep the interpreter from flushing into the closed pipe when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
