"""Wordings and kinds for training alone keep clear of what validation asks."""

import itertools
import re
from collections.abc import Iterator
from random import Random

from training import extras, kindfile, wordings
from training.compose import compose
from training.grammar import Choice, parse
from training.phrases import ALONE
from training.pools import locale
from training.splits import TRAIN, VALIDATION, part
from training.values import Sheet


def said(source: str) -> Iterator[tuple[str, ...]]:
    """Every sentence of a grammar as words and signs, articles left out."""

    def texts(sequence: tuple[object, ...]) -> Iterator[str]:
        options = [
            [text for one in piece.options for text in texts(one)]
            if isinstance(piece, Choice)
            else [piece if isinstance(piece, str) else "x"]
            for piece in sequence
        ]
        yield from ("".join(chosen) for chosen in itertools.product(*options))

    for text in texts(parse(source)):
        words = re.findall(r"\w+|[^\w\s]", text)
        yield tuple(word for word in words if word not in {"the", "a", "an"})


def distance(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Words to add, drop or change."""
    row = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        before, row = row, [i]
        for j, theirs in enumerate(other, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (word != theirs)))
    return row[-1]


def test_further_sentences_differ_from_validations_in_two_words_or_more() -> None:
    held = {one for source in part(ALONE, VALIDATION) for one in said(source)}
    assert len(wordings.ALONE_MORE) >= 120
    for source in wordings.ALONE_MORE:
        for ours in said(source):
            near = [one for one in held if distance(ours, one) < 2]
            assert not near, (source, ours, near)


def test_further_wordings_of_extras_are_none_of_validations() -> None:
    for forms, more in extras.MORE.items():
        assert len(more) >= 15
        held = {one for source in part(forms, VALIDATION) for one in said(source)}
        assert not held & {one for source in more for one in said(source)}


def test_kinds_for_training_alone_stay_there() -> None:
    ours = {kind.name for kind in kindfile.kinds() if kind.ours}
    assert len(ours) >= 25
    assert ours <= {kind.name for kind in kindfile.kinds_of(TRAIN)}
    for held_out in (False, True):
        assert not ours & {kind.name for kind in kindfile.kinds_of(VALIDATION, held_out)}


def held(kind: kindfile.Kind, wordings: list[str]) -> list[str]:
    return wordings if kind.held_out else part(wordings, VALIDATION)


def test_kinds_for_training_alone_say_nothing_that_validation_says() -> None:
    theirs: set[tuple[str, ...]] = set()
    ours: set[tuple[str, ...]] = set()
    for kind in kindfile.kinds():
        evidence = [w for one in kind.fields.values() for w in one.evidence.values()]
        for sources in (*evidence, kind.clauses, kind.openers, kind.noise):
            chosen = sources if kind.ours else held(kind, sources)
            (ours if kind.ours else theirs).update(one for s in chosen for one in said(s))
    # Two words and two values, as "from x to y", belong to nobody.
    long = {one for one in ours if len([word for word in one if word != "x"]) > 2}
    assert len(long) > 1000
    assert not long & theirs


def test_every_value_that_a_text_tells_stands_in_it() -> None:
    rng = Random(4)
    for kind in kindfile.kinds_of(TRAIN):
        if kind.ours:
            sheet = Sheet(rng, TRAIN, locale(rng))
            made = compose(kind, sheet)
            names = [key for key in made.told if kind.fields.get(key) and key != "currency"]
            copied = [sheet.values[key].gold for key in names if sheet.values[key].kind == "text"]
            assert all(gold in made.text for gold in copied), (kind.name, made.text)


def test_a_flag_is_told_by_one_side_only() -> None:
    rng = Random(8)
    sides = {tuple(side): n for n, flag in enumerate(extras.flags()) for side in flag[:2]}
    drawn: list[int] = []
    for kind in kindfile.kinds_of(TRAIN) * 4:
        fields = extras.with_extras(kind, rng, TRAIN).fields
        flags = [sides[tuple(f.aliases)] for f in fields.values() if tuple(f.aliases) in sides]
        assert len(set(flags)) == len(flags)
        drawn += flags
    assert len(set(drawn)) > 50
