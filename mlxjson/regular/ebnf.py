"""Languages as grammar text.

A plain tree is written in its own form, so a repetition stays a repetition; what needs an
automaton becomes one rule for each state that is not used just once.
"""

from typing import Literal

from mlxjson.regular.ambiguity import deterministic_form
from mlxjson.regular.automaton import Dfa, determinise
from mlxjson.regular.charset import FULL, Ranges, charset, difference, intersect
from mlxjson.regular.encoding import bracket, is_plain, json_escapes, json_literals, quote
from mlxjson.regular.errors import EmptyLanguage
from mlxjson.regular.language import Language
from mlxjson.regular.minimise import components
from mlxjson.regular.tree import (
    NOTHING,
    Alt,
    And,
    Chars,
    Machine,
    Node,
    Not,
    Repeat,
    Seq,
    Text,
    Words,
    alt,
    plain,
    repeat,
    seq,
)
from mlxjson.regular.trie import MAX_DEPTH, branches

Encoding = Literal["text", "json"]
INLINE = 4000
LISTED = 64
ASCII: Ranges = ((0, 0x7F),)
BEYOND = difference(FULL, ASCII)


def to_ebnf(language: Language, prefix: str, encoding: Encoding = "text") -> tuple[str, list[str]]:
    """An expression for `language` and the rules it needs.

    Args:
        language: any language that has a word.
        prefix: begins the names of all rules made here.
        encoding: "text" for the words themselves, "json" for the words as they are written between
            the quotes of a JSON string (RFC 8259, section 7).

    Returns:
        An expression that may stand as an item of a sequence, and lines `name ::= body`.

    Raises:
        EmptyLanguage: no word belongs to it.
        TooLarge: its automaton passes the bound on states or time.
    """
    writer = _Writer(prefix, encoding)
    node = _settled(language)
    if node == NOTHING:
        raise EmptyLanguage("no text fits")
    better = deterministic_form(node)
    return writer.item(node) if better is None else writer.automaton(better), writer.rules


def _settled(language: Language) -> Node:
    """The tree with an automaton in place of each intersection and complement in it."""
    if isinstance(language.node, (And, Not)):
        dfa = language.dfa()
        return Machine(dfa) if any(dfa.accepting) else NOTHING
    return _settle(language.node)


def _settle(node: Node) -> Node:
    if plain(node) or isinstance(node, Machine):
        return node
    if isinstance(node, Seq):
        return seq(map(_settle, node.items))
    if isinstance(node, Alt):
        return alt(map(_settle, node.items))
    if isinstance(node, Repeat):
        return repeat(_settle(node.item), node.least, node.most)
    dfa = determinise(node)
    return Machine(dfa) if any(dfa.accepting) else NOTHING


class _Writer:
    """Collects the rules of one language."""

    def __init__(self, prefix: str, encoding: Encoding) -> None:
        self.prefix = prefix
        self.encoding = encoding
        self.rules: list[str] = []
        self._sets: dict[str, str] = {}
        self._classes: dict[Chars, str] = {}
        self._count = 0

    def _name(self) -> str:
        self._count += 1
        return f"{self.prefix}{self._count}"

    def item(self, node: Node) -> str:
        """`node` as something that may be repeated or stand in a sequence."""
        if isinstance(node, Chars):
            return self._chars(node)
        if isinstance(node, Text):
            return self._text(node.text)
        if isinstance(node, Seq):
            return self._sequence(node)
        if isinstance(node, (Alt, Words)):
            return "(" + " | ".join(self._alternatives(node)) + ")"
        if isinstance(node, Repeat):
            inner = self.item(node.item)
            return (f"({inner})" if isinstance(node.item, Repeat) else inner) + _counts(node)
        assert isinstance(node, Machine)
        return self.automaton(node.dfa)

    def _alternatives(self, node: Alt | Words) -> list[str]:
        if isinstance(node, Words):
            return self._words(node)
        return [
            " ".join(map(self.item, item.items))
            if isinstance(item, Seq) and item.items
            else self.item(item)
            for item in node.items
        ]

    def _words(self, node: Words) -> list[str]:
        """A short list as it is; a long one by common beginnings, which the matcher needs."""
        if len(node.texts) <= LISTED:
            return [self._text(word, grouped=False) for word in node.texts]
        return self._by_beginning(sorted(node.texts), 0)

    def _by_beginning(self, texts: list[str], depth: int) -> list[str]:
        if len(texts) <= 4 or depth > MAX_DEPTH:
            return [self._text(word, grouped=False) for word in texts]
        found: list[str] = []
        for head, tails in branches(texts):
            if len(tails) == 1:
                found.append(self._text(head, grouped=False))
                continue
            body = " | ".join(self._by_beginning(tails, depth + 1))
            tail = self._shared(body) if len(body) > INLINE else f"({body})"
            found.append(f"{self._text(head)} {tail}")
        return found

    def _sequence(self, node: Seq) -> str:
        if not node.items:
            return '""'
        return "(" + " ".join(map(self.item, node.items)) + ")"

    def _chars(self, node: Chars) -> str:
        found = self._classes.get(node)
        if found is None:
            found = self._classes[node] = self._write_chars(node)
        return found

    def _write_chars(self, node: Chars) -> str:
        ascii_part, others = intersect(node.ranges, ASCII), difference(node.ranges, ASCII)
        if self.encoding == "text":
            # One rule for all that lies beyond ASCII keeps an automaton's many classes small.
            if others != BEYOND or not ascii_part:
                return bracket(node.ranges)
            return f"({bracket(ascii_part)} | {self._shared(bracket(others))})"
        literal, escapes = json_literals(ascii_part), json_escapes(node.ranges)
        beyond = json_literals(others)
        if not escapes:
            return literal
        rest = self._shared(" | ".join([beyond, *escapes] if beyond else escapes))
        return f"({literal} | {rest})" if literal else rest

    def _shared(self, body: str) -> str:
        """A rule for `body`, the same one each time."""
        if body not in self._sets:
            self._sets[body] = self._name()
            self.rules.append(f"{self._sets[body]} ::= {body}")
        return self._sets[body]

    def _text(self, text: str, grouped: bool = True) -> str:
        if not text or self.encoding == "text" or all(map(is_plain, text)):
            parts = quote(text)
            return f"({' '.join(parts)})" if grouped and len(parts) > 1 else " ".join(parts)
        parts = []
        run = ""
        for char in text:
            if is_plain(char):
                run += char
                continue
            parts += quote(run) if run else []
            run = ""
            parts.append(self._chars(Chars(charset([(ord(char), ord(char))]))))
        parts += quote(run) if run else []
        body = " ".join(parts)
        return f"({body})" if grouped and len(parts) > 1 else body

    def automaton(self, dfa: Dfa) -> str:
        """The rules of `dfa`; the expression names its start."""
        return _Automaton(self, dfa).start()


def _counts(node: Repeat) -> str:
    if node.most is None:
        return {0: "*", 1: "+"}.get(node.least, f"{{{node.least},}}")
    if (node.least, node.most) == (0, 1):
        return "?"
    return f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{node.most}}}"


class _Automaton:
    """Writes one automaton: a state used once is written in place, others get a rule."""

    def __init__(self, writer: _Writer, dfa: Dfa) -> None:
        self.writer = writer
        self.dfa = dfa
        self.uses = [0] * len(dfa.rows)
        for state, row in enumerate(dfa.rows):
            for target in {to for _, _, to in row if to != state}:
                self.uses[target] += 1
        self.bodies: dict[int, str] = {}
        self.names: dict[int, str] = {}

    def start(self) -> str:
        """Write all states, each after those it leads to, and name the first."""
        for component in components(self.dfa.rows):
            cyclic = len(component) > 1
            if cyclic:
                self.names.update({state: self.writer._name() for state in component})
            for state in component:
                self._write(state, cyclic)
        return self.names.get(0) or f"({self.bodies[0]})"

    def _write(self, state: int, cyclic: bool) -> None:
        body = self._body(state)
        if cyclic or (self.uses[state] > 1 and len(body) > 12) or len(body) > INLINE:
            name = self.names.setdefault(state, self.writer._name())
            self.writer.rules.append(f"{name} ::= {body}")
        else:
            self.bodies[state] = body

    def _body(self, state: int) -> str:
        ways: dict[int, list[tuple[int, int]]] = {}
        for low, high, to in self.dfa.rows[state]:
            ways.setdefault(to, []).append((low, high))
        loop = ways.pop(state, None)
        branches = [self._branch(charset(ranges), to) for to, ranges in ways.items()]
        branches += ['""'] if self.dfa.accepting[state] else []
        if loop is None:
            return " | ".join(branches)
        again = self.writer._chars(Chars(charset(loop))) + "*"
        if branches == ['""']:
            return again
        return f"{again} ({' | '.join(branches)})"

    def _branch(self, ranges: tuple[tuple[int, int], ...], to: int) -> str:
        head = self.writer._chars(Chars(ranges))
        if to in self.names:
            return f"{head} {self.names[to]}"
        body = self.bodies[to]
        if body == '""':
            return head
        return f"{head} ({body})" if "|" in body else f"{head} {body}"
