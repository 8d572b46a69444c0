"""Random expressions and texts over a small alphabet, for the tests of regular languages."""

import random

from mlxjson.grammar.engine import xgr
from mlxjson.regular import tree

ATOMS = (
    "a", "b", "c", r"\n", ".", "[ab]", "[^a]", "[^ab\n]", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S",
    r"\.", "é", "[a-c]", r"[\d-]", "ab", "[]a]", r"\x61", "K", "ß", "[aéb\x1f]", r"\0",
)  # fmt: skip
QUANTIFIERS = ("*", "+", "?", "{2}", "{1,2}", "{,2}", "{2,}", "*?", "+?", "??")
LETTERS = "aabbc\n1 .-éK\u212aAß_\0\x1f"

_VOCABULARY = [bytes([byte]) for byte in range(256)] + [b"<eos>"]


def expression(rng: random.Random, depth: int = 3) -> str:
    """A random expression of Python's dialect, anchors included."""
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice(ATOMS)
    if kind < 0.6:
        return "".join(expression(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    if kind < 0.72:
        options = [expression(rng, depth - 1) for _ in range(rng.randint(2, 3))]
        return "(" + "|".join(options) + ")"
    if kind < 0.88:
        return "(?:" + expression(rng, depth - 1) + ")" + rng.choice(QUANTIFIERS)
    if kind < 0.95:
        return rng.choice(("^", "$", r"\A", r"\Z")) + expression(rng, depth - 1)
    return rng.choice(("(?i:", "(?s:", "(?m:", "(?a:")) + expression(rng, depth - 1) + "$)"


def text(rng: random.Random, longest: int = 6) -> str:
    """A random text."""
    return "".join(rng.choice(LETTERS) for _ in range(rng.randint(0, longest)))


class Grammar:
    """A matcher over single bytes for the grammar text of a language."""

    def __init__(self, start: str, rules: list[str]) -> None:
        info = xgr.TokenizerInfo(
            _VOCABULARY, xgr.VocabType.RAW, vocab_size=257, stop_token_ids=[256]
        )
        compiler = xgr.GrammarCompiler(info, enable_dynamic_compilation=True)
        source = "\n".join([f"root ::= {start}", *rules])
        self._compiled = compiler.compile_grammar(xgr.Grammar.from_ebnf(source))

    def accepts(self, text: str) -> bool:
        """Whether `text` is a whole sentence."""
        matcher = xgr.GrammarMatcher(self._compiled)
        return (text == "" or matcher.accept_string(text)) and matcher.is_completed()


ECMA_ATOMS = ("a", "b", "c", ".", "[ab]", "[^a]", r"\d", r"\w", r"\D", r"[\w-]", "ab", r"\-")
ECMA_QUANTIFIERS = ("*", "+", "?", "{2}", "{1,2}", "{2,}", "*?")


def ecma_expression(rng: random.Random, depth: int = 3) -> str:
    """A random expression that ECMA-262 and Python's `re` both read, with look-around."""
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return rng.choice(ECMA_ATOMS)
    if kind < 0.6:
        return "".join(ecma_expression(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    if kind < 0.7:
        options = [ecma_expression(rng, depth - 1) for _ in range(rng.randint(2, 3))]
        return "(" + "|".join(options) + ")"
    if kind < 0.82:
        return "(?:" + ecma_expression(rng, depth - 1) + ")" + rng.choice(ECMA_QUANTIFIERS)
    if kind < 0.9:
        return rng.choice(("^", "$")) + ecma_expression(rng, depth - 1)
    if kind < 0.97:
        return rng.choice(("(?=", "(?!")) + ecma_expression(rng, depth - 1) + ")"
    return rng.choice(("(?<=a)", "(?<!b)"))


def word(node: tree.Node, rng: random.Random) -> str:
    """A random word of a plain tree that has words."""
    if isinstance(node, tree.Chars):
        low, high = rng.choice(node.ranges)
        return chr(rng.randint(low, high))
    if isinstance(node, tree.Text):
        return node.text
    if isinstance(node, tree.Words):
        return rng.choice(node.texts)
    if isinstance(node, tree.Alt):
        return word(rng.choice(node.items), rng)
    if isinstance(node, tree.Seq):
        return "".join(word(item, rng) for item in node.items)
    assert isinstance(node, tree.Repeat)
    most = node.least + 4 if node.most is None or rng.random() < 0.8 else node.most
    if node.most is not None:
        most = min(most, node.most)
    return "".join(word(node.item, rng) for _ in range(rng.randint(node.least, most)))
