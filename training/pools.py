# ruff: noqa: E501 - grammars and lists read best on one line
"""Names of people, places and companies: Faker's locales when there, and names invented here.

`python -m training.pools` writes `training/cache/pools.json`, so that a machine without Faker
draws the same names.
"""

import json
import logging
from functools import lru_cache
from pathlib import Path
from random import Random

from training.splits import part

CACHE = Path(__file__).parent / "cache" / "pools.json"
LOCALES = (
    "en_US en_GB en_IN en_AU en_NZ de_DE de_AT de_CH fr_FR es_ES es_MX it_IT pt_BR pt_PT nl_NL nl_BE "
    "pl_PL sv_SE no_NO da_DK fi_FI cs_CZ sk_SK hu_HU ro_RO tr_TR hr_HR sl_SI et_EE lv_LV lt_LT "
    "vi_VN id_ID fil_PH en_NG az_AZ el_GR ru_RU ja_JP zh_CN"
).split()
_FEW = {"el_GR", "ru_RU", "ja_JP", "zh_CN"}
_KINDS = ("first", "last", "city", "street", "company", "country", "word", "job")

_ONSETS = (
    "b br c ch cr d dr f fl g gl gr h j k kl l m n p pl pr qu r s sk sol st t tr v val w z ar el or"
)
_VOWELS = "a e i o u a e i o ae ai au ei ou y"
_CODAS = "n r l s nd rk x m nt th lm rn sk ld  "
_PLACE_ENDS = (
    "ford ton wick bury ham stead mouth field dale haven bridge port by holm berg feld stadt au ville "
    "mont court ac ano etta ino ovo ice sk ow vik sund dal lund garth combe leigh minster moor"
).split()
_BRAND_ENDS = "a o ix ex on ia io is us ora ium yn ent ova eta ara ino".split()
_COMPANY_ENDS = (
    "Ltd|Inc.|GmbH|AG|S.A.|B.V.|AB|Oy|SpA|LLC|& Co.|Group|Holdings|Partners|Labs|Systems|Works|"
    "Logistics|Foods|Energy|Robotics|Health|Media|Motors|Bank|Insurance|Consulting|Software|"
    "Pharma|Textiles|Studio|Brothers|& Sons|Industries|Networks|Analytics|Bakery|Brewery|Roofing|"
    "Plumbing|Travel|Airlines|Capital|Design|Instruments|Optics|Marine|Dynamics|Electric|Glass|"
    "Packaging|Nurseries|Garage|Clinic|Publishing|Records|Furniture|Ceramics|Cycles|Outfitters"
).split("|")
_STREET_ENDS = (
    " Street| Road| Avenue| Lane| Drive| Court| Close| Way| Terrace| Boulevard| Square| Hill| Row|"
    "straße|gasse|weg|allee|platz|gatan|vägen|veien|straat|laan|gade|katu"
).split("|")
_STREET_STARTS = (
    "Rue de |Rue du |Avenue de |Via |Viale |Calle |Calle de |Avenida |Rua |ul. |Plaza |Piazza |Carrer de "
).split("|")


def _from_faker() -> dict[str, dict[str, list[str]]]:
    from faker import Faker

    found: dict[str, dict[str, list[str]]] = {}
    for locale in LOCALES:
        fake = Faker(locale)
        fake.seed_instance(7)
        makers = {
            "first": fake.first_name,
            "last": fake.last_name,
            "city": fake.city,
            "street": fake.street_name,
            "company": fake.company,
        }
        few = locale in _FEW
        found[locale] = {
            kind: sorted({maker() for _ in range(60 if few else 260)})
            for kind, maker in makers.items()
        }
        found[locale]["country"] = (
            sorted({fake.country() for _ in range(200)}) if locale == "en_GB" else []
        )
    return found


@lru_cache
def names() -> dict[str, dict[str, list[str]]]:
    """Names by locale and kind; empty without Faker and without the cache."""
    if CACHE.exists():
        return json.loads(CACHE.read_text("utf-8"))
    try:
        return _from_faker()
    except ImportError:
        logging.getLogger(__name__).warning("no Faker, no %s: names are invented ones only", CACHE)
        return {}


def pick(kind: str, split: str, rng: Random) -> str:
    """A name of one kind: from a locale, or invented."""
    if not names() or rng.random() < 0.3:
        return _INVENTED[kind](rng)
    return pick_local(kind, split, rng, locale(rng))


def locale(rng: Random) -> str:
    """A locale, the English ones more often, other scripts seldom."""
    roll = rng.random()
    if roll < 0.4:
        return rng.choice(["en_US", "en_GB", "en_AU", "en_IN", "en_NG"])
    if roll < 0.43:
        return rng.choice(sorted(_FEW))
    return rng.choice([name for name in LOCALES if name not in _FEW])


def pick_local(kind: str, split: str, rng: Random, where: str) -> str:
    """A name of one kind from one locale, or invented where that has none."""
    known = _local(kind, split, where)
    return rng.choice(known) if known else _INVENTED[kind](rng)


@lru_cache
def _local(kind: str, split: str, where: str) -> tuple[str, ...]:
    return tuple(part(names().get(where, {}).get(kind, []), split))


def stem(rng: Random, syllables: int = 2) -> str:
    """An invented word, capitalised."""
    made = "".join(
        rng.choice(_ONSETS.split()) + rng.choice(_VOWELS.split()) for _ in range(syllables)
    )
    return (made + rng.choice(_CODAS.split(" "))).capitalize()


def brand(rng: Random) -> str:
    """An invented brand."""
    roll = rng.random()
    if roll < 0.4:
        return stem(rng, rng.choice([1, 2]))
    if roll < 0.8:
        return stem(rng, 1) + rng.choice(_BRAND_ENDS)
    return stem(rng, 1) + stem(rng, 1)


def _place(rng: Random) -> str:
    name = stem(rng, 1) + rng.choice(_PLACE_ENDS)
    before = [
        "",
        "",
        "",
        "",
        "",
        "Upper ",
        "Lower ",
        "North ",
        "New ",
        "Port ",
        "San ",
        "Santa ",
        "St. ",
        "Bad ",
    ]
    after = ["", "", "", "", "", "", " Bay", " Springs", "-on-Sea", " Heights", " Falls"]
    return rng.choice(before) + name + rng.choice(after)


def _company(rng: Random) -> str:
    roll = rng.random()
    if roll < 0.5:
        return f"{brand(rng)} {rng.choice(_COMPANY_ENDS)}"
    if roll < 0.7:
        return f"{stem(rng)} & {stem(rng)}"
    if roll < 0.85:
        return f"{stem(rng)} {rng.choice(_COMPANY_ENDS)} {rng.choice(_COMPANY_ENDS)}"
    return brand(rng)


def _street(rng: Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(_STREET_STARTS) + stem(rng)
    return stem(rng) + rng.choice(_STREET_ENDS)


_INVENTED = {
    "first": lambda rng: stem(rng, rng.choice([1, 2])),
    "last": lambda rng: stem(rng, 2),
    "city": _place,
    "street": _street,
    "company": _company,
    "country": _place,
}


if __name__ == "__main__":
    CACHE.parent.mkdir(exist_ok=True)
    CACHE.write_text(json.dumps(_from_faker(), ensure_ascii=False), "utf-8")
