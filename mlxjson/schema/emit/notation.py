"""Pieces of grammar text: terminals that join, sequences, alternatives."""

from collections.abc import Iterable
from functools import lru_cache

from mlxjson.regular import encoding


class Lit(str):
    """Text that stands for itself; anything else in a sequence is grammar notation."""

    __slots__ = ()


Part = str  # a Lit, or an expression that may stand in a sequence


@lru_cache(maxsize=4096)
def quote(text: str) -> str:
    """`text` as terminals, most often one."""
    if text.isascii() and text.isprintable():
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return " ".join(encoding.quote(text))


def seq(*parts: Part) -> str:
    """One sequence, in which literal texts that meet are written as one terminal."""
    out: list[str] = []
    run = ""
    for part in parts:
        if isinstance(part, Lit):
            run += part
            continue
        if not part or part == '""':
            continue
        if run:
            out.append(quote(run))
            run = ""
        out.append(part)
    if run or not out:
        out.append(quote(run) if run else '""')
    return " ".join(out)


def either(alternatives: Iterable[str]) -> str:
    """The alternatives without brackets: a body of a rule."""
    return " | ".join(dict.fromkeys(alternatives))


def item(expression: str) -> str:
    """`expression` so that it may stand in a sequence or be repeated."""
    return expression if is_item(expression) else f"({expression})"


def is_item(expression: str) -> bool:
    """Whether it is one name, one terminal or one class already."""
    if expression.isidentifier():
        return True
    if len(expression) > 1 and expression[0] == '"' == expression[-1]:
        return '"' not in expression[1:-1].replace("\\\\", "").replace('\\"', "")
    if len(expression) > 1 and expression[0] == "[" and expression[-1] == "]":
        return "]" not in expression[1:-1].replace("\\\\", "").replace("\\]", "")
    return False


def times(expression: str, least: int, most: int | None) -> str:
    """`expression`, an item, repeated."""
    if most == 0:
        return ""
    if (least, most) == (1, 1):
        return expression
    if most is None:
        return expression + {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    if (least, most) == (0, 1):
        return expression + "?"
    return f"{expression}{{{least}}}" if least == most else f"{expression}{{{least},{most}}}"
