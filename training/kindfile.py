"""Kinds of documents, read from `kinds/*.txt`; README.md describes the notation."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

from training.banks import FOLDER
from training.grammar import say, slots
from training.splits import VALIDATION, part
from training.values import SAMPLERS, Sheet, Value, join

_FIELD = re.compile(r"^(\w+): (\w+)(?:\((.*?)\))?(?: = (.*?))?((?: ::.*)?)$")


@dataclass
class Field:
    """One value of a fact sheet; `evidence` maps an enum's or boolean's value to wordings."""

    key: str
    kind: str
    args: str
    aliases: list[str]
    evidence: dict[Any, list[str]] = field(default_factory=dict)
    spellings: dict[Any, list[str]] = field(default_factory=dict)
    children: list["Field"] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    whole: bool = False  # its wordings are not divided between the splits


@dataclass
class Kind:
    """One kind of document: its fields and the grammar of its sentences."""

    name: str
    entities: list[str]
    held_out: bool
    ours: bool = False  # for training alone
    fields: dict[str, Field] = field(default_factory=dict)
    clauses: list[str] = field(default_factory=list)
    openers: list[str] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)
    headlines: list[str] = field(default_factory=list)
    groups: list[tuple[list[str], list[str]]] = field(default_factory=list)
    divided: bool = False  # its sentences are one split's already


@lru_cache
def kinds() -> tuple[Kind, ...]:
    """Every kind of document."""
    found: list[Kind] = []
    for path in sorted(FOLDER.glob("*.txt")):
        if path.name != "lists.txt":
            found += _read(path.read_text("utf-8"), path.name)
    return tuple(found)


def kinds_of(split: str, held_out: bool = False) -> list[Kind]:
    """Kinds a split may use; held-out families are for validation alone, some for training."""
    return list(_kinds_of(split, held_out and split == VALIDATION))


@lru_cache
def _kinds_of(split: str, held_out: bool) -> tuple[Kind, ...]:
    found = [kind for kind in kinds() if kind.held_out == held_out]
    return tuple(kind for kind in found if split != VALIDATION or not kind.ours)


def _read(source: str, where: str) -> list[Kind]:
    found: list[Kind] = []
    parent: Field | None = None
    for number, line in enumerate(source.splitlines(), 1):
        if not line.strip() or line.startswith("//"):
            continue
        try:
            if line.startswith("== "):
                found.append(_kind(line[3:]))
            else:
                parent = _line(found[-1], line, parent)
        except (ValueError, AttributeError, IndexError) as error:
            raise ValueError(f"{where}:{number}: {line!r}: {error}") from error
    for kind in found:
        _check(kind)
        for one in kind.fields.values():
            one.whole = kind.ours
    return found


def _kind(line: str) -> Kind:
    held, ours = line.startswith("!"), line.startswith("+")
    name, _, entities = line.lstrip("!+").partition("|")
    names = [e.strip() for e in entities.split(";")]
    return Kind(name.strip(), names, held, ours, divided=ours)


def _line(kind: Kind, line: str, parent: Field | None) -> Field | None:
    mark, rest = line[:2], line[2:].strip()
    targets = {"- ": kind.clauses, "^ ": kind.openers, "~ ": kind.noise, "# ": kind.headlines}
    if mark in targets:
        targets[mark].append(rest)
    elif mark == "@ ":
        members, _, names = rest.partition(":")
        kind.groups.append(([m.strip() for m in members.split(",")], names.strip().split("|")))
    elif line.startswith("  * "):
        parent.items.append(line[4:].strip())
    elif line.startswith("  "):
        parent.children.append(_field(line.strip()))
    else:
        parent = _field(line)
        kind.fields[parent.key] = parent
    return parent


def _field(line: str) -> Field:
    key, sampler, args, aliases, evidence = _FIELD.match(line).groups()
    made = Field(key, sampler, args or "", [a.strip() for a in (aliases or key).split("|")])
    for option in (evidence or "").split(" ::")[1:]:
        _evidence(made, option.strip())
    return made


def _evidence(made: Field, option: str) -> None:
    if made.kind == "bool":
        value: Any = option[0] == "+"
        wordings = option[1:]
    else:
        names, _, wordings = option.partition(":")
        spellings = [name.strip() for name in names.split("|")]
        value = spellings[0]
        made.spellings[value] = spellings
    made.evidence[value] = [w.strip() for w in wordings.split(" / ") if w.strip()]


def _check(kind: Kind) -> None:
    for source in kind.clauses + kind.openers + kind.headlines:
        unknown = slots(source) - set(kind.fields)
        if unknown:
            raise ValueError(f"{kind.name}: no field {sorted(unknown)} in {source!r}")
    for one in kind.fields.values():
        known = {*SAMPLERS, "bool", "enum", "objects"}
        for part_ in (one, *one.children):
            if part_.kind not in known:
                raise ValueError(f"{kind.name}: no sampler {part_.kind!r}")


def draw(one: Field, sheet: Sheet) -> Value:
    """A value for a field."""
    if one.kind in {"bool", "enum"}:
        return _evident(one, sheet)
    if one.kind == "objects":
        return _objects(one, sheet)
    return SAMPLERS[one.kind](sheet, one.args)


def _evident(one: Field, sheet: Sheet) -> Value:
    gold = sheet.rng.choice(list(one.evidence))
    wordings = one.evidence[gold] if one.whole else part(one.evidence[gold], sheet.split)
    inline = [w for w in wordings if not w.startswith("!")]
    alone = [w[1:] for w in wordings if w.startswith("!")] or (inline if one.kind == "bool" else [])
    shown = sheet.rng.choice(inline) if inline else ""
    whole = sheet.rng.choice(alone) if alone else ""
    if one.whole:  # only these are grammars
        shown, whole = say(shown, sheet.rng), say(whole, sheet.rng)
    return Value(one.kind, shown, gold, {"alone": whole})


def _objects(one: Field, sheet: Sheet) -> Value:
    low, high = (int(n) for n in one.args.split(","))
    keep = dict(sheet.values)
    template = sheet.rng.choice(one.items if one.whole else part(one.items, sheet.split))
    rows, shown = [], []
    for _ in range(sheet.rng.randint(low, high)):
        row = {child.key: draw(child, sheet) for child in one.children}
        rows.append({key: value for key, value in row.items() if key in slots(template)})
        shown.append(_row(template, row, sheet.rng))
    sheet.values = keep
    return Value("objects", join(shown, sheet.rng), rows, {"lines": shown})


def _row(template: str, row: dict[str, Value], rng: Random) -> str:
    from training.compose import render

    return "".join(render(piece, row) for piece in _expanded(template, rng))


def _expanded(template: str, rng: Random) -> list[Any]:
    from training.grammar import expand

    return expand(template, rng)
