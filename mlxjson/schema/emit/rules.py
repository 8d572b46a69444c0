"""The rules of one grammar as they are written."""

import re
from collections.abc import Iterable

from mlxjson.errors import ConstraintError
from mlxjson.regular import Language
from mlxjson.schema.emit.notation import is_item

MOST_RULES = 60_000
MOST_CHARACTERS = 24_000_000

_WORDS = re.compile(r'"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|[A-Za-z_]\w*')


class Rules:
    """Named rules in the order in which they were asked for; equal bodies share one name."""

    def __init__(self) -> None:
        self.bodies: dict[str, str] = {}
        self.languages: dict[Language, str | None] = {}
        self._shared: dict[str, str] = {}
        self._count = 0
        self._size = 0

    def name(self, prefix: str) -> str:
        """A new name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def define(self, name: str, body: str, where: str = "") -> None:
        """Write a rule.

        Raises: ConstraintError: the grammar has grown too large; `where` is the pointer named.
        """
        self.bodies[name] = body
        self._size += len(name) + len(body) + 6
        if len(self.bodies) > MOST_RULES or self._size > MOST_CHARACTERS:
            raise ConstraintError(
                f"the grammar grows past {MOST_RULES:,} rules or {MOST_CHARACTERS:,} characters",
                where=f"schema at '{where}'",
                hint="lower the counts in this part, or leave them to validation",
            )

    def shared(self, prefix: str, body: str, where: str = "") -> str:
        """A name for `body`, the same one each time; a short item stands for itself."""
        if len(body) <= 24 and is_item(body):
            return body
        name = self._shared.get(body)
        if name is None:
            name = self._shared[body] = self.name(prefix)
            self.define(name, body, where)
        return name

    def adopt(self, expression: str, helpers: Iterable[str], where: str = "") -> str:
        """Take over rules made elsewhere under names of our own; the expression renamed."""
        rules = [line.split(" ::= ", 1) for line in helpers]
        names = {name: self.name("x") for name, _ in rules}
        open_ = set(names)

        def renamed(text: str) -> str:
            return _WORDS.sub(lambda match: names.get(match[0], match[0]), text)

        for name, source in rules:
            # What refers to itself or to a later rule can't be compared with others yet.
            closed = open_.isdisjoint(_WORDS.findall(source))
            body = renamed(source)
            if closed and body in self._shared:
                names[name] = self._shared[body]
            else:
                self.define(names[name], body, where)
                self._shared.setdefault(body, names[name])
            open_.discard(name)
        return renamed(expression)

    def text(self, root: str) -> str:
        """All of it as grammar text whose first rule is `root ::= …`."""
        lines = [f"root ::= {root}"]
        lines += [f"{name} ::= {body}" for name, body in self.bodies.items()]
        return "\n".join(lines) + "\n"
