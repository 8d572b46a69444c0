"""Names and descriptions of schema fields, made from the noun phrases of a fact."""

import re
from random import Random

from training.splits import VALIDATION, share

_HELD_OUT = 0.17
_SHORT = {
    "number": ["no", "nr", "num"],
    "quantity": ["qty"],
    "address": ["addr"],
    "date": ["dt"],
    "amount": ["amt"],
    "telephone": ["tel"],
    "phone": ["tel"],
    "temperature": ["temp"],
    "description": ["desc"],
    "minimum": ["min"],
    "maximum": ["max"],
    "reference": ["ref"],
    "employee": ["emp"],
    "department": ["dept"],
    "company": ["co"],
    "customer": ["cust"],
    "minutes": ["min", "mins"],
    "hours": ["h", "hrs"],
    "percent": ["pct"],
    "kilograms": ["kg"],
    "grams": ["g"],
    "metres": ["m"],
    "centimetres": ["cm"],
    "degrees": ["deg"],
    "average": ["avg"],
    "price": ["prc"],
    "position": ["pos"],
    "message": ["msg"],
    "identifier": ["id"],
    "organisation": ["org"],
    "category": ["cat"],
    "kilometres": ["km"],
    "manager": ["mgr"],
    "country": ["ctry"],
    "street": ["str"],
    "document": ["doc"],
    "square": ["sq"],
    "years": ["yrs"],
    "name": ["nm"],
    "total": ["tot"],
    "payment": ["pmt"],
    "account": ["acct"],
    "invoice": ["inv"],
    "received": ["rcvd"],
    "delivery": ["dlv"],
    "contact": ["ctc"],
}
STYLES = ["snake"] * 12 + ["camel"] * 5 + ["pascal", "kebab", "spaced", "upper", "flat"]


def belongs(name: str, split: str) -> bool:
    """Whether a field name or label is this split's."""
    held = share("name:" + re.sub(r"[\W_]+", "", name).lower()) < _HELD_OUT
    return held == (split == VALIDATION)


def field_name(
    aliases: list[str], entities: list[str], style: str, split: str, rng: Random
) -> str | None:
    """A name in one of the aliases' words; None if chance finds none of this split's."""
    plain = [a for a in aliases if not a.startswith("whether")] or [
        aliases[0].removeprefix("whether ")
    ]
    for _ in range(40):
        words = _words(rng.choice(plain), entities, rng)
        name = styled(words, style)
        if 0 < len(words) <= 5 and belongs(name, split):
            return name
    return None


def _words(alias: str, entities: list[str], rng: Random) -> list[str]:
    alias = alias.lower()
    if match := re.match(r"number of (.*)", alias):
        what = match[1]
        alias = rng.choice(
            [
                alias,
                what,
                f"num {what}",
                f"{what} count",
                f"count of {what}",
                f"total {what}",
                f"n {what}",
            ]
        )
    if match := re.match(r"(.*) in (.*)", alias):
        alias = rng.choice([alias, match[1], f"{match[1]} {match[2]}", f"{match[1]} {match[2]}"])
    if (match := re.match(r"(\w+) of (?:the )?([\w ]+)$", alias)) and rng.random() < 0.4:
        alias = f"{match[2]} {match[1]}"
    if rng.random() < 0.12:
        alias = f"{rng.choice(entities)} {alias}"
    if rng.random() < 0.03:
        alias = rng.choice(["the ", "extracted ", "stated ", "given ", "current "]) + alias
    words = re.findall(r"\w+", alias.replace("'s", "").replace("'", ""))
    words = [w for w in words if w not in {"the", "a", "an"} or rng.random() < 0.1]
    if rng.random() < 0.12:
        words = [rng.choice(_SHORT[w]) if w in _SHORT and rng.random() < 0.7 else w for w in words]
    return [w for i, w in enumerate(words) if i == 0 or w != words[i - 1]]


def styled(words: list[str], style: str) -> str:
    """Words as a name in one style."""
    capital = [w[:1].upper() + w[1:] for w in words]
    match style:
        case "camel":
            return words[0] + "".join(capital[1:])
        case "pascal":
            return "".join(capital)
        case "kebab":
            return "-".join(words)
        case "spaced":
            return " ".join([capital[0], *words[1:]])
        case "upper":
            return "_".join(words).upper()
        case "flat":
            return "".join(words)
    return "_".join(words)


_PLAIN = ["{a}"] * 8 + [
    "the {a}",
    "the {a}",
    "{A}",
    "{A}",
    "{A}.",
    "The {a}.",
    "{a} of the {e}",
    "The {a} of the {e}",
    "{e}: {a}",
    "{a} as given in the text",
    "{a} mentioned in the text",
    "{A} ({e})",
    "what the {a} is",
    "extract the {a}",
]
_ASKED = ["What is the {a}?", "which {a}?", "{A}?", "Find the {a}."]
_BOOLEAN = [
    "{a}",
    "{a}",
    "{A}?",
    "true if {a}, otherwise false",
    "true or false: {a}",
    "yes or no: {a}",
    "flag: {a}",
]
_LIST = [
    "{a}",
    "list of {a}",
    "all {a}",
    "{A}, one entry each",
    "{A} as a list",
    "every one of the {a}",
]
_COPIED = [", as written", " (as in the text)", ", copied verbatim", ", exactly as stated"]
_NULL = [
    ", null if not given",
    " or null if unknown",
    ", if stated",
    " (null when missing)",
    ", if any",
    ", optional",
]


def description(aliases: list[str], entities: list[str], kind: str, rng: Random, split: str) -> str:
    """A description in the words of one alias."""
    alias = _chosen(aliases, kind, rng, split)
    forms = {"bool": _BOOLEAN, "list": _LIST, "objects": _LIST}.get(
        kind, _PLAIN if rng.random() < 0.93 else _ASKED
    )
    if alias.startswith("whether"):
        forms = ["{a}", "{a}", "{A}", "{A}."]
    form = rng.choice(forms)
    return form.format(a=alias, A=alias[:1].upper() + alias[1:], e=rng.choice(entities))


def _chosen(aliases: list[str], kind: str, rng: Random, split: str) -> str:
    asked = [a for a in aliases if a.startswith("whether")]
    if kind == "bool" and asked and rng.random() < 0.6:
        return rng.choice(asked)
    held = [a for a in aliases if belongs(a, split)]
    return rng.choice(held or aliases)


def copied(text: str, rng: Random) -> str:
    return text + rng.choice(_COPIED)


def or_null(text: str, rng: Random) -> str:
    return text.rstrip(".?") + rng.choice(_NULL)
