# ruff: noqa: E501 - grammars and lists read best on one line
"""Classification for training alone: many sets of labels, near misses, `other`, mixed wording."""

from functools import lru_cache
from random import Random

from training.classes import (
    STYLES,
    Class,
    Labelled,
    files,
    filled,
    is_held,
    read_classes,
    styled,
    told,
    usable,
)
from training.grammar import say
from training.phrases import NOISE
from training.splits import TRAIN, part

_OTHER = [
    "other",
    "none of these",
    "something else",
    "misc",
    "none",
    "unclear",
    "anything else",
    "general",
]
# Version 1 was least sure of capitals.
_STYLES = (*STYLES, "upper", "upper", "title", "snake", "constant", "kebab")
_QUESTIONS = [
    "What is the {}?",
    "Which {}?",
    "Classify the {}.",
    "Choose the {}:",
    "{}?",
    "Label this with its {}:",
    "Name the {} of this text.",
    "Determine the {}",
]
_WRAPS = ['"{}"', "Text: {}", "Input: {}", "- {}", "> {}", "Message:\n{}", "Classify: {}", "``{}``"]
_FRAMES = [
    "(I|we) (read|wrote|heard) (a lot |something |)about W( and V|)( lately| on the train|)",
    "(there was|we saw) (W|a programme on W) (and|, then) V",
    "(my|his|her) (sister|neighbour|boss) (knows everything about|never stops talking of) W(, V and U| and V|)",
    "W(:|,) V(,| and) U",
    "(chapter|part|lesson) (two|five|seven) (deals with|is about|covers) W(, V and U| and V)",
    "(who|where|when) (invented|can I find|do we need) W( and V|)?",
    "(it|the whole thing) (began|started) with W(, then V| and ended with V)",
    "(you|nobody) (can't|should) (have|do) W without V",
    "(looking|searching) for W(, V or U| or V)",
    "(new|used|old) W, (also|and) V",
    "(some|a few) (thoughts|remarks|words) on W( and on V|)",
    "(the|a) W, (please|of course)( - and the V|)",
    "(how|why) W (is|are) (linked|related) to V",
    "(this|last) (morning|year) (it was all|everybody wanted) W( and V|)",
    "(yes|no), W(!| again!)( and what about V?|)",
    "from W to V",
    "W",
    "W, V",
    "W; V; U",
]


def _trained(name: str) -> list[Class]:
    kept = []
    for group, labels, evidence in read_classes(name):
        free = [label for label in labels if not is_held(label)]
        if free:
            kept.append((group, free, evidence))
    return kept


@lru_cache
def _groups() -> list[list[Class]]:
    """Sets of classes; what several lines say of one class belongs together."""
    groups: dict[str, dict[str, Class]] = {}
    for name in ("themes.txt", *files("themes")):
        for group, labels, evidence in _trained(name):
            known = groups.setdefault(group, {})
            before = known.get(labels[0], (group, labels, []))
            known[labels[0]] = (group, before[1], [*before[2], *evidence])
    return [list(group.values()) for group in groups.values() if len(group) > 1]


@lru_cache
def _subjects() -> list[Class]:
    return [*usable("topics.txt", TRAIN), *_trained("subjects.txt")]


@lru_cache
def _requests() -> list[Class]:
    return [*usable("intents.txt", TRAIN), *_trained("requests.txt")]


def _near(index: int, size: int, rng: Random) -> list[int]:
    """Places near one: the files have like beside like, so these labels are easily mistaken."""
    reach = rng.choice([4, 8, 16])
    return [i for i in range(max(0, index - reach), min(size, index + reach + 1)) if i != index]


def _options(gold: Class, others: list[Class], rng: Random) -> tuple[list[str], str]:
    """Labels in chance order and the right one; some sets have an `other`, which may be right."""
    count = min(len(others), rng.choice([1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7]))
    chosen = [gold, *rng.sample(others, count)]
    style = rng.choice([0, 0, 0, 1, 1, 2, 3])
    labels = [
        rng.choice(one[1]) if style == 3 else one[1][min(style, len(one[1]) - 1)] for one in chosen
    ]
    roll = rng.random()
    if roll < 0.16 and not any(label in _OTHER for label in labels):
        labels = (
            ([rng.choice(_OTHER), *labels[1:]]) if roll < 0.06 else [*labels, rng.choice(_OTHER)]
        )
    labels = styled(labels, rng, _STYLES)
    right = labels[0]
    rng.shuffle(labels)
    return labels, right


def _surrounded(said: list[str], rng: Random) -> str:
    """What is said, now and then between sentences that tell nothing; code stands as it is."""
    if any(sentence.startswith("=") for sentence in said):
        return "\n".join(sentence.removeprefix("=") for sentence in said)
    if rng.random() < 0.1:
        return rng.choice([", ", ". ", " - ", "\n"]).join(said)
    for _ in range(rng.choices([0, 1, 2], [0.75, 0.2, 0.05])[0]):
        said.insert(rng.randint(0, len(said)), say(rng.choice(part(NOISE, TRAIN)), rng))
    return told(said, rng)


def subject(rng: Random) -> Labelled:
    """A few words or sentences about a subject."""
    known = _subjects()
    index = rng.randrange(len(known))
    gold = known[index]
    words = rng.sample(gold[2], len(gold[2]))
    said = []
    for frame in rng.sample(_FRAMES, rng.choice([1, 1, 1, 2, 2, 3])):
        w, v, u = (words * 3)[:3]
        words = words[3:] + words[:3]
        made = say(frame.replace("W", "\x01").replace("V", "\x02").replace("U", "\x03"), rng)
        said.append(made.replace("\x01", w).replace("\x02", v).replace("\x03", u))
    text = _surrounded(said, rng)
    near = _near(index, len(known), rng) if rng.random() < 0.4 else range(len(known))
    others = [
        known[i]
        for i in near
        if i != index and not any(word.lower() in text.lower() for word in known[i][2])
    ]
    options, right = _options(gold, others, rng)
    return Labelled(text, options, right, "subject")


def request(rng: Random) -> Labelled:
    """What somebody wants."""
    known = _requests()
    index = rng.randrange(len(known))
    said = [say(filled(rng.choice(known[index][2]), TRAIN, rng), rng)]
    near = _near(index, len(known), rng) if rng.random() < 0.4 else range(len(known))
    options, right = _options(known[index], [known[i] for i in near if i != index], rng)
    return Labelled(_surrounded(said, rng), options, right, "request")


def theme(rng: Random) -> Labelled:
    """One of a set of labels that belong together, or with labels of other sets among them."""
    group = rng.choice(_groups()) if rng.random() < 0.5 else rng.choice(_weighted())
    gold = rng.choice(group)
    sources = rng.sample(gold[2], min(len(gold[2]), rng.choice([1, 1, 1, 2])))
    said = [
        source if source.startswith("=") else say(filled(source, TRAIN, rng), rng)
        for source in sources
    ]
    others = [one for one in group if one is not gold]
    if rng.random() < 0.15:
        others = rng.choice(_groups())
        others = [one for one in others if one[0] != gold[0] and one[1][0] not in _OTHER]
    options, right = _options(gold, others or group[:1], rng)
    text = _surrounded(said, rng)
    roll = rng.random()
    if roll < 0.06:
        return Labelled(rng.choice(_WRAPS).format(text), options, right, "theme")
    if roll < 0.2:
        question = rng.choice(_QUESTIONS).format(gold[0])
        text = rng.choice([f"{question}\n{text}", f"{text}\n\n{question}", f"{question} {text}"])
    return Labelled(text, options, right, "theme")


@lru_cache
def _weighted() -> list[list[Class]]:
    """Each group as often as it has classes."""
    return [group for group in _groups() for _ in group]


_DOMAINS = {
    "food and drink|eating|gastronomy": "restaurant review;menu;recipe;grocery stock",
    "shopping|buying and selling|commerce": "product page;used goods ad;order confirmation;shipping notice;customs declaration;parcel label;sales slip with tax;order tracking;stock movement",
    "vehicles|cars and driving|motor traffic": "vehicle ad;car rental;accident report",
    "money matters|payments|bookkeeping": "invoice;receipt;expense claim;bank notice;loan offer;utility bill;donation letter;bank transfer slip",
    "contracts|agreements|legal paperwork": "rental contract;service contract;insurance claim;house sale;flat lease;loan between friends;court case",
    "learning|school and study|training courses": "course listing;exam result;school trip letter;parents' evening;exchange student and host;apprenticeship report",
    "medical care|patients|health service": "lab result;patient note;hospital transfer;prescription",
    "nature|wildlife and farming|plants and animals outdoors": "wildlife sighting;farm record;scientific note",
    "pets at home|animals|household animals": "pet record",
    "getting around|trips and stays|journeys": "hotel booking;flight booking;train and bus notice;bus and coach trip",
    "jobs|work life|employment": "job ad;employee record;leave request;interview guest;shift handover",
    "meetings and projects|office work|team planning": "meeting minutes;meeting invitation;project status",
    "computing|IT|machines and software": "server log;software release;network device;sensor reading;support ticket;user profile",
    "matches and races|sporting results|competitions": "match report;race result;gym and club membership;fixture list;prize giving",
    "going out|entertainment|shows": "public event;film and book note;festival and concert note;museum object;library loan;book imprint;museum loan;film credits",
    "homes|property|places to live": "property ad;address notice;moving notice;renovation log;repair order",
    "private messages|family and friends|personal notes": "chat about plans;dinner invitation;contact card;neighbourhood and family message;thank-you and complaint letter;lost property",
    "company affairs|firms|corporate matters": "company news;takeover;share price note;change of post;company profile;product recall",
    "news in brief|current events|what happened": "local news;weather report;dispatch and patrol note;climate table",
    "a person's life|life stories|about somebody": "biography;obituary;family register",
}


@lru_cache
def _domain_of() -> dict[str, int]:
    return {kind: n for n, kinds in enumerate(_DOMAINS.values()) for kind in kinds.split(";")}


def domain(kind: str, rng: Random) -> tuple[list[str], str]:
    """Broad fields of life as labels, and the one that a kind of document belongs to."""
    place = _domain_of().get(kind)
    every: list[Class] = [
        ("", [label for label in names.split("|") if not is_held(label)], []) for names in _DOMAINS
    ]
    gold = ("", [kind], []) if place is None else every[place]
    return _options(gold, [one for n, one in enumerate(every) if n != place], rng)
