"""Strings of a regular language in the form to generate with.

A rule for each state of the language's automaton, with the closing quote inside: xgrammar keeps
the mask of each, while a repeated group costs it a tenth of a second for every mask. Characters are
spelled in one way: escaped where they must be (the short escape if there is one), else as they are.
"""

from dataclasses import dataclass

from mlxjson.regular import Language, TooLarge
from mlxjson.regular.charset import Ranges, charset, complement, intersect
from mlxjson.regular.encoding import SHORT, bracket, json_escapes
from mlxjson.regular.tree import Alt, And, Chars, Node, Repeat, Seq
from mlxjson.schema.emit.notation import either, seq
from mlxjson.schema.emit.rules import Rules

AFTER = r"(= [,:}\] \n\t])"
_MOST_STATES = 400
_ITSELF: Ranges = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10FFFF))
_PLAIN: Ranges = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7E))
_LAST = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Spelling:
    """How the characters of a set are written inside a string.

    Attributes:
        itself: a class of those that stand for themselves, "" for none.
        escaped: what writes the others, "" for none.
    """

    itself: str
    escaped: str


def spelling(ranges: Ranges) -> Spelling:
    """The one way in which each character of `ranges` is written."""
    itself = intersect(ranges, _ITSELF)
    letters = [letter for code, letter in SHORT.items() if _holds(ranges, code)]
    escaped = [bracket(charset((ord(c), ord(c)) for c in letters))] if letters else []
    if ranges and ranges[0][0] == 0 and ranges[0][1] >= 0x1F:
        escaped.append('"u00" [01] [0-9a-fA-F]')
    if not itself and not escaped:
        return Spelling("", either(json_escapes(ranges)))
    escape = rf'"\\" ({either(escaped)})' if escaped else ""
    return Spelling(_class(itself) if itself else "", escape)


def _holds(ranges: Ranges, code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)


def _class(ranges: Ranges) -> str:
    """A class; a wide one by what it leaves out, which is much faster where it is counted."""
    if ranges[-1][1] < _LAST:
        return bracket(ranges)
    # Surrogates are named, or xgrammar would let their three bytes through.
    return f"[^{bracket(complement(ranges))[1:-1]}\\ud800-\\udfff]"


def is_wide(language: Language) -> bool:
    """Whether some character of its words has several spellings or needs an escape."""
    waiting: list[Node] = [language.node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Chars):
            if intersect(node.ranges, _PLAIN) != node.ranges:
                return True
        elif isinstance(node, Seq | Alt | And):
            waiting += node.items
        elif isinstance(node, Repeat):
            waiting.append(node.item)
        elif not _is_constant(node):
            return True
    return False


def _is_constant(node: Node) -> bool:
    return type(node).__name__ in ("Text", "Words")


def as_run(language: Language) -> tuple[Ranges, int, int | None] | None:
    """(characters, least, most) if words are nothing but characters of one set, counted."""
    node = language.node
    if isinstance(node, Repeat) and isinstance(node.item, Chars):
        return node.item.ranges, node.least, node.most
    return None


def states(rules: Rules, language: Language, where: str) -> str | None:
    """A rule for what follows the opening quote, closing quote included; None if too large."""
    try:
        dfa = language.dfa()
    except TooLarge:
        return None
    if len(dfa.rows) > _MOST_STATES:
        return None
    names = [rules.name("q") for _ in dfa.rows]
    for state, row in enumerate(dfa.rows):
        targets: dict[int, list[tuple[int, int]]] = {}
        for low, high, target in row:
            targets.setdefault(target, []).append((low, high))
        ways = ['"\\""'] if dfa.accepting[state] else []
        for target, pairs in targets.items():
            spelled = spelling(charset(pairs))
            ways += [seq(part, names[target]) for part in parts(spelled)]
        rules.define(names[state], f"({either(ways)}) {AFTER}", where)
    return names[0]


def parts(spelled: Spelling) -> list[str]:
    escaped = f"({spelled.escaped})" if " | " in spelled.escaped else spelled.escaped
    return [part for part in (spelled.itself, escaped) if part]
