# ruff: noqa: E501 - grammars and lists read best on one line
"""General requests made here, against forgetting: what one writes under them is held near the base.

No request has an answer here. The base writes one when a training starts (`own_words.py`).
"""

from dataclasses import dataclass
from random import Random
from typing import Any

from training.grammar import Slot, expand


@dataclass(frozen=True)
class Kind:
    """Grammars of requests with `[T]` for what they are about, and the fields that may be asked for."""

    asks: tuple[str, ...]
    things: tuple[str, ...]
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """A request, the schema it is made under (None: plain text) and its values.

    A value of None is free text; others are numbers and words that the text goes on from.
    """

    task: str
    schema: Any
    values: dict[str, Any]


def _kind(asks: str, things: str, fields: str) -> Kind:
    return Kind(
        tuple(asks.strip().split("\n")),
        tuple(thing.strip() for thing in things.split(";")),
        tuple(fields.split()),
    )


_KINDS = [
    _kind(
        """(Describe|Please describe|Portray|Picture) [T].
(Describe|Portray) [T] in (a sentence|one sentence|two sentences|three sentences|a few words|a paragraph).
(Write|Give me|Give) a (short|vivid|loving|dry|poetic|plain) description of [T].
What (is [T] like|does [T] look like)?
(How would you describe|Tell me about) [T](, please|)(.|?)""",
        "a windmill;the first snow;a quiet street;my grandmother's kitchen;a stray dog;a mountain hut;a thunderstorm;an empty theatre;a desert at noon;a harbour in fog;a hospital corridor;a crowded tram;the attic of an old house;a vegetable garden;a glass of cold water;the taste of honey;the taste of black coffee;the smell of the forest after rain;the smell of a petrol station;the sound of a violin;the sound of waves;the feeling of coming home;the colour blue;a campfire;a city at dawn;a volcano;a spider's web;a worn leather jacket;a wooden table;a hand-made clock;an antique mirror;a snowman;a busy airport;a farm in winter;a library at closing time;a swimming pool in July;a carnival;a cave;a sunflower;an elephant;a polar bear;a grumpy shopkeeper;a proud goalkeeper;a dentist's waiting room;a kite;a violin;an accordion;a teapot;a strawberry;a pineapple;cinnamon;fresh laundry;roasted chestnuts;a wet dog;a pine wood;a hot summer night;a frosty morning;a windy hill;a village fair;a fish market at five in the morning;an autumn afternoon;a sleepless night",
        "description text picture scene portrait details impression",
    ),
    _kind(
        """(Invent|Make up|Think of|Suggest|Find|Propose) a (name|good name|new name|funny name) for [T].
(What|How) (could|should|would) you call [T]?
(Name|Christen) [T].
I need a name for [T].""",
        "a café with cats;a toy shop;a rock band of retired teachers;a sailing boat;a hairdresser;a football team of nurses;a travel agency for shy people;a brand of socks;a perfume;a podcast about maps;a hotel in the mountains;a horse;a parrot;a goldfish;a village in a fantasy novel;a planet;a dragon;a flower shop;a magazine for cyclists;a restaurant that only serves soup;a robot vacuum cleaner;a board game about trade;a tea house;a circus;a chocolate bar;a detective agency;a school of dance;a theatre group;an app that reminds you to drink;a new kind of apple;a cocktail without alcohol;a bakery by a canal;a cheese;a running club;a comet",
        "name title suggestion proposal idea brand",
    ),
    _kind(
        """(Explain|Please explain|Tell me|Say)( briefly| simply| in one sentence| in two sentences|) (why|for what reason) [T].
(Explain|Tell|Show) (a child|a six-year-old|a beginner|my grandfather|a class) why [T].
(Why is it that|How come that|Do you know why) [T]?
Give (a|one|the main) reason why [T].""",
        "birds sing at dawn;bread rises;ice floats on water;the sky is blue;we dream;cats purr;iron rusts;the days are longer in summer;salt melts ice;onions make us cry;a boat does not sink;an aeroplane flies;bees dance;the tides come and go;we yawn;stars twinkle;a rainbow has colours;volcanoes erupt;we need sleep;milk turns sour;mirrors show us the wrong way round;deserts are cold at night;thunder comes after lightning;we have seasons;plants need light;the heart beats;magnets attract iron;a spinning top stands;soap cleans;people laugh;bats hang upside down;zebras have stripes;popcorn pops;a candle goes out under a glass;it is dark at night;teeth fall out;geese fly in a V;a cactus has spines;reading is good for you;people travel;one should learn to swim;music moves us;friends matter;one should save money;vegetables are healthy;it helps to play an instrument",
        "explanation answer reason text cause why",
    ),
    _kind(
        """What (is|are) [T]( for| used for| good for|)?
(Say|Tell me|Explain)( in one sentence| briefly|) what [T] (is|are) (for|good for).
(Say|Explain|Define)( in a sentence|) what [T] (does|do|is|are).
(What does|What do) [T] do?
What (can|could|do) you do with [T]?
Give a (definition|short definition) of [T].""",
        "a thermometer;a telescope;a sundial;an anchor;a stethoscope;a bridge;a volcano;a dam;a battery;a glacier;a bank;a parliament;a notary;a plumber;a dentist;a librarian;an interpreter;a screwdriver;a sieve;yeast;a map;a calendar;a lever;a pulley;a microscope;a beehive;a root;the heart;the lungs;an index;a password;a firewall;a recipe;a metaphor;inflation;gravity;photosynthesis;democracy;an alphabet;a traffic light;a seat belt;a parachute;a tuning fork;a spreadsheet;a lake;a coral reef;the ozone layer;an umbrella",
        "answer definition sentence use purpose explanation",
    ),
    _kind(
        """(Write|Draft|Compose) (a|a short|a polite|a friendly|a warm|a brief|a formal) [T].
(Please write|I need|Help me with|Send) a (short|kind|polite|cheerful) [T].
(Could|Can) you write a [T](, please|)?""",
        "apology to a customer whose order was wrong;apology for coming late;reply to a reader who found a mistake;reply to a customer who wants a refund;answer to a pupil who missed the test;thank-you note to a colleague who helped with a move;thank-you note for a scarf;thank-you letter to a teacher;invitation to a house-warming party;message to a flatmate about the dishes;message to a landlord about a broken heater;reminder to pay an invoice;note to a neighbour about loud music;message of condolence;birthday card for an uncle;get-well card;letter to a mayor about a park bench;mail that declines an invitation;mail that cancels an appointment at the dentist;mail asking for a day off;mail that introduces a new colleague;welcome message for a new member;farewell to a colleague who retires;congratulation on an exam;complaint about a cold meal;answer to a bad review;purchase order for a hundred chairs;request for a quotation;note for the school that a child is ill;love letter;postcard from the mountains;message to a friend who moved away;speech for a birthday;speech for a retirement;toast for an anniversary;toast for a new year;announcement that the lift is out of order",
        "message reply note mail text letter answer card speech body",
    ),
    _kind(
        """Give (a tip|advice|a piece of advice|some advice|one tip|a good tip) (for|on|about) [T].
(What is your advice|Do you have a tip|Any advice|What helps) (for|with|on) [T]?
(Name|Tell me) one (thing|trick) (that helps with|to know about) [T].
(What should I know|What should one think of) (about|before) [T]?""",
        "learning a language;sleeping better;packing a suitcase;the first day in a new job;growing tomatoes;baking a cake;driving in snow;speaking in public;a job interview;keeping a house cool;saving money;running a marathon;moving to a new city;raising a puppy;writing a novel;painting a wall;playing the guitar;remembering names;studying for an exam;flying with a baby;hiking alone;camping in the rain;buying a used car;cooking rice;making friends;working from home;quitting smoking;a long drive;taking photographs;learning to swim;a new teacher;a young farmer;a first-time visitor to a big city;a beginner at the piano;keeping plants alive;reading more books",
        "tip advice answer text suggestion hint",
    ),
    _kind(
        """(Write|Invent|Give me|Make up) (a|a good|a short|a catchy|a funny|a serious) (headline|title|slogan|motto|caption|subject line|tagline) (for|about|on) [T].
(Suggest|Find|Think of) a (headline|title|slogan|motto|caption|tagline) for [T].
(What would be|What is) a good (title|slogan|headline|motto) for [T]?""",
        "a story about a lost key;a report on a flood;an article about bees in cities;an advertisement for a night train;a campaign against litter;a museum of buttons;a photo of a jumping dog;a photo of two old friends;a picture of a red door;a town that moved uphill;a village without cars;a mayor who dances;a factory that makes silence;a school of cooking;a rowing club;a fire brigade;a dentist's practice;a shop for second-hand books;a bicycle repair shop;an exhibition of hats;a blog about tea;a talk on black holes;an essay on friendship;a film about a thief;a novel set on a glacier;a concert in the woods;a shoe shop;a coffee roastery that opens late;a café at the station;a summer camp;a political party for cats;a speech on trust;a newsletter for gardeners;a soap made of olive oil;a winter coat",
        "title headline slogan motto caption tagline text subject",
    ),
    _kind(
        """Write (the first|the last|the opening|a|one) sentence of a (story|thriller|fairy tale|novel|letter|romance|crime story) (about|with) [T].
(Write|Tell|Tell me|Make up) a (very short|short|little|bedtime|sad|funny) story (about|with|of) [T].
(Write|Compose) (a poem|a verse|two lines|four lines|a limerick|a haiku|a paragraph|two sentences|three sentences) about [T].
(Begin|Start|Open) a story about [T].
(Describe|Tell) (the first day|an evening|the birthday|the adventure) of [T].
Write a (dialogue|diary entry|scene|song) about [T].""",
        "a clever fox;two neighbours who never speak;a paper boat;the last bus;a school play;a garden in autumn;an honest thief;a brass band;a young sailor;a wolf who is afraid of the dark;a ghost in a lift;a painter without colours;a king who lost his shoes;a train that never stops;an astronaut who misses rain;a snail in a race;a baker's apprentice;a dragon with a cold;a postman in the mountains;a girl who talks to trees;a stolen violin;a storm at sea;a forgotten island;a castle under a lake;the wind;the stars;winter;a river in spring;a mountain at sunrise;silence;a desert;an old bridge;hope;a machine that dreams;a teacher who can fly;a cat who runs a hotel;a broken promise;a letter that arrives too late",
        "story text sentence opening poem beginning scene verse paragraph",
    ),
    _kind(
        """(Recommend|Suggest|Propose|Think of|Give me) (an activity|a meal|a gift|a trip|a hobby|a game|a drink|a dish|a present|a book) for [T].
(What|Which) (gift|meal|game|trip|hobby|activity) (would suit|suits|is right for|would you suggest for) [T]?
Give (one idea|an idea|a few ideas|three ideas) for (a gift|an outing|a party|an evening|a weekend) with [T].
(What could|How could) [T] (do|spend) (on a free day|the weekend|a Sunday)?""",
        "a family with small children;my grandmother;a tired student;a group of engineers;two friends by the sea;a cold evening;a hot afternoon;a photographer;a teenager who likes chess;a man who has everything;a new colleague;a vegetarian;someone who is ill;a couple on a budget;a class of nine-year-olds;a dog lover;a nurse after a night shift;a carpenter;a musician;a cyclist;visitors from abroad;an uncle who fishes;a girl who loves horses;someone who can't sleep;a beginner in cooking;a retired teacher",
        "idea suggestion activity recommendation gift answer text plan",
    ),
    _kind(
        """(Invent|Make up|Create|Imagine|Think of|Design) [T]( and describe (it|them)|).
(Describe|Introduce|Present) [T] that (does not|doesn't) exist( yet|).
(Give me|I need) (a profile of|a sketch of|an idea for) [T].""",
        "a villain who hates music;a heroine who repairs trams;a detective with a stutter;a magical animal;a new sport;a holiday;a fruit;a musical instrument;a machine for the kitchen;a spice;a dish with potatoes;a sandwich;a sauce;a tea;a colour;a dance;a language for birds;a vehicle for two;a toy for cats;a monster who is shy;a pirate queen;a wizard's apprentice;a person who lives in Lisbon;a customer of a bank;a football player;a professor of nothing;a shop that sells time;a law that makes people happy;a club;a planet with two suns;a tool for left-handed people;an insect;a game for five players;a pizza",
        "name description character idea profile hero invention flavour person text",
    ),
    _kind(
        """Write (a|one|an easy|a hard) (question|quiz question|riddle|joke|warning|notice|rule|label|sign|prayer|proverb) (about|on|for) [T].
(Make up|Invent|Give me) a (question|riddle|joke|proverb|rule|notice) (about|on) [T].
(Put|Print) a (warning|notice|sign) on [T].""",
        "the sun;whales;the Roman Empire;football;chemistry;the alphabet;cheese;opera;an electric fence;a lift that is broken;a hot stove;thin ice;a wet bench;a narrow staircase;deep water;a barking dog;patience;money;neighbours;time;weather;horses;chess;sugar;a laboratory;a playground;a swimming pool;a shared kitchen;a reading room;a building site;the planet Mars;penguins;trains;elections;honesty",
        "question riddle joke warning notice text sign rule answer",
    ),
    _kind(
        """[T]
(Please answer:|Question:|A question:|Tell me,|Quick question:) [T]
[T] (Answer briefly.|Answer in one sentence.|Keep it short.|Be precise.)""",
        "What is the capital of France?;What is the capital of Peru?;Name a river in Egypt.;Name a mountain in Japan.;How do you make tea?;How do I boil an egg?;Who was Mozart?;Who was Marie Curie?;Who wrote Hamlet?;How many days has a week?;What is the opposite of cold?;What is the largest ocean?;When did the Second World War end?;What is a mammal?;How does a fridge work?;How does a vaccine work?;Where do penguins live?;What do pandas eat?;What languages are spoken in Switzerland?;What should I pack for a weekend by a lake?;What is the difference between a novel and a poem?;What is the difference between weather and climate?;How far away is the sun?;What colours has a rainbow?;What is water made of?;Is a tomato a fruit?;Can a fish drown?;How long is a marathon?;What is the plural of mouse?;Translate 'good morning' into Spanish.;What is 12 times 4?;Name three spices.;Name a famous painter.;List two advantages of trains.;What do you think of Mondays?;How are you?;What makes a good leader?;Is it better to live in a town or in the country?;What is happiness?;Which animal would you like to be?",
        "answer text response explanation result fact",
    ),
]
_DESCRIPTIONS = "what was asked for;the text;in plain words;one or two sentences;short and clear;in a friendly tone;for a general reader;a short text;the answer to the question;no more than two sentences;in English;your answer".split(
    ";"
)
_ALSO = "title summary comment reason explanation note name example headline introduction".split()
_NUMBERS = {"age": (3, 90), "rating": (1, 10), "year": (1850, 2030), "count": (1, 12)}
_WORDS = {
    "mood": "happy;sad;calm;angry",
    "tone": "friendly;formal;funny",
    "length": "short;medium;long",
    "language": "en;fr;de",
}
_PLAIN_SHARE = 0.15


def request(rng: Random) -> Request:
    """A request of one of the kinds, mostly under a schema with one to three fields of text."""
    kind = rng.choice(_KINDS)
    task = _said(rng.choice(kind.asks), rng.choice(kind.things), rng)
    if rng.random() < _PLAIN_SHARE:
        return Request(task, None, {})
    names = [rng.choice(kind.fields)]
    if rng.random() < 0.3:
        names += [name for name in rng.sample(_ALSO, rng.randint(1, 2)) if name not in names]
    rng.shuffle(names)
    asked = {name: (_text(rng), None) for name in names}
    if rng.random() < 0.12:
        name, other = _other(rng)
        asked[name] = other
    properties = {name: schema for name, (schema, _) in asked.items()}
    return Request(
        task,
        {"type": "object", "properties": properties, "required": list(properties)},
        {name: value for name, (_, value) in asked.items()},
    )


def _said(ask: str, thing: str, rng: Random) -> str:
    pieces = [thing if isinstance(piece, Slot) else piece for piece in expand(ask, rng)]
    said = "".join(pieces)
    return said[0].upper() + said[1:]


def _text(rng: Random) -> dict[str, Any]:
    """A field of free text, now and then described or bounded."""
    schema: dict[str, Any] = {"type": "string"}
    if rng.random() < 0.4:
        schema["description"] = rng.choice(_DESCRIPTIONS)
    if rng.random() < 0.6:
        schema["maxLength"] = rng.choice([80, 100, 120, 150, 200, 240, 250, 300, 400, 500])
    return schema


def _other(rng: Random) -> tuple[str, tuple[dict[str, Any], Any]]:
    """A field that is no text, with a value for it."""
    if rng.random() < 0.5:
        name = rng.choice(list(_NUMBERS))
        return name, ({"type": "integer"}, rng.randint(*_NUMBERS[name]))
    name = rng.choice(list(_WORDS))
    words = _WORDS[name].split(";")
    return name, ({"enum": words}, rng.choice(words))
