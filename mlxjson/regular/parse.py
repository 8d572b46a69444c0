"""From the source of a regular expression to a tree."""

from functools import lru_cache

from mlxjson.regular.close import close
from mlxjson.regular.ecma import EcmaReader
from mlxjson.regular.errors import RegexError
from mlxjson.regular.python import PythonReader
from mlxjson.regular.tree import Node

MAX_SOURCE = 50_000


@lru_cache(maxsize=1024)
def parse(source: str, dialect: str, anchored: bool, own: bool = False) -> Node:
    """The tree of `source`, closed: no anchor and no look-around is left open in it.

    Raises:
        RegexError: malformed, not regular, or over the bounds on depth, counts and length.
    """
    if len(source) > MAX_SOURCE:
        raise RegexError(f"an expression of more than {MAX_SOURCE} characters", MAX_SOURCE)
    reader = PythonReader(source) if dialect == "python" else EcmaReader(source)
    reader.own = own
    return close(reader.read(), not anchored, not anchored)
