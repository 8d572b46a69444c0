"""What is measured when the user names nothing: short texts and what to extract from them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """A text and the schema of what to extract; `name` stands in the report."""

    name: str
    text: str
    schema: Any


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _string(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def _one_of(description: str, *options: str) -> dict[str, Any]:
    return {"enum": list(options), "description": description}


def _integer(description: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 0, "maximum": 100_000, "description": description}


_CONTACT = Sample(
    "contact",
    "Hello, my name is Marta Okafor and I run the repair workshop at 14 Canal Street in Utrecht. "
    "You can reach me at marta@okafor-repairs.example or, better, by phone on 030 555 0148.",
    _object(
        name=_string("full name"),
        email=_string("e-mail address"),
        phone=_string("telephone number"),
        street=_string("street and number"),
        city=_string("city"),
    ),
)

_TICKET = Sample(
    "ticket",
    "Since this morning's update the export button does nothing at all and we can't send our "
    "month-end figures to the auditors, who expect them by five o'clock today. Please help!",
    _object(
        summary=_string("the problem in a few words", maxLength=80),
        category=_one_of("kind of request", "bug report", "feature request", "billing question"),
        severity=_one_of("how bad it is", "cosmetic", "inconvenient", "blocks all work"),
        component=_one_of("part of the product", "export", "import", "sign-in", "search"),
        sentiment=_one_of("mood of the writer", "satisfied", "neutral", "dissatisfied"),
        needs_answer_today={"type": "boolean"},
    ),
)

_ORDER = Sample(
    "order",
    "Order 20418 for the Brightwater school kitchen: 12 soup ladles, 40 enamel bowls and 6 copper "
    "pans, to be delivered on 9 March to the rear entrance. Contact is Jonas Lindqvist.",
    _object(
        order_number=_integer("number of the order"),
        customer=_string("who ordered"),
        contact=_string("contact person"),
        items={
            "type": "array",
            "minItems": 1,
            "maxItems": 5,
            "items": _object(article=_string("what"), quantity=_integer("how many")),
        },
    ),
)

_EVENT = Sample(
    "event",
    "The Harbour Lights Orchestra plays Dvorak and Holst in the old customs hall on 21 June 2025. "
    "Doors open at half past six; tickets cost 18 euros at the Lindgren bookshop.",
    _object(
        performer=_string("who plays"),
        place=_string("where it takes place"),
        date=_string("day, YYYY-MM-DD", format="date"),
        price=_integer("price of a ticket in euros"),
        sold_at=_string("where tickets are sold"),
    ),
)

BUILT_IN = (_CONTACT, _TICKET, _ORDER, _EVENT)
