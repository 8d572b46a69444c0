"""What goes wrong with regular languages."""

from mlxjson.errors import ConstraintError


class RegexError(ConstraintError):
    """A regular expression that is malformed or says what no regular language says.

    Attributes:
        position: 0-based index into the expression.
        reason: one clause saying what is wrong there.
    """

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{reason} at position {position} of the regular expression")
        self.position = position
        self.reason = reason


class TooLarge(ConstraintError):
    """A language whose automaton passes the bound on states or time."""


class EmptyLanguage(ConstraintError):
    """A language without any word where one is needed."""
