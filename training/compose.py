# ruff: noqa: E501 - grammars and lists read best on one line
"""From a fact sheet to a text: which facts are told, in which sentences, order, style and frame."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random

from training import numerals as num
from training.extras import with_extras
from training.grammar import Piece, Slot, expand, say
from training.kindfile import Field, Kind, draw
from training.phrases import ALONE, CLOSINGS, GREETINGS, NOISE, SUBJECTS, WRAPS
from training.splits import TRAIN, part
from training.values import Sheet, Value
from training.wordings import ALONE_MORE, BLOCKS_MORE, PAIRED


@dataclass
class Document:
    """`frame` is the text with every value replaced by the name of its field."""

    kind: Kind
    sheet: Sheet
    text: str
    frame: str
    told: set[str]
    lead: str = ""
    style: str = ""


@dataclass
class Line:
    """A sentence under construction: what it says, as a frame, and what it tells."""

    text: str
    frame: str
    told: set[str] = field(default_factory=set)
    fixed: bool = False


def compose(base: Kind, sheet: Sheet) -> Document:
    """A document of one kind; `sheet` gets its values."""
    kind = with_extras(base, sheet.rng, sheet.split)
    for key in sorted(kind.fields, key=lambda k: k != "currency"):
        sheet.values[key] = draw(kind.fields[key], sheet)
    style = sheet.rng.choices(["prose", "labels", "mixed"], [0.66, 0.14, 0.2])[0]
    keys = [key for key in kind.fields if key != "currency"]
    share = sheet.rng.choice([0.3, 0.45, 0.6, 0.75, 0.95])
    kept = [key for key in keys if sheet.rng.random() < share or key.startswith("extra")]
    if style == "labels":
        lines = _labelled(kind, sheet, kept)
        text, frame = _block(lines, sheet.rng, sheet.split == TRAIN)
    elif style == "prose":
        lines = _sentences(kind, sheet, kept)
        text, frame = _running(lines, sheet.rng)
    else:
        text, frame, lines = _mixed(kind, sheet, kept)
    told = set().union(*(line.told for line in lines)) if lines else set()
    _tell_currency(kind, sheet, told)
    text, frame = _wrapped(text, frame, sheet)
    return Document(kind, sheet, text, frame, told, lines[0].text if lines else "", style)


def _tell_currency(kind: Kind, sheet: Sheet, told: set[str]) -> None:
    shown = any(sheet.values[key].extra.get("currency") for key in told)
    if "currency" in kind.fields and shown:
        told.add("currency")


def _mixed(kind: Kind, sheet: Sheet, kept: list[str]) -> tuple[str, str, list[Line]]:
    rng = sheet.rng
    some = set(rng.sample(kept, len(kept) // 2))
    labels = _labelled(kind, sheet, [key for key in kept if key in some])
    prose = _sentences(kind, sheet, [key for key in kept if key not in some])
    blocks = [_block(labels, rng, sheet.split == TRAIN), _running(prose, rng)]
    if rng.random() < 0.5:
        blocks.reverse()
    gap = rng.choice(["\n\n", "\n", " "])
    return gap.join(b[0] for b in blocks), gap.join(b[1] for b in blocks), prose + labels


def render(piece: Piece, values: dict[str, Value]) -> str:
    """What stands in the text for a piece of a sentence."""
    if isinstance(piece, str):
        return piece
    value = values[piece.name]
    match piece.form:
        case "short":
            return value.extra.get("short", value.text)
        case "ord":
            return num.ordinal(value.gold)
        case "ordword":
            return num.ordinal_word(value.gold)
        case "digits":
            return str(value.gold)
        case "words":
            return num.words(value.gold)
        case "cap":
            return value.text[:1].upper() + value.text[1:]
        case "alone":
            return value.extra["alone"]
    return value.text


def _frame(piece: Piece, values: dict[str, Value]) -> str:
    evident = isinstance(piece, Slot) and values[piece.name].kind in {"bool", "enum"}
    return f"<{piece.name}>" if isinstance(piece, Slot) and not evident else render(piece, values)


def line_of(source: str, sheet: Sheet) -> Line | None:
    """One sentence; None where a value has no wording for its place."""
    pieces = expand(source.replace("\\n", "\n"), sheet.rng)
    shown = [render(piece, sheet.values) for piece in pieces]
    if any(isinstance(p, Slot) and not s for p, s in zip(pieces, shown, strict=True)):
        return None
    told = {p.name for p in pieces if isinstance(p, Slot) and p.form != "short"}
    frame = "".join(_frame(piece, sheet.values) for piece in pieces)
    copied = bool(pieces) and isinstance(pieces[0], Slot) and frame.startswith("<")
    return Line("".join(shown), frame, told, fixed=copied)


def _sentences(kind: Kind, sheet: Sheet, kept: list[str]) -> list[Line]:
    rng = sheet.rng
    free = set(kept)
    chosen: list[tuple[int, Line]] = []
    openers = kind.openers if kind.divided else part(kind.openers, sheet.split)
    clauses = kind.clauses if kind.divided else part(kind.clauses, sheet.split)
    openers = openers if rng.random() < 0.85 else []
    alone_share = 0.35
    if sheet.split == TRAIN and rng.random() < _FEW_CLAUSES:
        # Validation knows few clauses, so that there most facts stand in sentences of their own.
        clauses = rng.sample(clauses, min(len(clauses), rng.randint(0, 5)))
        alone_share = rng.choice([0.5, 0.9])
    _take(openers, sheet, free, chosen, limit=1)
    _take(clauses, sheet, free, chosen)
    alone = _left(kind, [key for key in kept if key in free], sheet, alone_share)
    body = chosen[1:] if openers and chosen else chosen
    head = chosen[:1] if openers and chosen else []
    body += [(1, line) for line in alone]
    if rng.random() < 0.5:
        rng.shuffle(body)
    return [line for _, line in head] + _with_noise([line for _, line in body], kind, sheet)


def _left(kind: Kind, keys: list[str], sheet: Sheet, likely: float) -> list[Line]:
    """Sentences for facts that no clause tells; in training some tell two."""
    lines: list[Line | None] = []
    waiting: dict[str, Field] = {}
    forms = _forms_of(sheet)
    for key in keys:
        one = kind.fields[key]
        if sheet.rng.random() >= (0.8 if one.kind in {"bool", "enum"} else likely):
            continue
        group = _group(one, sheet.values[key]) if sheet.split == TRAIN else ""
        if not group or sheet.rng.random() >= _PAIRS:
            lines.append(_alone(one, sheet, forms))
        elif group in waiting:
            pair = [waiting.pop(group), one]
            sheet.rng.shuffle(pair)
            lines.append(_pair_line(pair[0], pair[1], sheet))
        else:
            waiting[group] = one
    lines += [_alone(one, sheet, forms) for one in waiting.values()]
    return [line for line in lines if line]


def _group(one: Field, value: Value) -> str:
    """What may be taken for each other: names, numbers, times; empty for what has no words."""
    if one.kind in {"bool", "enum"} or value.kind in {"list", "objects"}:
        return ""
    groups = {"int": "number", "num": "number", "money": "number", "date": "when", "time": "when"}
    return groups.get(value.kind, "name")


def _pair_line(one: Field, other: Field, sheet: Sheet) -> Line:
    made = say(sheet.rng.choice(PAIRED), sheet.rng)
    fills = {"A": _noun(one, sheet), "B": _noun(other, sheet)}
    shown = fills | {"V": sheet.values[one.key].text, "W": sheet.values[other.key].text}
    frame = fills | {"V": f"<{one.key}>", "W": f"<{other.key}>"}
    texts = [_PLACES.sub(lambda m, f=f: f[m[0]], made) for f in (shown, frame)]
    return Line(texts[0], texts[1], {one.key, other.key}, fixed=made[0] in "VW")


_PLACES = re.compile(r"\b[ABVW]\b")
_FEW_CLAUSES = 0.35
_PAIRS = 0.6


def _noun(one: Field, sheet: Sheet) -> str:
    few = one.aliases if one.whole else part(one.aliases, sheet.split)
    if sheet.split != TRAIN:
        return sheet.rng.choice(nouns(few) or nouns(one.aliases) or one.aliases)
    return sheet.rng.choice(_our_nouns(tuple(few)) or few).removeprefix("the ")


@lru_cache(maxsize=4096)
def _our_nouns(aliases: tuple[str, ...]) -> list[str]:
    """As `nouns`, which takes `invoice` for `in` too and must stay so for validation."""
    return [alias for alias in aliases if not _NO_NOUN_WORD.search(alias)]


def _forms_of(sheet: Sheet) -> list[str]:
    """Sentences for one text; in training some begin with the value throughout, some are all alike."""
    if sheet.split != TRAIN:
        return part(ALONE, sheet.split)
    forms = _our_forms(sheet.rng.random() < 0.4)
    return [sheet.rng.choice(forms)] if sheet.rng.random() < 0.2 else forms


@lru_cache
def _our_forms(value_first: bool) -> list[str]:
    every = part(ALONE, TRAIN) + ALONE_MORE
    return [form for form in every if form.startswith("VALUE")] if value_first else every


def _take(
    sources: list[str],
    sheet: Sheet,
    free: set[str],
    chosen: list[tuple[int, Line]],
    limit: int = 99,
) -> None:
    """Add sentences that tell only facts not yet told."""
    order = list(enumerate(sources))
    sheet.rng.shuffle(order)
    taken = []
    for number, source in order:
        line = line_of(source, sheet)
        if line and line.told and line.told <= free and len(taken) < limit:
            taken.append((number, line))
            free -= line.told
    chosen += sorted(taken, key=lambda pair: pair[0])


def _alone(one: Field, sheet: Sheet, forms: list[str]) -> Line | None:
    """A sentence for a fact that no clause tells."""
    value = sheet.values[one.key]
    if value.extra.get("alone"):
        shown = value.extra["alone"]
        return Line(shown, shown, {one.key})
    if one.kind in {"bool", "enum"} or value.kind in {"list", "objects"}:
        return _label(one, sheet)
    alias = _noun(one, sheet)
    made = say(sheet.rng.choice(forms), sheet.rng)
    made = made.replace("ALIAS", alias)
    # A capital that the answer lacks can't be learnt.
    held = sheet.split == TRAIN and made.startswith("VALUE")
    frame = made.replace("VALUE", f"<{one.key}>")
    return Line(made.replace("VALUE", value.text), frame, {one.key}, fixed=held)


_FIRST = (
    "has|is|was|lives|works|what|where|who|which|how|when|can|from|to|until|reports|seen|made|held|on|at|by|with|for|starts|begins|ends|born|died|"
    "released|published|signed|opens|closes|departs|arrives|leaves|lands|calling|whether|in|via|due|out of|paid|bought|sent|shipped|must|"
    "should|would|does|did|come|comes|goes|flies|runs|joined|taught|written|issued|booked|ask|call|pay|led|chaired|marked"
)
_LAST = r"( (in|on|by|at|from|to|of|with|for|until|as|per|is|are))$"
_NO_NOUN = re.compile(rf"^({_FIRST}) ?|{_LAST}")
_NO_NOUN_WORD = re.compile(rf"^({_FIRST})\b|{_LAST}")


def nouns(aliases: list[str]) -> list[str]:
    """Aliases that can follow an article."""
    return [alias for alias in aliases if not _NO_NOUN.search(alias)]


def _with_noise(lines: list[Line], kind: Kind, sheet: Sheet) -> list[Line]:
    sources = part(kind.noise, sheet.split) * 2 + part(NOISE, sheet.split)
    count = sheet.rng.choices([0, 1, 2, 3], [0.62, 0.24, 0.1, 0.04])[0]
    for source in sheet.rng.sample(sources, min(count, len(sources))):
        shown = say(source, sheet.rng)
        lines.insert(sheet.rng.randint(0, len(lines)), Line(shown, shown))
    return lines


_JOINTS = [". "] * 15 + ["; ", ".\n", ", ", ", ", " - ", "\n", "! "]
_SOFT = [", ", ", ", ", ", "; ", " and ", " – "]


def _running(lines: list[Line], rng: Random) -> tuple[str, str]:
    """Sentences one after the other; between some a comma or `and` instead of a stop."""
    if not lines:
        return "", ""
    joint = rng.choice(_JOINTS)
    soft = rng.choice([0.0, 0.2, 0.45]) if joint == ". " else 0.0
    upper = joint in {". ", ".\n", "! ", "\n"} and rng.random() < 0.93
    text, frame = "", ""
    for number, line in enumerate(lines):
        gap = rng.choice(_SOFT) if rng.random() < soft else joint
        capital = (number == 0 or (upper and gap == joint)) and not line.fixed
        text += (gap if number else "") + (_capital(line.text) if capital else line.text)
        frame += (gap if number else "") + (_capital(line.frame) if capital else line.frame)
    end = "" if joint in {"\n", " - "} or rng.random() < 0.08 else "."
    return _tidy(text + end), _tidy(frame + end)


def _tidy(text: str) -> str:
    for doubled in ("..", "!.", "?.", "?,", "!,"):
        text = text.replace(doubled, doubled[0])
    return text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _labelled(kind: Kind, sheet: Sheet, keys: list[str]) -> list[Line]:
    rng = sheet.rng
    chosen = [key for key in keys if rng.random() < 0.9] or keys
    if rng.random() < 0.4:
        rng.shuffle(chosen)
    sheet.values.setdefault(
        "", Value("text", rng.choice(["title", "lower", "sentence", "upper", "sentence"]), "")
    )
    lines = [_label(kind.fields[key], sheet) for key in chosen]
    return [line for line in lines if line]


def _label(one: Field, sheet: Sheet) -> Line | None:
    value, rng = sheet.values[one.key], sheet.rng
    aliases = [a for a in part(one.aliases, sheet.split) if not a.startswith("whether")]
    alias = rng.choice(aliases or one.aliases).removeprefix("whether ")
    case = sheet.values[""].text if "" in sheet.values else "sentence"
    label = {"title": alias.title(), "upper": alias.upper(), "lower": alias}.get(
        case, _capital(alias)
    )
    shown = _label_value(one, value, rng)
    held = shown if one.kind in {"bool", "enum"} else f"<{one.key}>"
    return Line(f"{label}\t{shown}", f"{label}\t{held}", {one.key}) if shown else None


def _label_value(one: Field, value: Value, rng: Random) -> str:
    if one.kind == "bool":
        return rng.choice(
            ["yes", "Yes", "yes", "true", "✓", "Y"]
            if value.gold
            else ["no", "No", "no", "false", "✗", "N", "none"]
        )
    if one.kind == "enum":
        plain = rng.choice(one.spellings[value.gold]).replace("_", " ")
        return value.text if value.text and rng.random() < 0.4 else plain
    if one.kind == "objects":
        start = rng.choice(["\n- ", "\n  * ", "; ", "\n"])
        return (start if "\n" in start else "") + start.join(value.extra["lines"])
    return value.gold if value.kind == "text" else value.text


_BLOCKS = [
    (": ", "\n", ""),
    (": ", "\n", ""),
    (": ", "\n", "- "),
    (": ", "; ", ""),
    (": ", ". ", ""),
    (": ", ", ", ""),
    (" - ", "\n", ""),
    (" | ", "\n", "| "),
    ("\t", "\n", ""),
    (": ", " | ", ""),
    ("=", " ", ""),
    (" = ", "\n", ""),
    (":\n", "\n", ""),
    ("** ", "\n", "**"),
    (": ", " / ", ""),
    (" ", "\n", ""),
]


def _block(lines: list[Line], rng: Random, ours: bool) -> tuple[str, str]:
    """Label lines: one a line, a table, `key=value` pairs, or run together."""
    sign, joint, before = rng.choice(_BLOCKS + BLOCKS_MORE if ours else _BLOCKS)
    key = (lambda s: s.replace("\t", sign, 1)) if sign != "=" else _pair
    texts = [before + key(line.text) for line in lines]
    frames = [before + key(line.frame) for line in lines]
    return joint.join(texts), joint.join(frames)


def _pair(line: str) -> str:
    label, _, value = line.partition("\t")
    value = f'"{value}"' if " " in value else value
    return f"{label.lower().replace(' ', '_')}={value}"


def _wrapped(text: str, frame: str, sheet: Sheet) -> tuple[str, str]:
    """Mail, chat or other frames around a text; labels left over from prose get their colon."""
    text, frame = text.replace("\t", ": "), frame.replace("\t", ": ")
    rng = sheet.rng
    roll = rng.random()
    if roll < 0.8:
        return text, frame
    from training.values import SAMPLERS

    other = SAMPLERS["person"](sheet, "").text
    pairs = {
        "NAME": other,
        "FIRST": other.split()[0],
        "MAIL": SAMPLERS["email"](sheet, "").text,
        "TIME": SAMPLERS["time"](sheet, "").text,
        "DAY": SAMPLERS["day"](sheet, "").text,
    }
    if roll < 0.9:
        parts_ = [
            rng.choice(part(GREETINGS, sheet.split)),
            "BODY",
            rng.choice(part(CLOSINGS, sheet.split)),
        ]
        subject = say(rng.choice(part(SUBJECTS, sheet.split)), rng)
        pattern = "\n\n".join(say(p, rng) for p in parts_)
        pattern = subject + pattern if rng.random() < 0.4 else pattern
    else:
        pattern = say(rng.choice(part(WRAPS, sheet.split)), rng)
    pattern = pattern.replace("\\n", "\n")
    outer = pattern
    for mark, value in pairs.items():
        outer = outer.replace(mark, value)
    return outer.replace("BODY", text, 1), pattern.replace("BODY", frame, 1)
