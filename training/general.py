# ruff: noqa: E501 - grammars and lists read best on one line
"""General tasks made here, against forgetting: their answers are held near the base's own words."""

import json
from random import Random
from typing import Any

from training.grammar import say

_THINGS = "a lighthouse;an old bicycle;the first snow;a market in spring;a quiet street;a long train ride;my grandmother's kitchen;a stray dog;the sea at night;a lost key;a clever fox;two neighbours;a paper boat;the last bus;a tiny robot;a school play;a garden in autumn;a broken clock;the moon;an honest thief;a brass band;a mountain hut;a young baker;the library at closing time".split(
    ";"
)
_ASKS = [
    "Write a (short |)(story|poem|paragraph) about T.",
    "Describe T in (two|three|a few) sentences.",
    "(Invent|Think of) a name for a (café|shop|book|song) about T.",
    "Give me (three|five) ideas for a (picture|story|party) with T.",
    "Explain (to a child|simply|briefly) what makes T special.",
    "What (could|might) T teach us?",
    "Write a (slogan|headline|caption) for T.",
    "Make up a dialogue between two people who see T.",
]
_FACTS = [
    ("What is the capital of C?", ""),
    ("Name a river in C.", ""),
    ("How do you make tea?", ""),
    ("Why is the sky blue?", ""),
    ("What does a dentist do?", ""),
    ("How many days has a week?", ""),
    ("Give advice for sleeping better.", ""),
    ("What is photosynthesis?", ""),
    ("How do I learn a language?", ""),
    ("Who was Mozart?", ""),
    ("What is the opposite of cold?", ""),
    ("Write a polite mail to decline an invitation.", ""),
    ("What should I pack for a weekend by the sea?", ""),
]
_COUNTRIES = "France;Italy;Japan;Kenya;Norway;Peru;Egypt;Canada;India;Spain".split(";")
_SENTENCES = [
    "(It|The day) began (quietly|with rain|early), (as|because) (nobody|everyone) (was awake|had slept well).",
    "(Slowly|At last|Then) (the light|a voice|the wind) (came|rose|changed).",
    "(People|Children|Birds) (gathered|sang|watched) (near|around|from) (it|the water|the roof).",
    "(There was|You could hear|I remember) (a smell of bread|the old song|footsteps).",
    "(In the end|After a while|By evening), (all was well|they went home|it was quiet again).",
    "(Nothing|Something) (seemed|felt) (the same|different|possible).",
    "(It takes|You need|All it needs is) (patience|a little time|good friends).",
    "(Maybe|Perhaps|Surely) (that is why|this is how) (we stay|it works|stories begin).",
]
_FIELDS: list[tuple[str, str, int]] = [
    ("title", "a fitting title", 0),
    ("story", "a short story", 5),
    ("description", "a vivid description", 3),
    ("slogan", "a catchy slogan", 1),
    ("text", "the text", 4),
    ("opening", "first sentence", 1),
    ("explanation", "a simple explanation", 3),
    ("idea", "one idea", 1),
    ("summary", "a summary", 1),
    ("reply", "a friendly reply", 2),
    ("poem", "a short poem", 4),
]


def creative(rng: Random) -> tuple[str, Any, str]:
    """A task, the schema it is asked under (or None) and an answer of the right form."""
    thing = rng.choice(_THINGS)
    if rng.random() < 0.35:
        task = (
            rng.choice(_FACTS)[0].replace("C", rng.choice(_COUNTRIES))
            if rng.random() < 0.5
            else say(rng.choice(_ASKS).replace(" T", f" {thing}"), rng)
        )
        return task, None, _sentences(rng, 4)
    task = say(rng.choice(_ASKS).replace(" T", f" {thing}"), rng)
    chosen = rng.sample(_FIELDS, rng.randint(1, 3))
    properties = {
        name: {"type": "string", **({"description": text} if rng.random() < 0.7 else {})}
        for name, text, _ in chosen
    }
    answer = {
        name: _sentences(rng, count) if count else thing.split(" ", 1)[1].title()
        for name, _, count in chosen
    }
    return (
        task,
        {"type": "object", "properties": properties, "required": list(properties)},
        json.dumps(answer, ensure_ascii=False),
    )


def _sentences(rng: Random, count: int) -> str:
    return " ".join(say(source, rng) for source in rng.sample(_SENTENCES, count))
