# ruff: noqa: E501 - grammars and lists read best on one line
"""Classification: a text, two to eight labels, and the right one."""

from collections.abc import Callable
from random import Random

from training import themes
from training.banks import bank
from training.classes import (
    HELD_GROUPS,
    Class,
    Labelled,
    filled,
    is_held,
    read_classes,
    styled,
    told,
    usable,
)
from training.compose import Document, compose
from training.grammar import say
from training.kindfile import kinds, kinds_of
from training.pools import locale
from training.splits import TRAIN, VALIDATION, part
from training.values import Sheet


def _worded(labels: list[str], style: int) -> str:
    return labels[min(style, len(labels) - 1)]


def _among(
    classes: list[Class],
    index: int,
    rng: Random,
    low: int = 2,
    high: int = 8,
) -> tuple[list[str], int]:
    """Labels of some classes, the chosen one among them, and its place."""
    others = [i for i in range(len(classes)) if i != index]
    count = min(len(others), rng.randint(low, high) - 1)
    chosen = [index, *rng.sample(others, count)]
    rng.shuffle(chosen)
    style = rng.choice([0, 0, 0, 1, 1, 2])
    options = [_worded(classes[i][1], style) for i in chosen]
    if len(set(options)) < len(options):
        options = [classes[i][1][0] for i in chosen]
    return styled(options, rng), chosen.index(index)


_TOPIC_FRAMES = [
    "(the|our|a) (new|old|last|big) W (and the V|) (was|were) (discussed|shown|praised|in the news)( yesterday| again| by experts|)",
    "(people|readers|experts|friends) (talk about|ask for|are interested in) W(, V| and V|)( and U|)",
    "W, V and U",
    "(without|because of|thanks to|despite) the W (there is no|we have|they lost) V",
    "how (W and V|the W) (changed|saved|ruined) (my|their|our) (week|year|life)",
    "(a report|notes|an article|questions) (on|about) W(, V| and V)(, also U|)",
    "(they|we|she) (spent|lost) (hours|all day) with (the W|W and V)",
    "(first|finally) (comes|came) the W, then (the V|V), (last|in the end) (the U|U)",
    "(is|was) the W (really|) (worth it|necessary)? (the V|V) (says|suggests) so",
    "(in|for) (this|next) (week|month), everything (is|turns) around W (and V|)",
    "W (meets|needs|against|before) V",
]


def _topic(split: str, rng: Random) -> Labelled:
    classes = usable("topics.txt", split)
    index = rng.randrange(len(classes))
    words = rng.sample(classes[index][2], min(6, len(classes[index][2])))
    sentences = []
    for frame in rng.sample(
        part(_TOPIC_FRAMES, split),
        min(rng.choice([1, 1, 2, 2, 3]), len(part(_TOPIC_FRAMES, split))),
    ):
        w, v, u = (words + words)[:3]
        words = words[2:] + words[:2]
        sentence = say(frame.replace("W", "\x01").replace("V", "\x02").replace("U", "\x03"), rng)
        sentences.append(sentence.replace("\x01", w).replace("\x02", v).replace("\x03", u))
    options, place = _among(classes, index, rng)
    return Labelled(told(sentences, rng), options, options[place], "topic")


def _evidence(sources: list[str], split: str, rng: Random, most: int) -> list[str]:
    usable = part(sources, split)
    chosen = rng.sample(usable, min(rng.randint(1, most), len(usable)))
    return [say(filled(source, split, rng), rng) for source in chosen]


def _intent(split: str, rng: Random) -> Labelled:
    classes = usable("intents.txt", split)
    index = rng.randrange(len(classes))
    said = [say(filled(rng.choice(classes[index][2]), split, rng), rng)]
    if rng.random() < 0.4:
        said.insert(
            rng.randint(0, 1),
            rng.choice(
                [
                    "hello",
                    "hi there",
                    "good day",
                    "thanks",
                    "my order number is 5520",
                    "please answer soon",
                    "I am a customer since 2019",
                ]
            ),
        )
    options, place = _among(classes, index, rng)
    return Labelled(told(said, rng), options, options[place], "intent")


def _tone(split: str, rng: Random) -> Labelled:
    groups: dict[str, list[Class]] = {}
    for one in read_classes("tones.txt"):
        groups.setdefault(one[0], []).append(one)
    names = [g for g in groups if (g in HELD_GROUPS) == (split == VALIDATION)]
    classes = (
        groups[rng.choice(names)]
        if rng.random() < 0.7
        else groups[rng.choice([n for n in names if len(groups[n]) > 2] or names)]
    )
    index = rng.randrange(len(classes))
    said = _evidence(classes[index][2], split, rng, 3)
    options, place = _among(classes, index, rng)
    return Labelled(told(said, rng), options, options[place], "tone")


def _language(split: str, rng: Random) -> Labelled:
    classes = read_classes("languages.txt")
    index = rng.randrange(len(classes))
    said = _evidence(classes[index][2], split, rng, 2)
    options, place = _among(classes, index, rng)
    return Labelled(told(said, rng), options, options[place], "language")


def _document(split: str, rng: Random, held_out: bool = False) -> Document:
    kind = rng.choice(kinds_of(split, held_out))
    return compose(kind, Sheet(rng, split, locale(rng)))


def _kind(split: str, rng: Random) -> Labelled:
    held = split == VALIDATION
    document = _document(split, rng, held)
    names = [k for k in kinds() if k.held_out == held]
    others = rng.sample(
        [k for k in names if k.name != document.kind.name], min(rng.randint(1, 6), len(names) - 1)
    )
    options = [document.kind.name, *(k.name for k in others)]
    rng.shuffle(options)
    place = options.index(document.kind.name)
    options = styled(options, rng)
    text = (
        document.text
        if rng.random() < 0.7
        else _asked("What kind of text is this?", document.text, rng)
    )
    return Labelled(text, options, options[place], "kind of document")


def _asked(question: str, text: str, rng: Random) -> str:
    return rng.choice(
        [
            f"{text}\n\n{question}",
            f"{question}\n\n{text}",
            f"{question}\n{text}",
            f"{text} {question}",
        ]
    )


def _fact(split: str, rng: Random) -> Labelled | None:
    """An enum or boolean of a document, asked as a question or by the labels alone."""
    document = _document(split, rng, split == VALIDATION and rng.random() < 0.5)
    keys = [k for k in sorted(document.told) if document.kind.fields[k].kind in {"bool", "enum"}]
    enums = [k for k in keys if document.kind.fields[k].kind == "enum"]
    if split == TRAIN and enums and rng.random() < 0.7:
        keys = enums
    if not keys:
        return None
    one = document.kind.fields[rng.choice(keys)]
    value = document.sheet.values[one.key]
    if one.kind == "bool":
        return _yes_no(document, one.aliases, value.gold, rng)
    style = rng.randrange(4)
    golds = list(one.spellings)
    rng.shuffle(golds)
    options = [
        one.spellings[g][min(style, len(one.spellings[g]) - 1)].replace("_", " ") for g in golds
    ]
    alias = rng.choice(one.aliases)
    question = rng.choice(
        ["What is the {}?", "Give the {}.", "{}?", "Which {}?", "Choose the {}:", "State the {}."]
    ).format(alias)
    options = styled(options, rng)
    text = _asked(question, document.text, rng) if rng.random() < 0.8 else document.text
    return Labelled(text, options, options[golds.index(value.gold)], "fact")


def _yes_no(document: Document, aliases: list[str], gold: bool, rng: Random) -> Labelled:
    asked = [a for a in aliases if a.startswith("whether")] or [f"whether this holds: {aliases[0]}"]
    clause = rng.choice(asked)
    question = rng.choice(
        [
            f"Say {clause}.",
            f"Tell {clause}.",
            f"Decide {clause}.",
            f"Please answer {clause}.",
            f"{clause[:1].upper()}{clause[1:]}?",
        ]
    )
    yes, no = rng.choice(
        [("yes", "no"), ("Yes", "No"), ("true", "false"), ("yes", "no"), ("YES", "NO")]
    )
    options = [yes, no] if rng.random() < 0.5 else [no, yes]
    return Labelled(_asked(question, document.text, rng), options, yes if gold else no, "yes or no")


def _which(split: str, rng: Random) -> Labelled | None:
    """Which of the names in the text plays a part."""
    document = _document(split, rng)
    texts = {
        k: document.sheet.values[k].text
        for k in sorted(document.told)
        if document.kind.fields[k].kind
        in {"person", "doctor", "company", "city", "date", "money", "time"}
    }
    by_kind: dict[str, list[str]] = {}
    for key in texts:
        by_kind.setdefault(document.kind.fields[key].kind, []).append(key)
    groups = [keys for keys in by_kind.values() if len(keys) >= 2]
    if not groups:
        return None
    keys = rng.choice(groups)
    key = rng.choice(keys)
    options = list(dict.fromkeys(texts[k] for k in keys))
    if len(options) < 2:
        return None
    rng.shuffle(options)
    alias = rng.choice(document.kind.fields[key].aliases)
    question = rng.choice(
        ["What is the {}?", "Which one is the {}?", "Find the {}.", "{}?"]
    ).format(alias)
    return Labelled(_asked(question, document.text, rng), options, texts[key], "which")


def _statement(split: str, rng: Random) -> Labelled | None:
    """True or false: a fact of the text, or one with another value put in."""
    document = _document(split, rng)
    keys = [
        k
        for k in sorted(document.told)
        if document.sheet.values[k].kind in {"text", "int", "money", "date", "time"}
    ]
    if len(keys) < 2:
        return None
    key = rng.choice(keys)
    alias = rng.choice(
        [a for a in document.kind.fields[key].aliases if not a.startswith("whether")]
    )
    shown, holds = document.sheet.values[key].text, rng.random() < 0.5
    if not holds:
        other = Sheet(rng, split, locale(rng))
        from training.kindfile import draw

        shown = draw(document.kind.fields[key], other).text
        if shown == document.sheet.values[key].text:
            return None
    claim = rng.choice(["The {a} is {v}.", "{A}: {v}", "{v} is the {a}."]).format(
        a=alias, A=alias[:1].upper() + alias[1:], v=shown
    )
    yes, no = rng.choice(
        [
            ("true", "false"),
            ("True", "False"),
            ("supported", "contradicted"),
            ("yes", "no"),
            ("correct", "wrong"),
        ]
    )
    lead = rng.choice(["Claim: ", "Statement: ", "Is this right? ", "Check: "])
    return Labelled(
        _asked(lead + claim, document.text, rng),
        [yes, no] if rng.random() < 0.5 else [no, yes],
        yes if holds else no,
        "statement",
    )


def _domain(split: str, rng: Random) -> Labelled:
    """What a whole document is about, in broad terms; for training alone."""
    document = _document(split, rng)
    options, gold = themes.domain(document.kind.name, rng)
    asked = rng.choice(["What is this about?", "Sort this in.", "Which field does this belong to?"])
    text = document.text if rng.random() < 0.8 else _asked(asked, document.text, rng)
    return Labelled(text, options, gold, "domain")


_GOODS_OF = {
    "dish": "dishes",
    "job": "jobs",
    "drug": "drugs",
    "colour": "colors",
    "musical instrument": "instruments",
    "animal": "animals_wild",
    "crop": "crops",
    "sport": "sports",
    "country": "countries",
    "city": "cities",
    "language": "languages",
    "material": "materials",
    "symptom": "symptoms",
    "field of study": "fields",
    "ingredient": "ingredients",
    "household item": "goods",
    "weather condition": "weather",
    "means of transport": "transport",
    "illness": "diagnoses",
    "hobby": "hobbies",
    "course": "courses",
    "music style": "music_genres",
    "plant": "plants",
    "department": "departments",
}


def _thing(split: str, rng: Random) -> Labelled:
    """What a word stands for."""
    label = rng.choice(part(list(_GOODS_OF), split))
    word = rng.choice(part(bank(_GOODS_OF[label]), split))
    others = rng.sample(
        [o for o in part(list(_GOODS_OF), split) if o != label],
        min(3 if split == VALIDATION else rng.randint(1, 5), len(part(list(_GOODS_OF), split)) - 1),
    )
    options = [label, *others]
    rng.shuffle(options)
    place = options.index(label)
    options = styled(options, rng)
    text = rng.choice(
        [word, f"What is {word}?", f"{word} – what kind of thing is that?", f"Category of: {word}"]
    )
    return Labelled(text, options, options[place], "thing")


_Maker = Callable[[str, Random], Labelled | None]
_FAMILIES: list[tuple[_Maker, int]] = [
    (_topic, 2),
    (_intent, 2),
    (_tone, 2),
    (lambda _, rng: themes.subject(rng), 6),
    (lambda _, rng: themes.request(rng), 5),
    (lambda _, rng: themes.theme(rng), 24),
    (_domain, 2),
    (_fact, 5),
    (_which, 2),
    (_kind, 4),
    (_statement, 1),
    (_language, 1),
    (_thing, 2),
]
_UNSEEN: list[tuple[_Maker, int]] = [(_topic, 4), (_intent, 3), (_tone, 3), (_kind, 2), (_fact, 2)]


def labelled(split: str, rng: Random) -> Labelled:
    """A classification task of one split."""
    makers, weights = zip(*(_UNSEEN if split == VALIDATION else _FAMILIES), strict=True)
    while True:
        made: Labelled | None = rng.choices(makers, weights)[0](split, rng)
        if not made or len(set(made.options)) < len(made.options):
            continue
        if split == VALIDATION or not any(is_held(option) for option in made.options):
            return made
