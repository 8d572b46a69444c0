"""Keys that are none of the named ones, written as a tree of the names' beginnings.

A key is named by what it says, not by how it is spelled: "\\u0061" is "a". So a character of a name
may only be written as itself, and up to the first difference no escape may stand for one of the
printable ASCII characters. Names that hold other characters are left to the general way.
"""

from functools import lru_cache

from mlxjson.regular import Language
from mlxjson.regular.charset import Ranges, charset, difference
from mlxjson.regular.encoding import bracket, is_plain
from mlxjson.regular.tree import Not, Text, Words
from mlxjson.schema.emit.notation import quote
from mlxjson.schema.emit.rules import Rules

# Escapes of characters that are not printable ASCII, or can't be written otherwise.
_ESCAPE = (
    r'["\\bfnrt] | "u" ("00" ([01] [0-9a-fA-F] | "22" | "5" [cC] | "7" [fF] | [89a-fA-F] '
    r"[0-9a-fA-F]) | "
    r'"0" [1-9a-fA-F] [0-9a-fA-F]{2} | [1-9a-cefA-CEF] [0-9a-fA-F]{3} | '
    r'[dD] [0-7] [0-9a-fA-F]{2} | [dD] [89abAB] [0-9a-fA-F]{2} "\\u" [dD] [c-fC-F] [0-9a-fA-F]{2})'
)

_PRINTABLE: Ranges = ((0x20, 0x21), (0x23, 0x5B), (0x5D, 0x7E))
_BEYOND = r"[^\x00-~\ud800-\udfff]"


def excluded_names(language: Language) -> tuple[str, ...] | None:
    """The names that `language` excludes if it says no more, and they are plain; else None."""
    node = language.node
    if not isinstance(node, Not) or not isinstance(node.item, Text | Words):
        return None
    names = node.item.texts if isinstance(node.item, Words) else (node.item.text,)
    return names if all(is_plain(char) for name in names for char in name) else None


def other_keys(rules: Rules, names: tuple[str, ...]) -> str:
    """What follows the opening quote of a key that is none of `names`, with the closing quote.

    Needs the rule `tail`, what follows the opening quote of any string.
    """
    if "kesc" not in rules.bodies:
        rules.define("kesc", _ESCAPE)
        # Apart, because xgrammar writes out how the characters beyond ASCII begin in each class.
        rules.define("kelse", rf'{_BEYOND} tail | "\\" kesc tail')
    tree = _tree(names)
    done: dict[int, str] = {}
    # Children first. Names that end alike share rules, since equal bodies have one name.
    for node in range(len(tree) - 1, -1, -1):
        ends, children = tree[node]
        unlike = f"{_unlike(''.join(sorted(children)))} tail | kelse"
        ways = "".join(f" | {quote(char)} {done[child]}" for char, child in children.items())
        done[node] = rules.shared("k", f"{unlike}{ways}" if ends else f'"\\"" | {unlike}{ways}')
    return done[0]


def _tree(words: tuple[str, ...]) -> list[tuple[bool, dict[str, int]]]:
    """Nodes, each behind its parent: whether a word ends there, and its children."""
    tree: list[tuple[bool, dict[str, int]]] = [(False, {})]
    for word in words:
        node = 0
        for char in word:
            children = tree[node][1]
            if char not in children:
                children[char] = len(tree)
                tree.append((False, {}))
            node = children[char]
        tree[node] = True, tree[node][1]
    return tree


@lru_cache(maxsize=4096)
def _unlike(children: str) -> str:
    """A class of the printable ASCII characters that stand for themselves, but `children`."""
    return bracket(difference(_PRINTABLE, charset((ord(char), ord(char)) for char in children)))
