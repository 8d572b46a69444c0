"""Numbers, amounts, dates and times as people write them, with the values they stand for."""

from datetime import date, timedelta
from random import Random

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
MONTHS = (
    "January February March April May June July August September October November December"
).split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_GERMAN = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
_FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
_SPANISH = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_ITALIAN = (
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
)

# code: signs before, signs after, words
CURRENCIES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "EUR": (["€", "EUR ", "€ "], [" €", " EUR", "€"], ["euros", "euro"]),
    "USD": (["$", "US$", "USD "], [" USD", " dollars"], ["dollars", "US dollars"]),
    "GBP": (["£", "GBP "], [" GBP", " pounds"], ["pounds", "pounds sterling"]),
    "CHF": (["CHF ", "Fr. "], [" CHF", " francs"], ["Swiss francs", "francs"]),
    "JPY": (["¥", "JPY "], [" yen", " JPY"], ["yen"]),
    "SEK": (["SEK "], [" SEK"], ["Swedish kronor"]),
    "NOK": (["NOK "], [" NOK"], ["Norwegian kroner"]),
    "PLN": (["PLN "], [" zł", " PLN"], ["zloty"]),
    "INR": (["₹", "Rs. ", "INR "], [" INR", " rupees"], ["rupees"]),
    "CAD": (["CA$", "CAD "], [" CAD"], ["Canadian dollars"]),
    "AUD": (["A$", "AUD "], [" AUD"], ["Australian dollars"]),
    "CZK": (["CZK "], [" Kč", " CZK"], ["Czech crowns"]),
    "BRL": (["R$ ", "R$"], [" BRL"], ["reais"]),
}


def words(number: int) -> str:
    """An integer under a million in English words."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_ONES[hundreds]} hundred" + (f" and {words(rest)}" if rest else "")
    thousands, rest = divmod(number, 1000)
    return f"{words(thousands)} thousand" + (f" {words(rest)}" if rest else "")


def ordinal(number: int) -> str:
    """3 -> 3rd."""
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"{number}{suffix or 'th'}"


def ordinal_word(number: int) -> str:
    """3 -> third, up to twelve."""
    names = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
    return names.split()[number - 1] if 1 <= number <= 12 else ordinal(number)


def integer_text(number: int, rng: Random, plain: bool = False) -> str:
    """A whole number in digits (grouped or not), words or a short form."""
    if plain or number < 0:
        return str(number)
    roll = rng.random()
    if number == 12 and roll < 0.15:
        return "a dozen"
    if number <= 20 and roll < 0.35:
        return words(number)
    if number <= 100 and roll < 0.12:
        return words(number)
    if number >= 1000:
        return _large_text(number, rng, roll)
    if number >= 100 and number % 100 == 0 and roll < 0.2:
        return words(number)
    return str(number)


def _large_text(number: int, rng: Random, roll: float) -> str:
    if number % 1_000_000 == 0 and roll < 0.5:
        return f"{number // 1_000_000} million"
    if number >= 1_000_000 and number % 100_000 == 0 and roll < 0.5:
        return f"{number / 1_000_000:.1f} million"
    if number % 1000 == 0 and roll < 0.16:
        return rng.choice([f"{number // 1000}k", f"{number // 1000}K", words(number)])
    if number % 100 == 0 and number < 100_000 and roll < 0.05:
        return f"{number / 1000:.1f}k"
    if roll < 0.62:
        return f"{number:,}"
    return str(number) if roll < 0.85 else f"{number:,}".replace(",", rng.choice([".", " ", "'"]))


def decimal_text(number: float, rng: Random, places: int) -> str:
    """A decimal number with point, or now and then with comma."""
    shown = f"{number:.{places}f}"
    return shown.replace(".", ",") if rng.random() < 0.08 else shown


def amount_text(amount: float, code: str | None, rng: Random) -> str:
    """An amount of money, with or without its currency."""
    before, after, names = CURRENCIES[code or "EUR"]
    if code and amount == int(amount) and amount < 1000 and rng.random() < 0.05:
        return f"{words(int(amount))} {names[0]}"
    if code and amount >= 100_000 and amount % 100_000 == 0 and rng.random() < 0.6:
        return f"{before[0]}{amount / 1e6:g} million"
    continental = code in {"EUR", "PLN", "CZK", "SEK", "NOK", "BRL"} and rng.random() < 0.3
    digits = _amount_digits(amount, code, rng, continental)
    if code is None:
        return digits
    if rng.random() < 0.25:
        return f"{digits} {rng.choice(names)}"
    if continental or rng.random() < 0.35:
        return digits + rng.choice(after)
    return rng.choice(before) + digits


def _amount_digits(amount: float, code: str | None, rng: Random, continental: bool) -> str:
    places = 0 if amount == int(amount) and rng.random() < 0.75 else 2
    if amount >= 1000 and rng.random() < 0.25:
        digits = f"{amount:.{places}f}"
        return digits.replace(".", ",") if continental else digits
    digits = f"{amount:,.{places}f}"
    if continental:
        return digits.translate(str.maketrans(",.", rng.choice([".,", " ,"])))
    if code == "CHF" and rng.random() < 0.5:
        return digits.replace(",", "'")
    return digits


def random_date(rng: Random, first: int, last: int) -> date:
    """A day between the starts of two years."""
    start = date(first, 1, 1)
    return start + timedelta(days=rng.randrange((date(last, 1, 1) - start).days))


def date_text(day: date, rng: Random) -> tuple[str, bool]:
    """A date as written, and whether a weekday stands in it."""
    month, short = MONTHS[day.month - 1], MONTHS[day.month - 1][:3]
    comma = rng.choice(["", ","])
    common = [
        f"{day.day} {month} {day.year}",
        f"{month} {day.day}, {day.year}",
        f"{day.day} {short} {day.year}",
        f"{short} {day.day}, {day.year}",
        f"{day:%d.%m.%Y}",
        f"{day.day}.{day.month}.{day.year}",
        day.isoformat(),
        f"{month} {ordinal(day.day)}{comma} {day.year}",
        f"{ordinal(day.day)} {month} {day.year}",
        f"{ordinal(day.day)} of {month} {day.year}",
        f"{day:%Y/%m/%d}",
        f"{day.day:02d}-{short}-{day.year}",
    ]
    if day.day > 12:
        common += [f"{day:%d/%m/%Y}", f"{day:%m/%d/%Y}", f"{day.day}/{day.month}/{day.year}"]
    roll = rng.random()
    if roll < 0.06:
        return f"{WEEKDAYS[day.weekday()]}, {day.day} {month} {day.year}", True
    if roll < 0.1:
        return f"{WEEKDAYS[day.weekday()]} {month} {day.day}, {day.year}", True
    if roll < 0.16:
        return _foreign_date(day, rng), False
    return rng.choice(common), False


def _foreign_date(day: date, rng: Random) -> str:
    month = day.month - 1
    return rng.choice(
        [
            f"{day.day}. {_GERMAN.split()[month]} {day.year}",
            f"{day.day} {_FRENCH.split()[month]} {day.year}",
            f"{day.day} de {_SPANISH.split()[month]} de {day.year}",
            f"{day.day} {_ITALIAN.split()[month]} {day.year}",
        ]
    )


def time_text(hour: int, minute: int, rng: Random) -> str:
    """A time of day in one of many styles."""
    half = "am" if hour < 12 else "pm"
    twelve = (hour - 1) % 12 + 1
    choices = [f"{hour}:{minute:02d}", f"{hour:02d}:{minute:02d}", f"{hour:02d}:{minute:02d}"]
    choices += [f"{twelve}:{minute:02d} {half}", f"{twelve}:{minute:02d}{half}"]
    choices += [f"{hour}.{minute:02d}"] if rng.random() < 0.3 else []
    if minute == 0:
        choices += [f"{twelve} {half}", f"{twelve}{half}", f"{twelve} {half[0]}.m."]
        choices += [f"{hour} o'clock"] if hour <= 12 else []
    return rng.choice(choices)
