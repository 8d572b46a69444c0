"""Facts that fit any document: features, counted things, roles, codes, amounts, dates."""

from dataclasses import replace
from functools import lru_cache
from random import Random

from training.banks import FOLDER
from training.kindfile import Field, Kind
from training.splits import TRAIN, part
from training.wordings import (
    CODED_MORE,
    COSTS_MORE,
    COUNTED_MORE,
    DATED_MORE,
    HAS_MORE,
    LACKS_MORE,
    PEOPLE_MORE,
)

_HAS = [
    "with F",
    "has F",
    "comes with F",
    "F included",
    "there is F",
    "F: yes",
    "F available",
    "offers F",
    "F provided",
    "includes F",
    "you get F",
    "F is part of it",
    "F on site",
    "we provide F",
    "F as standard",
    "equipped with F",
    "plus F",
    "featuring F",
]
_LACKS = [
    "no N",
    "without N",
    "N not included",
    "lacks F",
    "there is no N",
    "N: no",
    "N not available",
    "does not have F",
    "N not provided",
    "F is missing",
    "sorry, no N",
    "comes without N",
    "N is not offered",
    "no N so far",
    "N must be arranged elsewhere",
    "does not offer N",
]
_COUNTED = [
    "[x] N",
    "there are [x] N",
    "with [x] N",
    "[x] N in all",
    "N: [x]",
    "a total of [x] N",
    "has [x] N",
    "number of N: [x]",
    "we counted [x] N",
    "about [x] N",
    "([x]|[x] different) N",
    "so far [x] N",
    "[x] N were (reported|counted|recorded)",
    "[x] N and counting",
]
_PEOPLE = [
    "R: [x]",
    "[x] {R}",
    "[x] is the R",
    "the R is [x]",
    "[x] (acts|works|serves|signed) as R",
    "R [x]",
    "our R, [x],( is|) (there to help|on duty|informed)",
    "(thanks to|ask|talk to|contact) the R, [x]",
    "as R we have [x]",
    "with [x] as R",
    "the R, [x], (agreed|was present|left early)",
]
_CODED = [
    "R: [x]",
    "R [x]",
    "the R is [x]",
    "(please quote|note the|use) R [x]",
    "{R [x]}",
    "[x] is the R",
    "your R is [x]",
    "R no. [x]",
]
_COSTS = [
    "R: [x]",
    "R [x]",
    "the R is [x]",
    "(plus|including|without) R( of|) [x]",
    "[x] R",
    "a R of [x]",
    "R comes to [x]",
    "[x] for the R",
    "the R amounts to [x]",
]
_DATED = ["R: [x]", "R [x]", "the R is [x]", "R( on|) [x]", "R was [x]", "[x] is the R"]


MORE = {  # for training alone
    tuple(forms): more
    for forms, more in [
        (_HAS, HAS_MORE),
        (_LACKS, LACKS_MORE),
        (_COUNTED, COUNTED_MORE),
        (_PEOPLE, PEOPLE_MORE),
        (_CODED, CODED_MORE),
        (_COSTS, COSTS_MORE),
        (_DATED, DATED_MORE),
    ]
}


def _forms(forms: list[str], split: str) -> list[str]:
    """The wordings of one split; training has more of its own."""
    return list(_split_forms(tuple(forms), split))


@lru_cache
def _split_forms(forms: tuple[str, ...], split: str) -> tuple[str, ...]:
    return (*part(forms, split), *(MORE[forms] if split == TRAIN else []))


@lru_cache
def feature_banks() -> dict[str, list[str]]:
    """The lists of `labels/features.txt`."""
    lines = (FOLDER.parent / "labels" / "features.txt").read_text("utf-8").splitlines()
    pairs = (line.partition(":") for line in lines if not line.startswith("//"))
    return {name: [item.strip() for item in items.split(";")] for name, _, items in pairs}


def bare(feature: str) -> str:
    for article in ("a ", "an "):
        feature = feature.removeprefix(article)
    return feature


def _feature(number: int, rng: Random, split: str) -> Field:
    words = rng.choice(part(feature_banks()["features"], split))
    plain = bare(words)
    has, lacks, ours = _forms(_HAS, split), _forms(_LACKS, split), split == TRAIN
    if ours:  # one of many is enough
        has, lacks = [rng.choice(has)], [rng.choice(lacks)]
    yes = [w.replace("F", words) for w in has]
    no = [w.replace("F", words).replace("N", plain) for w in lacks]
    aliases = [
        f"{plain}",
        f"has {plain}",
        f"{plain} available",
        f"whether there is {words}",
        f"{plain} included",
        f"offers {plain}",
        f"with {plain}",
        f"whether it has {words}",
        f"{plain} provided",
    ]
    return Field(f"extra{number}", "bool", "", aliases, {True: yes, False: no}, whole=ours)


@lru_cache
def flags() -> list[list[list[str]]]:
    """`labels/flags.txt`: names of a yes/no fact, of its opposite, and what is said of each."""
    lines = (FOLDER.parent / "labels" / "flags.txt").read_text("utf-8").splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("//"):
            ours, theirs, yes, no = line.split(" :: ")
            found.append([ours.split("|"), theirs.split("|"), yes.split(" / "), no.split(" / ")])
    return found


def _flag(number: int, rng: Random, taken: set[str]) -> Field | None:
    """A yes/no fact that may be asked for by either of its sides; for training alone.

    None where the kind has a field of one of its names: the text must not say both.
    """
    ours, theirs, yes, no = rng.choice(flags())
    if not taken.isdisjoint(ours) or not taken.isdisjoint(theirs):
        return None
    if rng.random() < 0.5:
        ours, theirs, yes, no = theirs, ours, no, yes
    taken.update(ours, theirs)
    return Field(f"extra{number}", "bool", "", ours, {True: yes, False: no}, whole=True)


def _fact(number: int, rng: Random, split: str) -> tuple[Field, str]:
    bank, forms, kind, args = rng.choice(
        [
            ("counted", _COUNTED, "int", "1,60"),
            ("counted", _COUNTED, "int", "2,9000"),
            ("roles", _PEOPLE, "person", ""),
            ("roles", _PEOPLE, "person", ""),
            ("codes", _CODED, "code", ""),
            ("amounts", _COSTS, "money", "2,4000,2"),
            ("amounts", _COSTS, "money", "5,90000,0"),
            ("dates", _DATED, "date", "2005,2031"),
        ]
    )
    words = rng.choice(part(feature_banks()[bank], split))
    key = f"extra{number}"
    form = rng.choice(_forms(forms, split))
    clause = form.replace("[x]", f"[{key}]").replace("R", words).replace("N", words)
    aliases = (
        [f"number of {words}", words, f"{words} in total", f"how many {words}"]
        if bank == "counted"
        else [words, f"{words} stated", f"the {words}", f"{words} given"]
    )
    if bank == "roles":
        aliases += [f"name of the {words}", f"{words} name", f"who is the {words}"]
    return Field(key, kind, args, aliases), clause


def with_extras(kind: Kind, rng: Random, split: str) -> Kind:
    """The kind with up to four more facts."""
    count = rng.choices([0, 1, 2, 3, 4], [0.5, 0.2, 0.15, 0.1, 0.05])[0]
    if not count:
        return kind
    fields = dict(kind.fields)
    clauses = list(kind.clauses if kind.divided else part(kind.clauses, split))
    taken: set[str] = set()
    for number in range(count):
        key = f"extra{number}"
        if split == TRAIN and rng.random() < 0.5:
            taken = taken or {alias for one in fields.values() for alias in one.aliases}
            if flag := _flag(number, rng, taken):
                fields[key] = flag
        elif rng.random() < 0.4:
            fields[key] = _feature(number, rng, split)
        else:
            fields[key], clause = _fact(number, rng, split)
            clauses.append(clause)
    openers = kind.openers if kind.divided else part(kind.openers, split)
    return replace(kind, fields=fields, clauses=clauses, openers=openers, divided=True)
