"""What the grammar layer compiles: grammar text, with a name for its messages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EbnfSource:
    """A GBNF-like grammar whose start rule is `root`. `name` is its file, or how to call it."""

    text: str
    name: str = "grammar"


@dataclass(frozen=True, slots=True)
class LarkSource:
    """A Lark grammar whose start rule is `start`. `name` is its file, or how to call it.

    `named` are EBNF grammars that the text refers to as `@name`.
    """

    text: str
    name: str = "grammar"
    named: tuple[tuple[str, str], ...] = ()


Source = EbnfSource | LarkSource
