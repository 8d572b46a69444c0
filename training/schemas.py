"""From a document to a JSON Schema that asks for some of its facts, and the right answer."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from training import naming
from training.compose import Document, line_of
from training.kindfile import Field
from training.splits import TRAIN, part
from training.values import Value

Convert = Callable[[Value], Any]


@dataclass
class Writer:
    """How one schema is written: its naming, how much it describes, how it says null."""

    rng: Random
    split: str
    entities: list[str]
    names: str
    described: float
    titled: float
    null_list: bool
    keep_order: bool
    code_names: bool
    nullable: float
    optional: float
    defs: dict[str, Any] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)


def writer(document: Document) -> Writer:
    rng = document.sheet.rng
    described = rng.choices([1.0, 0.0, 0.55], [0.68, 0.2, 0.12])[0]
    ours = document.sheet.split == TRAIN
    code_names = ours and rng.random() < 0.02
    return Writer(
        rng,
        document.sheet.split,
        document.kind.entities,
        rng.choice(naming.STYLES),
        1.0 if code_names else described,
        1.0 if rng.random() < 0.07 else 0.0,
        rng.random() < 0.6,
        rng.random() < 0.55,
        code_names,
        # Whole schemas whose fields may be null, or left out, though the text tells most of them.
        rng.choices([0.06, 0.35, 1.0], [0.8, 0.1, 0.1])[0] if ours else 0.06,
        rng.choices([0.05, 0.4, 1.0], [0.84, 0.08, 0.08])[0] if ours else 0.05,
    )


def ask(document: Document) -> tuple[dict[str, Any], Any] | None:
    """A schema and its answer; None where chance leaves nothing to ask."""
    out = writer(document)
    rng = out.rng
    lists = [k for k in document.told if document.sheet.values[k].kind == "objects"]
    if lists and rng.random() < 0.08:
        return _rows(document.kind.fields[rng.choice(lists)], document, out)
    keys = _chosen(document, rng)
    properties, answer, required = _properties(keys, document, out)
    _extra(document, out, properties, answer, required)
    if not properties:
        return None
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    _finish(schema, required, out)
    if rng.random() < 0.06:
        schema = {
            "description": rng.choice(["a {}", "data of one {}", "{} record", "the {}"]).format(
                out.entities[0]
            ),
            **schema,
        }
    if rng.random() < 0.08:
        schema = {"title": naming.styled(out.entities[0].split(), "pascal"), **schema}
    if out.defs:
        schema = (
            {"$defs": out.defs, **schema} if rng.random() < 0.5 else {**schema, "$defs": out.defs}
        )
    return schema, answer


def _chosen(document: Document, rng: Random) -> list[str]:
    """Keys to ask for: mostly told, now and then one that the text leaves out."""
    fields = document.kind.fields
    told = [key for key in fields if key in document.told]
    left_out = [key for key in fields if key not in document.told and key != "currency"]
    weights = [0.7, 1.2, 2, 3, 4, 4.5, 4, 2.5, 1.5, 1, 0.7, 0.6]
    count = min(len(told), rng.choices(range(1, 13), weights)[0])
    keys = rng.sample(told, count)
    if left_out and rng.random() < (0.32 if document.sheet.split == TRAIN else 0.2):
        keys += rng.sample(left_out, min(len(left_out), rng.choice([1, 1, 2])))
    return keys


def _properties(
    keys: list[str], document: Document, out: Writer
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    order = [key for key in document.kind.fields if key in keys]
    if not out.keep_order:
        out.rng.shuffle(order)
    grouped = _groups(order, document, out.rng)
    properties: dict[str, Any] = {}
    answer: dict[str, Any] = {}
    required: list[str] = []
    done: set[str] = set()
    for key in order:
        if key in done:
            continue
        group = next((g for g in grouped if key in g[0]), None)
        if group:
            done |= set(group[0])
            _nest(group, document, out, properties, answer, required)
        else:
            _add(key, document, out, properties, answer, required)
    return properties, answer, required


def _groups(order: list[str], document: Document, rng: Random) -> list[tuple[list[str], list[str]]]:
    found = []
    for members, names in document.kind.groups:
        here = [key for key in order if key in members]
        if len(here) >= 2 and rng.random() < 0.4:
            found.append((here, names))
    taken = {key for here, _ in found for key in here}
    free = [key for key in order if key not in taken]
    if len(free) >= 4 and rng.random() < 0.1:
        names = [
            "details",
            "info",
            "data",
            "facts",
            "attributes",
            "meta",
            "further details",
            "general",
            "particulars",
            "summary data",
        ]
        found.append((rng.sample(free, rng.randint(2, min(4, len(free)))), names))
    return found


def _nest(
    group: tuple[list[str], list[str]],
    document: Document,
    out: Writer,
    properties: dict[str, Any],
    answer: dict[str, Any],
    required: list[str],
) -> None:
    keys, names = group
    name = _name(names, out, out.used)
    if name is None:
        return
    inner: dict[str, Any] = {}
    inner_answer: dict[str, Any] = {}
    inner_required: list[str] = []
    outer_used, out.used = out.used, set()
    for key in keys:
        _add(key, document, out, inner, inner_answer, inner_required)
    out.used = outer_used
    if not inner:
        return
    schema: dict[str, Any] = {"type": "object", "properties": inner}
    _finish(schema, inner_required, out)
    if out.described and out.rng.random() < 0.4:
        schema["description"] = out.rng.choice(names)
    if out.rng.random() < 0.12:
        title = naming.styled(name.replace("-", "_").replace(" ", "_").split("_"), "pascal")
        out.defs[title] = schema
        schema = {"$ref": f"#/$defs/{title}"}
    properties[name], answer[name] = schema, inner_answer
    required.append(name)


def _finish(schema: dict[str, Any], required: list[str], out: Writer) -> None:
    if required and (out.rng.random() < 0.85 or len(required) < len(schema["properties"])):
        schema["required"] = required
    if out.rng.random() < 0.5:
        schema["additionalProperties"] = False


def _name(aliases: list[str], out: Writer, used: set[str]) -> str | None:
    for _ in range(6):
        name = naming.field_name(aliases, out.entities, out.names, out.split, out.rng)
        if out.code_names:
            name = f"{out.rng.choice('fxkvc')}{out.rng.randrange(1, 40)}"
        if name and name not in used:
            used.add(name)
            return name
    return None


def _add(
    key: str,
    document: Document,
    out: Writer,
    properties: dict[str, Any],
    answer: dict[str, Any],
    required: list[str],
) -> None:
    """One property; a fact that the text leaves out becomes null or is left out of the answer."""
    one, value = document.kind.fields[key], document.sheet.values[key]
    name = _name(one.aliases, out, out.used)
    if name is None:
        return
    told = key in document.told
    optional = out.rng.random() < (max(0.3, out.optional) if not told else out.optional)
    nullable = (not told and not optional) or out.rng.random() < out.nullable
    schema, convert = typed(one, value, out)
    properties[name] = _written(one, name, schema, nullable, out)
    if told:
        answer[name] = convert(value)
    elif nullable:
        answer[name] = None
    if not optional:
        required.append(name)


def _written(
    one: Field, name: str, schema: dict[str, Any], nullable: bool, out: Writer
) -> dict[str, Any]:
    """The property with its null, description and title."""
    rng = out.rng
    hint = schema.pop("hint", "")
    if nullable:
        schema = _nullable(schema, out.null_list)
    if rng.random() < out.described or hint:
        text = (
            naming.description(one.aliases, out.entities, _described_kind(one), rng, out.split)
            + hint
        )
        if nullable and rng.random() < 0.5:
            text = naming.or_null(text, rng)
        schema = (
            {**schema, "description": text}
            if rng.random() < 0.85
            else {"description": text, **schema}
        )
    if rng.random() < out.titled:
        schema = {"title": name.replace("_", " ").title(), **schema}
    return schema


def _described_kind(one: Field) -> str:
    return "list" if one.kind in {"many", "people"} else one.kind


def _nullable(schema: dict[str, Any], as_list: bool) -> dict[str, Any]:
    if "enum" in schema and as_list:
        return {
            **schema,
            **({"type": ["string", "null"]} if "type" in schema else {}),
            "enum": [*schema["enum"], None],
        }
    if as_list and isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


_ISO = [
    ", YYYY-MM-DD",
    " (YYYY-MM-DD)",
    ", ISO 8601",
    " in ISO format",
    " as YYYY-MM-DD",
    ", format YYYY-MM-DD",
    " as an ISO 8601 date",
]
_CLOCK = [
    ", HH:MM",
    " (HH:MM)",
    ", 24-hour HH:MM",
    " in 24-hour format",
    " as HH:MM",
    ", 24 h clock (HH:MM)",
]


def typed(one: Field, value: Value, out: Writer) -> tuple[dict[str, Any], Convert]:
    """The schema of a fact and how its value becomes the answer; `hint` is for the description."""
    rng = out.rng
    match value.kind:
        case "int":
            return _integer(rng, value.gold < 0 and out.split == TRAIN), lambda v: v.gold
        case "num":
            return _number(rng), lambda v: v.gold
        case "money":
            whole = isinstance(value.gold, int) and rng.random() < 0.4
            return {"type": "integer" if whole else "number"}, lambda v: v.gold
        case "bool":
            return _boolean(rng)
        case "enum":
            return _enum(one, value, rng)
        case "date":
            return _date(value, rng)
        case "time":
            return _time(rng)
        case "list":
            return _array(rng), lambda v: v.gold
        case "objects":
            return _object_array(one, value, out)
        case "currency":
            return _currency(value, rng), lambda v: v.gold
    return _string(one, value, rng), lambda v: v.gold


def _integer(rng: Random, negative: bool) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "integer" if rng.random() < 0.92 else "number"}
    bounded = rng.random() < 0.08 and not negative
    return {**schema, "minimum": 0} if bounded else schema


def _number(rng: Random) -> dict[str, Any]:
    return {"type": "number"}


def _boolean(rng: Random) -> tuple[dict[str, Any], Convert]:
    if rng.random() < 0.93:
        return {"type": "boolean"}, lambda v: v.gold
    yes, no = rng.choice([("yes", "no"), ("Y", "N"), ("YES", "NO"), ("true", "false")])
    return {"type": "string", "enum": [yes, no]}, lambda v: yes if v.gold else no


def _enum(one: Field, value: Value, rng: Random) -> tuple[dict[str, Any], Convert]:
    style = rng.randrange(4)
    spelled = {gold: names[min(style, len(names) - 1)] for gold, names in one.spellings.items()}
    options = list(spelled.values())
    if len(options) > 3 and rng.random() < 0.3:
        options.remove(rng.choice([o for o in options if o != spelled[value.gold]]))
    if rng.random() < 0.6:
        rng.shuffle(options)
    if rng.random() < 0.06:
        options.append(rng.choice(["other", "unknown", "OTHER", "none of these"]))
    schema: dict[str, Any] = {"enum": options}
    if rng.random() < 0.85:
        schema = {"type": "string", **schema}
    return schema, lambda v: spelled[v.gold]


def _date(value: Value, rng: Random) -> tuple[dict[str, Any], Convert]:
    roll = 0.0 if value.extra["weekday"] else rng.random()
    if roll < 0.35:
        return {"type": "string", "hint": rng.choice(_ISO)}, lambda v: v.gold
    if roll < 0.6:
        return {"type": "string", "format": "date"}, lambda v: v.gold
    if roll < 0.68:
        return {"type": "string", "format": "date", "hint": rng.choice(_ISO)}, lambda v: v.gold
    if roll < 0.72:
        return {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, lambda v: v.gold
    if roll < 0.78:
        return {
            "type": "string",
            "hint": rng.choice([", as written", " (as in the text)", ", verbatim"]),
        }, lambda v: v.text
    return {"type": "string"}, lambda v: v.text


def _time(rng: Random) -> tuple[dict[str, Any], Convert]:
    if rng.random() < 0.35:
        return {"type": "string", "hint": rng.choice(_CLOCK)}, lambda v: v.gold
    return {"type": "string"}, lambda v: v.text


def _array(rng: Random) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
    if rng.random() < 0.2:
        schema["maxItems"] = rng.choice([6, 8, 10, 20])
    if rng.random() < 0.1:
        schema["minItems"] = 1
    return schema


def _object_array(one: Field, value: Value, out: Writer) -> tuple[dict[str, Any], Convert]:
    keys = [child for child in one.children if child.key in value.gold[0]]
    keys = keys if out.rng.random() < 0.75 else out.rng.sample(keys, max(1, len(keys) - 1))
    if out.rng.random() < 0.3:
        out.rng.shuffle(keys)
    properties: dict[str, Any] = {}
    columns: list[tuple[str, str, Convert]] = []
    used: set[str] = set()
    for child in keys:
        name = _name(child.aliases, out, used)
        if name is None:
            continue
        sample = _widest([row[child.key] for row in value.gold])
        schema, convert = typed(child, sample, out)
        properties[name] = _written(child, name, schema, False, out)
        columns.append((child.key, name, convert))
    item: dict[str, Any] = {"type": "object", "properties": properties}
    _finish(item, [name for _, name, _ in columns], out)
    schema = {"type": "array", "items": item}
    if out.rng.random() < 0.1:
        schema["maxItems"] = 20
    return schema, lambda v: [
        {name: convert(row[key]) for key, name, convert in columns} for row in v.gold
    ]


def _widest(values: list[Value]) -> Value:
    """The value whose type holds for all: a fraction before a whole amount."""
    return next((v for v in values if isinstance(v.gold, float)), values[0])


def _currency(value: Value, rng: Random) -> dict[str, Any]:
    if rng.random() < 0.5:
        codes = ["EUR", "USD", "GBP"] + (
            [value.gold] if value.gold not in {"EUR", "USD", "GBP"} else []
        )
        rng.shuffle(codes)
        return {"type": "string", "enum": codes}
    return {
        "type": "string",
        "hint": rng.choice([", ISO 4217", " (three letters)", ", e.g. USD", " as ISO code"]),
    }


def _string(one: Field, value: Value, rng: Random) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    formats = {"email": "email", "url": "uri", "ip": "ipv4", "domain": "hostname"}
    if (
        one.kind in formats
        and value.text.startswith(("http", value.text))
        and rng.random() < 0.3
        and not value.text.startswith("www")
    ):
        schema["format"] = formats[one.kind]
    if rng.random() < 0.03:
        schema["minLength"] = 1
    if rng.random() < 0.03:
        schema["maxLength"] = max(len(value.text), rng.choice([40, 80, 100, 200, 255]))
    return schema


def _extra(
    document: Document,
    out: Writer,
    properties: dict[str, Any],
    answer: dict[str, Any],
    required: list[str],
) -> None:
    """Now and then a summary, a title, a constant or a fact that follows from another."""
    rng = out.rng
    made = None
    roll = rng.random()
    if roll < 0.03 and document.lead and "\t" not in document.lead:
        made = (
            ["summary", "abstract", "gist", "short summary", "key sentence"],
            {"type": "string"},
            document.lead,
            rng.choice(
                [
                    "one-sentence summary taken from the text",
                    "first sentence of the text",
                    "the main sentence",
                    "summary in one sentence, as in the text",
                ]
            ),
        )
    elif roll < 0.06:
        # A title is anybody's guess: training asks for few.
        guess = out.split != TRAIN or rng.random() < 0.3
        made = _headline(document, rng) if guess else _derived(document, rng)
    elif roll < 0.07:
        kind = document.kind.entities[0]
        made = (["type", "kind", "document type", "record type"], {"const": kind}, kind, "")
    elif roll < 0.14:
        made = _derived(document, rng)
    if made is None:
        return
    aliases, schema, gold, text = made
    name = _name(aliases, out, out.used)
    if name is None:
        return
    if text and (out.described or rng.random() < 0.5):
        schema["description"] = text
    front = rng.random() < 0.4
    for target, item in ((properties, schema), (answer, gold)):
        rest = dict(target)
        target.clear()
        target.update({name: item, **rest} if front else {**rest, name: item})
    required.insert(0, name) if front else required.append(name)


def _headline(document: Document, rng: Random) -> tuple[list[str], dict[str, Any], str, str] | None:
    sources = part(document.kind.headlines, document.sheet.split)
    line = line_of(rng.choice(sources), document.sheet) if sources else None
    if line is None or not line.told <= document.told:
        return None
    return (
        ["headline", "short title", "caption", "subject line"],
        {"type": "string"},
        line.text,
        rng.choice(["a short headline", "a title for the text", "short title"]),
    )


def _derived(document: Document, rng: Random) -> tuple[list[str], dict[str, Any], Any, str] | None:
    """A part of a name, the year of a date, the length of a list."""
    key = rng.choice(sorted(document.told) or [""])
    if not key:
        return None
    one, value = document.kind.fields[key], document.sheet.values[key]
    alias = rng.choice([a for a in one.aliases if not a.startswith("whether")] or one.aliases)
    if value.extra.get("full") and "first" in value.extra:
        which, words = rng.choice(
            [
                ("first", ["first name", "given name", "forename"]),
                ("last", ["last name", "surname", "family name"]),
            ]
        )
        return (
            [f"{alias} {w}" for w in words] + words,
            {"type": "string"},
            value.extra[which],
            f"{rng.choice(words)} of the {alias}",
        )
    if value.kind == "date":
        year = value.extra["day"].year
        return (
            [f"{alias} year", f"year of {alias}"],
            {"type": "integer"},
            year,
            f"year of the {alias}",
        )
    if value.kind in {"list", "objects"}:
        return (
            [f"number of {alias}", f"{alias} count"],
            {"type": "integer"},
            len(value.gold),
            f"how many {alias}",
        )
    return None


def _rows(one: Field, document: Document, out: Writer) -> tuple[dict[str, Any], Any]:
    """The list alone, as an array at the top."""
    value = document.sheet.values[one.key]
    schema, convert = _object_array(one, value, out)
    return schema, convert(value)
