"""Strings: free ones, bounded ones, those of a regular language.

A character is one code point, however it is spelled: itself, a short escape, \\uXXXX, or a pair of
surrogates (RFC 8259, section 7). Lone surrogates are no characters.

The form matters for speed. xgrammar keeps a mask for each place in a rule, as long as a token
doesn't leave the rule; a repeated group makes every token leave it. So a free string is one
recursive rule with its closing quote, and a counted run is a run of one class.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from mlxjson.errors import ConstraintError
from mlxjson.regular import Language, TooLarge, to_ebnf
from mlxjson.regular.charset import Ranges
from mlxjson.regular.lengths import as_length
from mlxjson.regular.tree import And, conjunction
from mlxjson.schema.emit.keys import excluded_names, other_keys
from mlxjson.schema.emit.notation import either, seq, times
from mlxjson.schema.emit.rules import Rules
from mlxjson.schema.emit.text import AFTER, Spelling, as_run, is_wide, parts, spelling, states
from mlxjson.schema.shapes import String

# Surrogates are named, or xgrammar would let their three bytes through. A class of what is allowed
# instead would be a hundred times slower where it is counted.
PLAIN = r'[^"\\\x00-\x1f\ud800-\udfff]'
_RULES = {
    "esc": r'["\\/bfnrt] | "u" uni',
    "uni": (
        r"[0-9a-cefA-CEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2} | "
        r'[dD] [89abAB] [0-9a-fA-F]{2} "\\u" [dD] [c-fC-F] [0-9a-fA-F]{2}'
    ),
    "char": rf'{PLAIN} | "\\" esc',
    "tail": rf'("\"" | {PLAIN} tail | "\\" esc tail) {AFTER}',
}
# A character as a regular expression of the engine, inside a terminal: counted many times over it
# compiles faster than the rule `char`, up to this count it doesn't.
_WRITTEN_OUT = 128
_CHARACTER = (
    r"(?:[^\"\\\\\\x00-\\x1f\\ud800-\\udfff]|\\\\(?:[\"\\\\/bfnrt]|u(?:"
    r"[0-9a-cefA-CEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2}|"
    r"[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2})))"
)
LONGEST = 1_000_000
_STEPS = 8
_MOST_LOW = 64


Leave = Callable[[str, str], None]  # takes a keyword and why it is left to validation


def string(rules: Rules, shape: String, counted: bool, where: str, leave: Leave) -> str:
    """An expression for the strings of `shape`, quotes included.

    `counted` takes escapes into account wherever they stand, which makes masks slow; without it
    a bounded string may lose up to an eighth of its length to the place of its first escapes.
    """
    low, high = shape.min_length, shape.max_length
    if shape.language is not None:
        language = shape.language
        if low or high is not None:
            language = language & Language.length(low, high)
        found = None if counted else _to_generate(rules, language, where)
        found = found or of_language(rules, language, where, leave)
        if found is not None:
            return found
        leave("pattern", "a text of this form takes too many states to be written as a grammar")
    if low > LONGEST:
        raise ConstraintError(f"minLength {low} is more than can be written", where=where)
    if high is not None and high >= LONGEST:
        high = None
    if counted:
        return seq('"\\""', _counted(rules, low, high))
    return seq('"\\""', _tail(rules, _free(rules), low, high, where))


def _to_generate(rules: Rules, language: Language, where: str) -> str | None:
    """The form with fast masks, where the usual one has slow ones; None elsewhere."""
    if not is_wide(language):
        return None
    run = as_run(language)
    if run is not None and spelling(run[0]).itself and max(run[1], run[2] or 0) <= LONGEST:
        ranges, low, high = run
        return seq('"\\""', _tail(rules, _of_set(rules, ranges), low, high, where))
    name = states(rules, language, where)
    return None if name is None else seq('"\\""', name)


def of_language(rules: Rules, language: Language, where: str, leave: Leave) -> str | None:
    """The strings whose characters form a word of `language`, quotes included.

    Where that is too large for a grammar, bounds on the length are left out; None where even so
    it is too large.
    """
    if language == Language.everything():
        return seq('"\\""', _base(rules, "tail"))
    names = excluded_names(language)
    if names is not None:
        _base(rules, "tail")
        return seq('"\\""', other_keys(rules, names))
    content = _content(rules, language, where)
    if content is None and (wider := _of_any_length(language)) is not None:
        leave("maxLength", "text of this form can't be counted by a grammar of moderate size")
        content = _content(rules, wider, where)
    return None if content is None else seq('"\\""', content, '"\\""')


def _content(rules: Rules, language: Language, where: str) -> str | None:
    if language not in rules.languages:
        try:
            rules.languages[language] = rules.adopt(*_written(language), where)
        except TooLarge:
            rules.languages[language] = None
    return rules.languages[language]


@lru_cache(maxsize=512)
def _written(language: Language) -> tuple[str, list[str]]:
    """Formats and common patterns come up again and again."""
    return to_ebnf(language, "x", "json")


def _of_any_length(language: Language) -> Language | None:
    """`language` without bounds on its length; None if it has none apart from its form."""
    if not isinstance(language.node, And):
        return None
    parts = [item for item in language.node.items if as_length(item) is None]
    if not parts or len(parts) == len(language.node.items):
        return None
    return Language(conjunction(parts))


def _base(rules: Rules, name: str) -> str:
    """One of the rules above, with those that it needs."""
    if name not in rules.bodies:
        rules.define(name, _RULES[name])
        for other in {"tail": ("esc",), "char": ("esc",), "esc": ("uni",)}.get(name, ()):
            _base(rules, other)
    return name


def _counted(rules: Rules, low: int, high: int | None) -> str:
    if high is None:
        if low == 0:
            return _base(rules, "tail")
        return seq(times(_base(rules, "char"), low, low), _base(rules, "tail"))
    if high > _WRITTEN_OUT:
        return seq(f'Regex("{_CHARACTER}{{{low},{high}}}")', '"\\""')
    return seq(times(_base(rules, "char"), low, high), '"\\""')


@dataclass(frozen=True, slots=True)
class _Run:
    """Counted characters of one set, as they follow the opening quote.

    Attributes:
        spelled: how the characters are written.
        rest: the rule for any number of them and the closing quote.
        step: how many places one stretch has.
    """

    spelled: Spelling
    rest: str
    step: int

    def name(self, low: int, high: int | None) -> str:
        """The rule for `low` to `high` of them and the closing quote."""
        if (low, high) == (0, None):
            return self.rest
        return f"{self.rest}_{low}_{'' if high is None else high}_{self.step}"


def _free(rules: Rules) -> tuple[Spelling, str]:
    """Any character."""
    tail = _base(rules, "tail")
    return Spelling(PLAIN, rf'"\\" {_base(rules, "esc")}'), tail


def _of_set(rules: Rules, ranges: Ranges) -> tuple[Spelling, str]:
    """Characters of a set."""
    spelled = spelling(ranges)
    name = rules.name("t")
    ways = ['"\\""', *(seq(part, name) for part in parts(spelled))]
    rules.define(name, f"({either(ways)}) {AFTER}")
    return spelled, name


def _tail(rules: Rules, run: tuple[Spelling, str], low: int, high: int | None, where: str) -> str:
    """What follows the opening quote: `low` to `high` characters and the closing quote."""
    step = max(1, -(-(low if high is None else high) // _STEPS))
    counted = _Run(*run, step)
    wanted = [(low, high)]
    for least, most in wanted:
        name = counted.name(least, most)
        if name not in rules.bodies:
            body, further = _bounded(counted, least, most)
            rules.define(name, body, where)
            wanted += further
    return counted.name(low, high)


def _bounded(run: _Run, low: int, high: int | None) -> tuple[str, list[tuple[int, int | None]]]:
    """Without an escape, or with the first one in each of a few stretches of places."""
    further: list[tuple[int, int | None]] = []
    itself, escaped = run.spelled.itself, run.spelled.escaped
    if high is None:
        ways = [seq(times(itself, low, low), run.rest)]
    else:
        ways = [seq(times(itself, low, high), '"\\""')]
    span = low if high is None else high
    for first in range(0, span if escaped and low <= _MOST_LOW else 0, run.step):
        last = min(first + run.step, span) - 1
        # In the worst case the run before the escape was as short (long) as it may be.
        least = max(0, low - first - 1)
        most = None if high is None else high - last - 1
        if most is None or least <= most:
            ways.append(seq(times(itself, first, last), escaped, run.name(least, most)))
            further.append((least, most))
    return either(ways), further
