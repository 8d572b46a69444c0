"""What is said of a document that fails."""

from dataclasses import dataclass

from mlxjson.validate.scan import Span


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a document fails.

    Attributes:
        pointer: JSON Pointer of the value that fails, "" for the whole document.
        keyword: the keyword it fails; "json" where the text is not strict JSON, "false" for a
            schema that is false.
        message: one clause, such as `"abc" is not an integer`.
        span: (start, end) character offsets of the failing value in the text, end exclusive.
        offset: the character to go back to: before it, everything may stand. For a value that is
            too long or has one member too many that is the start of the excess, for one that
            lacks something its closing bracket or quote, else its start.
        schema_pointer: JSON Pointer of the failing keyword, through the references on the way.
    """

    pointer: str
    keyword: str
    message: str
    span: Span | None = None
    offset: int | None = None
    schema_pointer: str = ""
