"""What every classification task is made from: classes of labels, their wording, what is said."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from training import naming
from training.banks import FOLDER
from training.splits import VALIDATION, part

_LABELS = FOLDER.parent / "labels"
# Group, wordings of the label, evidence.
Class = tuple[str, list[str], list[str]]


@dataclass
class Labelled:
    """`text` is what the user says; `family` names the source of the labels."""

    text: str
    options: list[str]
    gold: str
    family: str


# Whole groups of tones.txt for validation; the everyday ones, such as sentiment, are trained on.
HELD_GROUPS = {
    "season",
    "result",
    "medium",
    "weekday part",
    "speech act",
    "meal",
    "role",
    "purpose",
    "honesty",
}


def files(folder: str) -> list[str]:
    """Names of the files in a folder of `labels/`, as `read_classes` takes them."""
    return sorted(f"{folder}/{path.name}" for path in (_LABELS / folder).glob("*.txt"))


@lru_cache
def read_classes(name: str) -> list[Class]:
    """The classes of a file of labels."""
    found = []
    sign = ";" if name in {"topics.txt", "subjects.txt"} else " / "
    for line in (_LABELS / name).read_text("utf-8").splitlines():
        if not line.strip() or line.startswith("//"):
            continue
        group, _, rest = line.partition(" >> ") if " >> " in line else ("", "", line)
        head, _, tail = rest.partition(": ")
        found.append((group, head.split("|"), [item.strip() for item in tail.split(sign)]))
    return found


def usable(name: str, split: str) -> list[Class]:
    """A class whose first label is the validation split's is kept from training altogether."""
    return [
        c
        for c in read_classes(name)
        if naming.belongs(c[1][0], VALIDATION) == (split == VALIDATION)
    ]


@lru_cache
def held_labels() -> frozenset[str]:
    """Every wording of every label that validation alone may ask for, in lower case."""
    held = [c for name in ("topics.txt", "intents.txt") for c in usable(name, VALIDATION)]
    held += [c for c in read_classes("tones.txt") if c[0] in HELD_GROUPS]
    return frozenset(label.lower() for c in held for label in c[1])


def is_held(label: str) -> bool:
    """Whether training must not show this label."""
    return re.sub(r"[_-]", " ", label).lower() in held_labels()


STYLES = ("as is",) * 5 + ("upper", "title", "snake", "capital", "capital")


def styled(options: list[str], rng: Random, styles: Sequence[str] = STYLES) -> list[str]:
    """All labels in one letter case."""
    style = rng.choice(styles)
    change: dict[str, Callable[[str], str]] = {
        "upper": str.upper,
        "title": str.title,
        "snake": lambda s: s.replace(" ", "_").replace("-", "_"),
        "constant": lambda s: s.replace(" ", "_").replace("-", "_").upper(),
        "kebab": lambda s: s.replace(" ", "-"),
        "capital": lambda s: s[:1].upper() + s[1:],
    }
    return [change.get(style, str)(option) for option in options]


def told(sentences: list[str], rng: Random) -> str:
    """Sentences as one text."""
    return " ".join(
        s[:1].upper() + s[1:] + ("" if s[-1] in "?!." else rng.choice([".", ".", ".", "!"]))
        for s in sentences
    )


_ASPECTS = (
    "sound;battery;staff;delivery;screen;colour;taste;smell;price;packaging;handle;zip;motor;seat;"
    "menu;room;view;breakfast;service;software;manual;lid;charger;fabric;size;plot;ending;acting;"
    "lesson;teacher;pool;location;hotline;website;app;contract;printer;server;lift;heating"
).split(";")


def filled(source: str, split: str, rng: Random) -> str:
    """Grammar with its ASPECT and its N filled in."""
    aspect = rng.choice(part(_ASPECTS, split))
    number = str(rng.choice([2, 3, 12, 40, 250, 4711, 81, 900]))
    return re.sub(r"\bN\b", number, source.replace("ASPECT", aspect))
