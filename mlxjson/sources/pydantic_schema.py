"""Pydantic's JSON Schema, narrowed where it allows documents that the class itself refuses."""

from decimal import Decimal
from typing import Any

from pydantic.json_schema import GenerateJsonSchema


class Documents(GenerateJsonSchema):
    """The schema of documents to write, where Pydantic's is of documents that may be read."""

    def decimal_schema(self, schema: Any) -> dict[str, Any]:
        """A number, where Pydantic also takes strings of digits; with its digits counted."""
        limits: dict[str, Any] = dict(schema)
        if (places := schema.get("decimal_places")) is not None and not schema.get("multiple_of"):
            limits["multiple_of"] = Decimal(1).scaleb(-places)
        limits["type"] = "float"
        made = self.float_schema(limits)  # type: ignore[arg-type]
        return _bounded(made, schema.get("max_digits"), places)

    def timedelta_schema(self, schema: Any) -> dict[str, Any]:
        """Durations of at most four digits a part: Pydantic ends at 999,999,999 days."""
        made = super().timedelta_schema(schema)
        is_text = made.get("format") == "duration"
        return {**made, "pattern": r"^([A-Z]+\d{1,4})+[A-Z]$"} if is_text else made


def _bounded(made: dict[str, Any], digits: int | None, places: int | None) -> dict[str, Any]:
    """As many digits before the point as are left once those behind it are taken."""
    if digits is None:
        return made
    most = 10 ** (digits - (places or 0))
    low = made.get("minimum", made.get("exclusiveMinimum"))
    high = made.get("maximum", made.get("exclusiveMaximum"))
    below = {} if low is not None and low > -most else {"exclusiveMinimum": -most}
    above = {} if high is not None and high < most else {"exclusiveMaximum": most}
    step = {} if places is not None else {"multipleOf": 1}
    return {**made, **step, **below, **above}
