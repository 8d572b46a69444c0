"""Keywords for strings: lengths, `pattern` and `format`, put together as one regular language.

Source: JSON Schema validation 2020-12, sections 6.3 (strings) and 7 (format, as an assertion).
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.regular import Language
from mlxjson.schema.items import STRING, Excluded, Gap, Item, Items, StringFacet, Types
from mlxjson.schema.places import Place
from mlxjson.schema.shapes import String

KEYWORDS = frozenset({"minLength", "maxLength", "pattern", "format"})
FORMATS = frozenset({
    "date", "date-time", "duration", "email", "hostname", "idn-email", "idn-hostname", "ipv4",
    "ipv6", "iri", "iri-reference", "json-pointer", "regex", "relative-json-pointer", "time", "uri",
    "uri-reference", "uri-template", "uuid",
})  # fmt: skip


def read(place: Place, schema: Mapping[str, Any], keywords: frozenset[str]) -> Iterator[Item]:
    """One facet for each keyword."""
    present = schema.keys() & keywords
    if "minLength" in present:
        yield StringFacet(place, "minLength", min_length=count(place, "minLength"))
    if "maxLength" in present:
        yield StringFacet(place, "maxLength", max_length=count(place, "maxLength"))
    if "pattern" in present:
        if not isinstance(schema["pattern"], str):
            raise place.error("pattern must be a string", "pattern")
        yield StringFacet(place, "pattern", source=("pattern", schema["pattern"]))
    if "format" in present:
        yield from _format(place, schema["format"])


def _format(place: Place, name: Any) -> Iterator[Item]:
    """A known format, whatever the draft; one that nobody knows is a mere annotation."""
    if not isinstance(name, str) or name not in FORMATS:
        return
    if format_language(name) is None:
        yield Gap(place, "format", f"the format {name} is only checked afterwards", STRING)
    else:
        yield StringFacet(place, "format", source=("format", name))


def count(place: Place, keyword: str) -> int:
    """The value of a keyword that must be a whole number from 0 up."""
    value = place.schema[keyword]
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if not number or value != value // 1:  # infinity // 1 is not a number
        raise place.error(f"{keyword} must be a whole number", keyword)
    if value < 0:
        raise place.error(f"{keyword} must not be negative", keyword)
    return int(value)


def negate(facet: StringFacet) -> tuple[Items, ...]:
    """A string of another length, or outside the language."""
    place, keyword = facet.place, facet.keyword
    string = Types(STRING, place, keyword)
    branches: list[Items] = []
    if facet.min_length:
        branches.append((string, StringFacet(place, keyword, max_length=facet.min_length - 1)))
    if facet.max_length is not None:
        branches.append((string, StringFacet(place, keyword, min_length=facet.max_length + 1)))
    if facet.source:
        inverse = StringFacet(place, keyword, source=facet.source, negated=not facet.negated)
        branches.append((string, inverse))
    return tuple(branches)


def shape(
    facets: list[StringFacet], excluded: Excluded | None = None
) -> tuple[String | None, list[Gap]]:
    """All facets together (None: no string satisfies them), and those that had to be left out."""
    shortest, longest = 0, None
    parts: list[Language] = []
    gaps: list[Gap] = []
    for facet in facets:
        shortest = max(shortest, facet.min_length)
        if facet.max_length is not None:
            longest = facet.max_length if longest is None else min(longest, facet.max_length)
        if facet.source or facet.language is not None:
            try:
                parts.append(language_of(facet))
            except ConstraintError as error:
                gaps.append(Gap(facet.place, facet.keyword, error.message, STRING))
        if facet.negated and not is_whole(facet):
            reason = "what is not of that format is only checked afterwards"
            gaps.append(Gap(facet.place, facet.keyword, reason, STRING))
    if longest is not None and shortest > longest:
        return None, []
    words = (
        [value for value in excluded.values.values() if isinstance(value, str)] if excluded else []
    )
    if not parts and not words:
        return String(None, shortest, longest), gaps
    try:
        if words:
            parts.append(all_but(tuple(sorted(words))))
        language = together(tuple(parts), shortest, longest)
    except ConstraintError as error:
        left_out: list[StringFacet | Excluded] = [*facets, *([excluded] if excluded else [])]
        gaps += [Gap(item.place, item.keyword, error.message, STRING) for item in left_out]
        return String(None, shortest, longest), gaps
    return (String(language) if language else None), gaps


@lru_cache(maxsize=1024)
def _language(kind: str, text: str, exact: bool) -> Language:
    if kind == "pattern":
        return Language.pattern(text, dialect="ecma", anchored=False, own=exact)
    language = format_language(text)
    assert language is not None
    return language


def format_language(name: str) -> Language | None:
    """The strings of a format; None where no regular language says what they are."""
    from mlxjson.schema import formats

    return formats.format_language(name)


@lru_cache(maxsize=1024)
def _complement(kind: str, text: str) -> Language:
    return ~_language(kind, text, True)


def language_of(facet: StringFacet, exact: bool = False) -> Language:
    """The words of a facet's pattern or format. Raises ConstraintError where it has none.

    Without `exact` they are, where readings of a pattern differ, only those of all readings: what
    is to be written, not what a complement or a verdict may rely on.
    """
    if facet.language is not None:
        return facet.language
    assert facet.source
    kind, text = facet.source
    return _complement(kind, text) if facet.negated else _language(kind, text, exact)


def is_whole(facet: StringFacet) -> bool:
    """Whether the language holds every string meant, so that its complement can be relied on."""
    if facet.source is None or facet.source[0] != "format":
        return True
    from mlxjson.schema import formats

    return formats.is_exact(facet.source[1])


def pattern(text: str) -> Language:
    """The names that `patternProperties` means by `text`."""
    return _language("pattern", text, True)


@lru_cache(maxsize=1024)
def all_but(words: tuple[str, ...]) -> Language:
    """Every string but `words`."""
    return ~Language.literals(words) if words else Language.everything()


@lru_cache(maxsize=1024)
def together(
    parts: tuple[Language, ...], shortest: int = 0, longest: int | None = None
) -> Language | None:
    """The words that are in all of `parts` and of the right length; None if there are none."""
    language = parts[0]
    for part in parts[1:]:
        language = language & part
    if not _has_length(language, shortest, longest):
        language = language & Language.length(shortest, longest)
    return None if language.is_empty() else language


def _has_length(language: Language, shortest: int, longest: int | None) -> bool:
    """Whether all words have the right length already."""
    if shortest == 0 and longest is None:
        return True
    if language.is_empty():
        return True
    if (language.min_length() or 0) < shortest:
        return False
    most = language.max_length()
    return longest is None or (most is not None and most <= longest)
