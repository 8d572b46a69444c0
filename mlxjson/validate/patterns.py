"""Does a `pattern` match? In the dialect JSON Schema names (ECMA-262), and in bounded time.

Patterns that are regular are matched by our own automata in time linear in the text. What is not
regular (lookaround, back-references) goes to a backtracking matcher with a time limit, so no
pattern can hang the process.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mlxjson.errors import ConstraintError
from mlxjson.validate.ecma import EcmaError, to_python

if TYPE_CHECKING:
    from mlxjson.regular import Language

TIME_LIMIT = 2.0
_COUNTS = re.compile(r"\{([0-9]+)(?:,([0-9]*))?\}")
_COUNT_DIGITS = 6

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
    try:
        language = _language(pattern)
        language.accepts("")
    except ConstraintError:
        return None

    def match(text: str) -> bool:
        try:
            return language.accepts(text)
        except ConstraintError:  # the automaton grew too large on the way
            return _backtracking(pattern)(text)

    return match


def _language(pattern: str) -> "Language":
    """The pattern as ECMA-262 reads it.

    What `Language.pattern` gives is narrower: for generation it keeps to what Python's reading
    allows too, and a validator must not refuse the difference.
    """
    from mlxjson.regular import Language, RegexError
    from mlxjson.regular.close import close
    from mlxjson.regular.ecma import EcmaReader

    if "(?!" in pattern or "(?<!" in pattern:
        raise RegexError("not read the same way inside a negative assertion", 0)
    reader = EcmaReader(pattern)
    reader.ascii_only = True
    return Language(close(reader.read(), True, True))


@lru_cache(maxsize=256)
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


def _refuse_large_counts(pattern: str) -> None:
    """The backtracking matcher takes memory for each repetition that a count asks for."""
    for braces in _COUNTS.finditer(pattern):
        if any(len(digits.lstrip("0")) > _COUNT_DIGITS for digits in braces.groups("")):
            raise ConstraintError(
                f"the pattern {pattern[:60]!r} has a repetition count that is too large",
                hint=f"Position {braces.start()}: at most {_COUNT_DIGITS} digits.",
            )


def _compile(pattern: str) -> Any:
    """Read as ECMA-262; where that fails, as Python does, which many schemas are written for."""
    import regex

    _refuse_large_counts(pattern)
    errors: list[str] = []
    for translate in (to_python, str):
        try:
            return regex.compile(translate(pattern), regex.V0)
        except (EcmaError, regex.error, OverflowError) as error:
            errors.append(str(error))
        except RecursionError:
            errors.append("nested too deeply")
    raise ConstraintError(f"the pattern {pattern[:60]!r} is malformed: {errors[0]}")
