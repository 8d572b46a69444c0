"""`Language`: a regular language over Unicode code points as an immutable value."""

from collections.abc import Iterable
from typing import Literal

from mlxjson.regular import lengths, measure, tree
from mlxjson.regular.automaton import Dfa, Explorer, determinise, is_empty
from mlxjson.regular.enumerate import dfa_max_length, dfa_shortest, dfa_words
from mlxjson.regular.errors import EmptyLanguage, TooLarge

MAX_CUT_STATES = 5_000

Dialect = Literal["ecma", "python"]


class Language:
    """A set of texts. Operators give new languages; surrogates belong to no text.

    Operations that need an automaton raise `TooLarge` beyond a bound on states and time; nothing
    is computed before it is asked for. Equal trees compare equal; to compare as sets, ask whether
    both differences are empty.
    """

    __slots__ = ("_dfa", "_explorer", "node")

    def __init__(self, node: tree.Node) -> None:
        self.node = node
        self._dfa: Dfa | None = None
        self._explorer: Explorer | None = None

    @classmethod
    def everything(cls) -> "Language":
        """Every text."""
        return cls(tree.EVERYTHING)

    @classmethod
    def nothing(cls) -> "Language":
        """No text."""
        return cls(tree.NOTHING)

    @classmethod
    def literal(cls, text: str) -> "Language":
        """Exactly `text`."""
        return cls(tree.text(text))

    @classmethod
    def literals(cls, texts: Iterable[str]) -> "Language":
        """Any of `texts`."""
        return cls(tree.words(texts))

    @classmethod
    def length(cls, least: int, most: int | None = None) -> "Language":
        """Every text of `least` to `most` code points (None: without end)."""
        return cls(lengths.any_length(least, most))

    @classmethod
    def pattern(
        cls,
        source: str,
        dialect: Dialect = "ecma",
        anchored: bool | None = None,
        own: bool = False,
    ) -> "Language":
        """The texts a regular expression accepts.

        Args:
            source: the expression.
            dialect: "ecma" for JSON Schema's `pattern`, "python" for `re`.
            anchored: whether it must match the whole text or may match a part; by default as the
                dialect says: ecma searches (JSON Schema core, 6.4), python matches the whole text.
            own: read the expression as the dialect alone does. Otherwise, where ECMA-262 and
                Python's `re` differ, the texts are those of both: right for what is written, but
                not for its complement.

        Raises:
            RegexError: malformed, or not regular; has `.position` and `.reason`.
        """
        from mlxjson.regular.parse import parse

        whole = dialect == "python" if anchored is None else anchored
        return cls(parse(source, dialect, whole, own))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Language) and self.node == other.node

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        from mlxjson.regular.show import show

        return f"Language({show(self.node)})"

    def __and__(self, other: "Language") -> "Language":
        return _intersect(self, other)

    def __or__(self, other: "Language") -> "Language":
        if isinstance(self.node, tree.Words) and isinstance(other.node, tree.Words | tree.Text):
            return Language(tree.words((*self.node.texts, *_texts(other.node))))
        return Language(tree.alt((self.node, other.node)))

    def __add__(self, other: "Language") -> "Language":
        return Language(tree.seq((self.node, other.node)))

    def __invert__(self) -> "Language":
        return Language(tree.negation(self.node))

    def __sub__(self, other: "Language") -> "Language":
        return self & ~other

    def dfa(self) -> Dfa:
        """The automaton of this language, kept once made."""
        if self._dfa is None:
            self._dfa = determinise(_without_waste(self.node))
        return self._dfa

    def accepts(self, text: str) -> bool:
        """Whether `text` belongs to it."""
        if self._explorer is None:
            self._explorer = Explorer(self.node)
        state = self._explorer.start
        for char in text:
            code = ord(char)
            for low, high, target in self._explorer.step(state)[0]:
                if low <= code <= high:
                    state = target
                    break
            else:
                return False
        return self._explorer.step(state)[1]

    def is_empty(self) -> bool:
        """Whether no text belongs to it."""
        if tree.plain(self.node):
            return self.node == tree.NOTHING
        return is_empty(self.node) if self._dfa is None else not any(self._dfa.accepting)

    def is_everything(self) -> bool:
        """Whether every text belongs to it."""
        if self.node == tree.EVERYTHING:
            return True
        lengths = measure.span(self.node)
        return lengths in (None, (0, None)) and (~self).is_empty()

    def is_finite(self) -> bool:
        """Whether only finitely many texts belong to it."""
        return self.is_empty() or self.max_length() is not None

    def words(self, limit: int = 1000) -> list[str] | None:
        """All texts of it if they are at most `limit`, else None."""
        if self.node == tree.NOTHING:
            return []
        if tree.plain(self.node):
            found = measure.words(self.node, limit)
            return None if found is None else list(found)
        return dfa_words(self.dfa(), limit)

    def shortest(self) -> str:
        """A shortest text of it. Raises EmptyLanguage if there is none."""
        if self.node != tree.NOTHING and tree.plain(self.node):
            return measure.shortest(self.node)
        return dfa_shortest(self.dfa())

    def min_length(self) -> int:
        """Code points in a shortest text. Raises EmptyLanguage if there is none."""
        lengths = measure.span(self.node)
        return len(self.shortest()) if lengths is None else lengths[0]

    def max_length(self) -> int | None:
        """Code points in a longest text, None: without end. Raises EmptyLanguage if none fits."""
        lengths = measure.span(self.node)
        if lengths is not None:
            return lengths[1]
        if self.is_empty():
            raise EmptyLanguage("no text fits")
        return dfa_max_length(self.dfa())


def _without_waste(node: tree.Node) -> tree.Node:
    """For a language cut to a length, work out the language first: it tells what the cut costs."""
    items = node.items if isinstance(node, tree.And) else ()
    cuts = [pair for item in items if (pair := lengths.as_length(item)) and pair[1] is not None]
    rest = [item for item in items if not lengths.as_length(item)]
    if len(cuts) != 1 or not rest:
        return node
    least, most = cuts[0]
    dfa = determinise(tree.conjunction(rest))
    if _pairs(dfa, most or 0) > MAX_CUT_STATES:
        raise TooLarge(f"the expression cut to {most} characters needs too many states")
    return tree.And((tree.Machine(dfa), lengths.any_length(least, most)))


def _pairs(dfa: Dfa, most: int) -> int:
    """How many states there are when each is told apart by the characters read, up to a bound."""
    count, reached = 0, {0}
    for _ in range(most + 1):
        count += len(reached)
        if count > MAX_CUT_STATES or not reached:
            break
        reached = {to for state in reached for _, _, to in dfa.rows[state]}
    return count


def _texts(node: tree.Words | tree.Text) -> tuple[str, ...]:
    return node.texts if isinstance(node, tree.Words) else (node.text,)


def _intersect(a: Language, b: Language) -> Language:
    for left, right in ((a, b), (b, a)):
        if isinstance(left.node, tree.Words | tree.Text):
            return Language(tree.words(word for word in _texts(left.node) if right.accepts(word)))
        if left.node == tree.EMPTY:
            return left if right.accepts("") else Language.nothing()
        bounds = lengths.as_length(left.node)
        if bounds is not None:
            bounded = lengths.bound(right.node, *bounds)
            if bounded is not None:
                return Language(bounded)
    return Language(tree.conjunction((a.node, b.node)))
