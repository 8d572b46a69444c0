"""Typed values of a fact sheet: each knows how the text writes it and what the answer holds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from training import numerals as num
from training import pools
from training.banks import bank
from training.splits import TRAIN, part


@dataclass(frozen=True)
class Value:
    """`text` stands in the text; `gold` is the typed value (dates ISO 8601, times HH:MM)."""

    kind: str
    text: str
    gold: Any
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass
class Sheet:
    """What one example draws from: its chance, its split and the values so far."""

    rng: Random
    split: str
    locale: str
    values: dict[str, Value] = field(default_factory=dict)


Sampler = Callable[[Sheet, str], Value]
SAMPLERS: dict[str, Sampler] = {}


def _sampler(make: Sampler) -> Sampler:
    SAMPLERS[make.__name__.strip("_")] = make
    return make


def text_value(text: str, **extra: Any) -> Value:
    """A value that is copied as it stands."""
    return Value("text", text, text, extra)


def _name(sheet: Sheet, kind: str) -> str:
    if sheet.split == TRAIN and sheet.rng.random() < _GRAFTED:
        return _graft(*(pools.pick(kind, TRAIN, sheet.rng) for _ in range(2)), sheet.rng)
    if sheet.rng.random() < 0.45:
        return pools.pick(kind, sheet.split, sheet.rng)
    return pools.pick_local(kind, sheet.split, sheet.rng, sheet.locale)


_PARTICLES = "van der|van|de|von|de la|da|dos|di|Mc|O'|bin|el|ten|du|af|zu".split("|")
_TITLES = "Dr.|Prof.|Mr.|Ms.|Mrs.|Dr|Professor|Sir|Captain|Judge|Mr|Ms".split("|")


@_sampler
def person(sheet: Sheet, args: str) -> Value:
    rng = sheet.rng
    first, last = _name(sheet, "first"), _name(sheet, "last")
    roll = rng.random()
    if roll < 0.06 and last.isascii():
        particle = rng.choice(_PARTICLES)
        last = f"{particle}{last}" if particle in {"Mc", "O'"} else f"{particle} {last}"
    elif roll < 0.1:
        last = f"{last}-{_name(sheet, 'last')}"
    elif roll < 0.15:
        first = f"{first} {rng.choice('ABCDEFGHJKLMNPRST')}."
    full = f"{first} {last}"
    if args == "first" or (args != "full" and rng.random() < 0.03):
        return text_value(first, short=first)
    title = args == "title" or (args != "full" and rng.random() < 0.07)
    shown = f"{rng.choice(_TITLES)} {full}" if title else full
    return text_value(
        shown, short=rng.choice([first, last]), first=first, last=last, full=not title
    )


@_sampler
def doctor(sheet: Sheet, args: str) -> Value:
    base = person(sheet, "full")
    title = sheet.rng.choice(["Dr. ", "Dr ", "Dr. ", "Prof. Dr. ", "Prof. ", ""])
    return text_value(title + base.text, short=title + base.extra["last"])


@_sampler
def city(sheet: Sheet, _args: str) -> Value:
    if sheet.rng.random() < 0.45:
        return text_value(sheet.rng.choice(part(bank("cities"), sheet.split)))
    return text_value(_name(sheet, "city"))


@_sampler
def country(sheet: Sheet, _args: str) -> Value:
    return text_value(sheet.rng.choice(part(bank("countries"), sheet.split)))


@_sampler
def company(sheet: Sheet, _args: str) -> Value:
    return text_value(_name(sheet, "company"))


@_sampler
def street(sheet: Sheet, _args: str) -> Value:
    rng = sheet.rng
    name = _name(sheet, "street")
    number = f"{rng.randrange(1, 240)}{rng.choice(['', '', '', '', 'a', 'B', ' bis', '-4', '/2'])}"
    before = sheet.locale.startswith("en") or rng.random() < 0.15
    return text_value(f"{number} {name}" if before else f"{name} {number}")


@_sampler
def postcode(sheet: Sheet, _args: str) -> Value:
    return text_value(
        _shape(
            sheet.rng.choice(
                [
                    "#####",
                    "#####",
                    "####",
                    "A# #AA",
                    "AA## #AA",
                    "#### AA",
                    "### ##",
                    "A#A #A#",
                    "##-###",
                    "#####-####",
                ]
            ),
            sheet.rng,
        )
    )


def _shape(shape: str, rng: Random) -> str:
    marks = {
        "#": "0123456789",
        "A": "ABCDEFGHJKLMNPQRSTUVWXYZ",
        "~": "0123456789abcdef",
        "°": "123456789",
    }
    return "".join(rng.choice(marks[char]) if char in marks else char for char in shape)


_CODE_SHAPES = (
    "AA-####|AA####|####-##|A##-###|#####|######|AAA-###|AA-####-##|°###/##|####-A|A-#####|AAA###|##-###|"
    "AA##.###|~~~~~~|AAAA-##|°##.##.°#|AA_####|####A##|AAA-####-AA|20##-####|20##/###|########|A#|AA#"
).split("|")


@_sampler
def code(sheet: Sheet, args: str) -> Value:
    """A code in a shape given or any: `#` digit, `°` 1 to 9, `A` letter, `~` hex digit."""
    own = [shape.strip() for shape in args.split(";") if shape.strip()]
    shapes = own if own and sheet.rng.random() < 0.6 else part(_CODE_SHAPES, sheet.split)
    return text_value(_shape(sheet.rng.choice(shapes), sheet.rng))


@_sampler
def phone(sheet: Sheet, _args: str) -> Value:
    return text_value(
        _shape(
            sheet.rng.choice(
                [
                    "+## ### ######",
                    "(###) ###-####",
                    "###-####",
                    "0## ### ## ##",
                    "+## ## ### ## ##",
                    "0#### ######",
                    "0###/#######",
                    "+°-###-###-####",
                    "###.###.####",
                    "0#-## ## ## ##",
                    "####-####",
                    "ext. ####",
                    "0### ###-###",
                ]
            ),
            sheet.rng,
        )
    )


def _ascii(text: str) -> str:
    from unicodedata import normalize

    return (
        "".join(c for c in normalize("NFKD", text).lower() if c.isascii() and c.isalnum()) or "info"
    )


@_sampler
def domain(sheet: Sheet, _args: str) -> Value:
    end = sheet.rng.choice(
        "com|com|org|net|io|de|fr|co.uk|eu|nl|se|app|example|shop|edu|health|it".split("|")
    )
    joint = sheet.rng.choice(["", "", "-"])
    return text_value(joint.join(_ascii(pools.stem(sheet.rng, 1)) for _ in range(2)) + "." + end)


@_sampler
def email(sheet: Sheet, _args: str) -> Value:
    rng = sheet.rng
    who = next((v for v in sheet.values.values() if "last" in v.extra), None)
    first, last = (
        (who.extra["first"], who.extra["last"])
        if who
        else (_name(sheet, "first"), _name(sheet, "last"))
    )
    first, last = _ascii(first), _ascii(last)
    user = rng.choice(
        [
            f"{first}.{last}",
            f"{first[0]}{last}",
            first,
            f"{last}_{first[0]}",
            "support",
            "office",
            "jobs",
            f"{first}{rng.randrange(10, 99)}",
            "hello",
            "info",
            f"{first}-{last}",
        ]
    )
    return text_value(f"{user}@{domain(sheet, '').text}")


@_sampler
def url(sheet: Sheet, _args: str) -> Value:
    rng = sheet.rng
    path = rng.choice(
        [
            "",
            "",
            "/",
            f"/{_ascii(pools.stem(rng))}",
            f"/{rng.randrange(10, 9999)}",
            "/docs/start",
            f"/{_ascii(pools.stem(rng))}/{rng.randrange(2, 999)}",
            f"/p?id={rng.randrange(10, 9999)}",
        ]
    )
    return text_value(
        rng.choice(["https://", "https://www.", "http://", "www."]) + domain(sheet, "").text + path
    )


@_sampler
def handle(sheet: Sheet, _args: str) -> Value:
    rng = sheet.rng
    base = _ascii(_name(sheet, rng.choice(["first", "last"])))
    end = rng.choice(
        [
            "",
            str(rng.randrange(1, 99)),
            "_" + _ascii(pools.stem(rng, 1)),
            "." + _ascii(pools.stem(rng, 1)),
        ]
    )
    return text_value(rng.choice(["", "", "@"]) + base + end)


@_sampler
def ip(sheet: Sheet, _args: str) -> Value:
    return text_value(".".join(str(sheet.rng.randrange(1, 255)) for _ in range(4)))


@_sampler
def version(sheet: Sheet, _args: str) -> Value:
    rng = sheet.rng
    parts = [str(rng.randrange(0, 15)) for _ in range(rng.choice([2, 3, 3]))]
    return text_value(
        rng.choice(["", "", "", "v"]) + ".".join(parts) + rng.choice(["", "", "", "-beta", "-rc1"])
    )


@_sampler
def brand(sheet: Sheet, _args: str) -> Value:
    return text_value(pools.brand(sheet.rng))


@_sampler
def product(sheet: Sheet, args: str) -> Value:
    """A brand with a model or a noun; with `model` never a noun."""
    rng = sheet.rng
    model = rng.choice(
        ["{s} {n}", "{s}", "{c}", "{s} {m}", "{m} {n}", "{s} {c}", "{m}", "{c} {m}"]
    ).format(
        s=pools.stem(rng, rng.choice([1, 2])),
        n=rng.randrange(1, 900),
        c=_shape(rng.choice(["A#", "AA-##", "###", "A###", "A##A"]), rng),
        m=rng.choice(
            [
                "Pro",
                "Lite",
                "Max",
                "Air",
                "Plus",
                "Mini",
                "One",
                "XL",
                "Go",
                "Neo",
                "Classic",
                "Ultra",
                "SE",
            ]
        ),
    )
    noun = rng.choice(part(bank("goods"), sheet.split))
    if args != "model" and rng.random() < 0.35:
        return text_value(f"{pools.brand(rng)} {noun}")
    name = f"{pools.brand(rng)} {model}"
    shown = f"{name} {noun}" if args != "model" and rng.random() < 0.35 else name
    return Value("text", shown, name)


@_sampler
def event(sheet: Sheet, args: str) -> Value:
    """A title out of lists, at times with its number or year."""
    rng = sheet.rng
    title = rng.choice(part(_options(args), sheet.split))
    number = rng.randrange(2, 60)
    before = rng.choice(
        [
            "",
            "",
            "",
            "",
            f"{num.ordinal(number)} ",
            f"{num.ordinal(number)} Annual ",
            f"{num.ordinal_word(number % 12 + 1).capitalize()} ",
            "Annual ",
            "Great ",
            f"{pools.stem(rng)} ",
            f"{pools.stem(rng)} ",
            "International ",
        ]
    )
    after = rng.choice(["", "", "", "", "", f" {rng.randrange(2019, 2031)}"])
    return text_value(before + title + after)


@_sampler
def place(sheet: Sheet, args: str) -> Value:
    """A named place: an invented name before one of the nouns given."""
    rng = sheet.rng
    nouns = [noun.strip() for noun in args.split(";")]
    name = rng.choice([pools.stem(rng), _name(sheet, "last"), pools.pick("city", sheet.split, rng)])
    return text_value(f"{name} {rng.choice(nouns)}")


@_sampler
def pick(sheet: Sheet, args: str) -> Value:
    options = part(_options(args), sheet.split)
    if sheet.split == TRAIN and sheet.rng.random() < _NOVEL:
        return text_value(_novel(options, sheet.rng))
    return text_value(sheet.rng.choice(options))


# What nobody has seen before must be copied, not remembered.
_NOVEL = 0.25
_GRAFTED = 0.08


def _novel(options: list[str], rng: Random) -> str:
    """An item that no list holds."""
    found = _crossed(options, rng)
    if rng.random() < 0.6:
        return found
    *words, last = found.split()
    return " ".join([*words, _graft(last, rng.choice(rng.choice(options).split()), rng)])


def _graft(first: str, last: str, rng: Random) -> str:
    """A word that begins as one and ends as another: "laven" + "ish"."""
    kept = rng.randint(min(3, len(first)), max(3, len(first) - 1))
    return first[:kept] + last[-rng.randint(1, max(1, min(6, len(last) - 1))) :].lower()


def _crossed(options: list[str], rng: Random) -> str:
    """The beginning of one item with the end of another."""
    first, last = rng.choice(options).split(), rng.choice(options).split()
    return " ".join([*first[: max(1, len(first) - 1)], last[-1]])


def _options(args: str) -> list[str]:
    if args.startswith("@"):
        return [item for name in args.split("+") for item in bank(name.strip().lstrip("@"))]
    return [item.strip() for item in args.split(";") if item.strip()]


@_sampler
def many(sheet: Sheet, args: str) -> Value:
    """`many(2,4; a; b; …)`: a list of distinct strings."""
    span, _, rest = args.partition(";")
    low, high = (int(n) for n in span.split(","))
    options = part(_options(rest.strip()), sheet.split)
    chosen = sheet.rng.sample(options, min(sheet.rng.randint(low, high), len(options)))
    if sheet.split == TRAIN and sheet.rng.random() < _NOVEL:
        chosen = list(dict.fromkeys(_novel(options, sheet.rng) for _ in chosen))
    return _listed(sheet.rng, chosen)


@_sampler
def people(sheet: Sheet, args: str) -> Value:
    low, high = (int(n) for n in args.split(","))
    first = sheet.rng.random() < 0.35
    chosen = [
        person(sheet, "first" if first else "full").text
        for _ in range(sheet.rng.randint(low, high))
    ]
    return _listed(sheet.rng, list(dict.fromkeys(chosen)))


def _listed(rng: Random, items: list[str]) -> Value:
    return Value("list", join(items, rng), items)


def join(items: list[str], rng: Random) -> str:
    """Items as a list is written in a sentence."""
    if len(items) == 1:
        return items[0]
    last = rng.choice([" and ", " and ", " and ", ", ", " & ", ", and "])
    return ", ".join(items[:-1]) + last + items[-1]


@_sampler
def int_(sheet: Sheet, args: str) -> Value:
    """`int(low,high; plain round)`."""
    span, _, flags = args.partition(";")
    low, high = (int(n) for n in span.split(","))
    rng = sheet.rng
    number = rng.randint(low, high)
    if "round" in flags or (number > 2000 and "plain" not in flags and rng.random() < 0.4):
        step = 10 ** (len(str(number)) - rng.choice([1, 2]))
        number = max(low, number // step * step)
    return Value("int", num.integer_text(number, rng, "plain" in flags), number)


@_sampler
def year(sheet: Sheet, args: str) -> Value:
    low, high = (int(n) for n in (args or "1940,2027").split(","))
    number = sheet.rng.randrange(low, high)
    return Value("int", str(number), number)


@_sampler
def num_(sheet: Sheet, args: str) -> Value:
    """`num(low,high,places)`."""
    low, high, places = args.split(",")
    number = round(sheet.rng.uniform(float(low), float(high)), int(places))
    return Value("num", num.decimal_text(number, sheet.rng, int(places)), number)


@_sampler
def percent(sheet: Sheet, args: str) -> Value:
    low, high = (float(n) for n in args.split(","))
    rng = sheet.rng
    places = rng.choice([0, 0, 1, 1, 2])
    number = round(rng.uniform(low, high), places)
    number = int(number) if places == 0 else number
    return Value(
        "num",
        num.decimal_text(number, rng, places)
        + rng.choice(["%", "%", " %", " percent", " per cent"]),
        number,
    )


@_sampler
def qty(sheet: Sheet, args: str) -> Value:
    """`qty(g/grams/gram; 50,900,0)`: a measure; the answer holds its number."""
    units, _, span = args.partition(";")
    low, high, places = span.split(",")
    rng = sheet.rng
    number = round(rng.uniform(float(low), float(high)), int(places))
    if int(places) == 0:
        whole = int(number)
        shown = num.integer_text(whole, rng) if rng.random() < 0.5 else str(whole)
        number = whole
    else:
        shown = num.decimal_text(number, rng, int(places))
    unit = rng.choice(units.split("/"))
    tight = len(unit) <= 2 and rng.random() < 0.3
    return Value("num" if int(places) else "int", f"{shown}{'' if tight else ' '}{unit}", number)


@_sampler
def money(sheet: Sheet, args: str) -> Value:
    """`money(low,high,places)`: one currency for a whole sheet, sometimes not named."""
    low, high, places = (float(n) for n in args.split(","))
    rng = sheet.rng
    amount = round(rng.uniform(low, high), int(places))
    if places == 2 and rng.random() < 0.5:
        amount = round(amount) + rng.choice([0, 0, 0.5, 0.9, 0.99, 0.95])
    if amount > 300 and rng.random() < 0.5:
        amount = float(round(amount, -1 if amount < 5000 else -2))
    currency = sheet.values.get("currency")
    code_ = currency.gold if currency else rng.choice(_CURRENCY_WEIGHTS)
    shown_code = code_ if currency or rng.random() < 0.75 else None
    amount = round(amount, 2)
    gold = int(amount) if amount == int(amount) else amount
    return Value("money", num.amount_text(amount, shown_code, rng), gold, {"currency": shown_code})


_CURRENCY_WEIGHTS = ["EUR"] * 6 + ["USD"] * 6 + ["GBP"] * 4 + list(num.CURRENCIES)


@_sampler
def currency(sheet: Sheet, _args: str) -> Value:
    code_ = sheet.rng.choice(_CURRENCY_WEIGHTS)
    return Value("currency", code_, code_)


@_sampler
def date(sheet: Sheet, args: str) -> Value:
    first, last = (int(n) for n in (args or "2015,2028").split(","))
    day = num.random_date(sheet.rng, first, last)
    shown, weekday = num.date_text(day, sheet.rng)
    return Value("date", shown, day.isoformat(), {"weekday": weekday, "day": day})


@_sampler
def day(sheet: Sheet, _args: str) -> Value:
    """A date without a year: copied as it stands."""
    moment = num.random_date(sheet.rng, 2024, 2025)
    month = num.MONTHS[moment.month - 1]
    return text_value(
        sheet.rng.choice(
            [
                f"{moment.day} {month}",
                f"{month} {moment.day}",
                f"{num.ordinal(moment.day)} {month}",
                f"{moment.day} {month[:3]}",
                f"{month} {num.ordinal(moment.day)}",
            ]
        )
    )


@_sampler
def weekday(sheet: Sheet, _args: str) -> Value:
    return text_value(sheet.rng.choice(num.WEEKDAYS))


@_sampler
def month(sheet: Sheet, _args: str) -> Value:
    return text_value(sheet.rng.choice(num.MONTHS))


@_sampler
def time(sheet: Sheet, args: str) -> Value:
    low, high = (int(n) for n in (args or "7,22").split(","))
    rng = sheet.rng
    hour, minute = rng.randint(low, high), rng.choice([0, 0, 0, 30, 15, 45, rng.randrange(60)])
    return Value("time", num.time_text(hour, minute, rng), f"{hour:02d}:{minute:02d}")


@_sampler
def score(sheet: Sheet, args: str) -> Value:
    rng = sheet.rng
    low, high = (int(n) for n in (args or "0,5").split(","))
    a, b = rng.randint(low + 1, high), rng.randint(low, high)
    won, lost = max(a, b) + (a == b), min(a, b)
    return text_value(f"{won}{rng.choice(['-', '-', ':', '–', ' - '])}{lost}", won=won, lost=lost)


@_sampler
def team(sheet: Sheet, _args: str) -> Value:
    rng = sheet.rng
    nick = rng.choice(part(bank("teams"), sheet.split))
    where = rng.choice(
        [_name(sheet, "city"), rng.choice(part(bank("cities"), sheet.split)), pools.stem(rng)]
    )
    return text_value(
        rng.choice(
            [
                nick,
                where,
                f"{where} {nick}",
                f"{where} {nick}",
                f"FC {where}",
                f"{where} FC",
                f"SV {where}",
                f"{where} {rng.choice(['City', 'Town', 'United'])}",
            ]
        )
    )


@_sampler
def stamp(sheet: Sheet, _args: str) -> Value:
    rng = sheet.rng
    moment = num.random_date(rng, 2022, 2028)
    clock = f"{rng.randrange(24):02d}:{rng.randrange(60):02d}:{rng.randrange(60):02d}"
    return text_value(
        rng.choice(
            [
                f"{moment} {clock}",
                f"{moment}T{clock}Z",
                f"{moment:%d/%b/%Y}:{clock}",
                f"{moment:%b %d} {clock}",
            ]
        )
    )


@_sampler
def minutes(sheet: Sheet, args: str) -> Value:
    """A length of time in minutes; over an hour also written in hours and minutes."""
    low, high = (int(n) for n in args.split(","))
    rng = sheet.rng
    total = rng.randint(low, high)
    total = total // 5 * 5 if total > 20 and rng.random() < 0.8 else total
    hours, rest = divmod(total, 60)
    shown = [f"{total} {rng.choice(['minutes', 'min', 'mins', 'minutes'])}"] * 3
    if rest == 0 and hours:
        shown += (
            ["an hour", "one hour", "1 hour"]
            if hours == 1
            else [f"{hours} hours", f"{num.words(hours)} hours"]
        )
    elif hours and rng.random() < 0.5:
        shown += [f"{hours} h {rest} min", f"{hours}h{rest:02d}"]
    if total == 90:
        shown += ["an hour and a half", "one and a half hours"]
    if total == 30:
        shown += ["half an hour"]
    return Value("int", rng.choice(shown), total)
