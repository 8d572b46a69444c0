"""Does a `pattern` match? In the dialect JSON Schema names (ECMA-262), and in bounded time.

Patterns that are regular are matched by our own automata in time linear in the text. What is not
regular (lookaround, back-references) goes to a backtracking matcher with a time limit, so no
pattern can hang the process.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.validate.ecma import EcmaError, to_python

TIME_LIMIT = 2.0
_LONGEST_TEXT = 100_000

Matcher = Callable[[str], bool]


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` matches anywhere in `text`, as JSON Schema's `pattern` asks.

    Raises ConstraintError where the pattern is malformed or takes longer than `TIME_LIMIT` seconds.
    """
    return matcher(pattern)(text)


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Matcher:
    """The matcher of one pattern, kept for the next rows."""
    return _linear(pattern) or _backtracking(pattern)


def _linear(pattern: str) -> Matcher | None:
    """Our own matcher; None where the pattern is not regular, malformed or too large for it."""
    from mlxjson.regular import Language

    try:
        language = Language.pattern(pattern, "ecma")
        language.accepts("")
    except ConstraintError:
        return None
    fallback: list[Matcher] = []

    def match(text: str) -> bool:
        try:
            return bool(language.accepts(text))
        except ConstraintError:  # the automaton grew too large on the way
            fallback[:] = fallback or [_backtracking(pattern)]
            return fallback[0](text)

    return match


def _backtracking(pattern: str) -> Matcher:
    compiled = _compile(pattern)

    def match(text: str) -> bool:
        try:
            return compiled.search(text, timeout=TIME_LIMIT) is not None
        except TimeoutError:
            raise ConstraintError(
                f"the pattern {pattern[:60]!r} takes longer than {TIME_LIMIT:g} s to match"
            ) from None

    return match


def _compile(pattern: str) -> Any:
    """Read as ECMA-262; where that fails, as Python does, which many schemas are written for."""
    import regex

    errors: list[str] = []
    for translate in (to_python, str):
        try:
            return regex.compile(translate(pattern), regex.V0)
        except (EcmaError, regex.error, OverflowError, RecursionError) as error:
            errors.append(str(error))
    raise ConstraintError(f"the pattern {pattern[:60]!r} is malformed: {errors[0]}")
