"""The probabilities of the options of a choice are exact."""

from collections.abc import Sequence

import numpy as np
import pytest

from mlxjson.constraint import Choice
from mlxjson.decode.continuations import Continuations
from mlxjson.decode.loop import Decoder, Switches
from mlxjson.decode.sample import Sampling
from mlxjson.enforcement import enforcement
from mlxjson.grammar import Engine, Matcher
from mlxjson.grammar.mask import allowed_ids, empty_mask
from mlxjson.probabilities import Probabilities, table
from tests.scripted import (
    STOP,
    TOKENS,
    ScriptedNetwork,
    encode,
    random_logits,
    vocabulary,
)

PROMPT = encode("which one?")
CHOICES = [
    ("yes", "no"),
    ("a", "ab", "abc"),
    ("abab", "abc", "ab12", "b"),
    ("the null", "the true", "the 12", "null"),
    ("", "a"),
    ("é", "è", "😀"),
    ("only",),
    ("item 1", "item 12", "item 2"),
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(vocabulary(), encode=encode)


def matcher_of(engine: Engine, options: Sequence[str]) -> Matcher:
    source = enforcement(Choice(tuple(options))).source
    assert source is not None
    return engine.compile(source).matcher()


def enumerate_into(
    found: dict[str, float], matcher: Matcher, path: list[int], mass: float, *, jump: bool
) -> None:
    """Follow every way to write every option, one id after the other: slow, and obvious."""
    for token_id in matcher.forced_ids(100) if jump else []:
        matcher.accept(token_id)
        path = [*path, token_id]
    row = empty_mask(len(TOKENS))
    matcher.fill(row)
    allowed = allowed_ids(row)
    weights = np.exp(random_logits([*PROMPT, *path])[allowed].astype(np.float64))
    for token_id, share in zip(allowed.tolist(), weights / weights.sum(), strict=True):
        if token_id == STOP:
            found[b"".join(TOKENS[i] for i in path).decode()] += mass * share
            continue
        ahead = matcher.fork()
        assert ahead.accept(token_id)
        enumerate_into(found, ahead, [*path, token_id], mass * share, jump=jump)


def all_ways(engine: Engine, options: Sequence[str], *, jump: bool) -> dict[str, float]:
    found = dict.fromkeys(options, 0.0)
    enumerate_into(found, matcher_of(engine, options), [], 1.0, jump=jump)
    return found


def computed(
    engine: Engine, options: Sequence[str], *, jump: bool, trims: bool = True
) -> tuple[dict[str, float], ScriptedNetwork]:
    network = ScriptedNetwork(trims=trims)
    scores = Continuations(network, PROMPT)
    network.passes = 0
    found = Probabilities(options, vocabulary(), scores.logits, jump=jump)
    return found.of(matcher_of(engine, options)), network


@pytest.mark.parametrize("jump", [True, False])
@pytest.mark.parametrize("options", CHOICES)
def test_they_are_those_of_all_ways_to_write_an_option(
    engine: Engine, options: tuple[str, ...], jump: bool
) -> None:
    probabilities, _ = computed(engine, options, jump=jump)
    expected = all_ways(engine, options, jump=jump)
    assert list(probabilities) == list(options)
    for option in options:
        assert probabilities[option] == pytest.approx(expected[option], abs=1e-4)
    assert sum(probabilities.values()) == pytest.approx(1)


def test_options_that_differ_at_once_take_one_pass(engine: Engine) -> None:
    probabilities, network = computed(engine, ("refund", "delivery", "praise"), jump=True)
    assert network.passes == 1
    assert sum(probabilities.values()) == pytest.approx(1)


def test_what_all_options_share_takes_no_pass(engine: Engine) -> None:
    _, network = computed(engine, ("the refund", "the delivery", "the praise"), jump=True)
    assert network.passes == 1


def test_a_single_option_is_certain_without_a_pass(engine: Engine) -> None:
    probabilities, network = computed(engine, ("only",), jump=True)
    assert probabilities == {"only": 1.0}
    assert network.passes == 0


def test_a_cache_that_cannot_be_trimmed_gives_the_same(engine: Engine) -> None:
    for options in CHOICES:
        plain, _ = computed(engine, options, jump=True)
        again, _ = computed(engine, options, jump=True, trims=False)
        assert plain == again


def test_thousands_of_options_with_one_beginning_end(engine: Engine) -> None:
    options = tuple(f"{first}{n:04}" for first in "ab" for n in range(2000))
    probabilities, network = computed(engine, options, jump=True)
    assert network.passes <= 256
    assert sum(probabilities.values()) == pytest.approx(1)
    assert len(probabilities) == 4000


def test_they_are_how_often_each_is_drawn_at_temperature_one(engine: Engine) -> None:
    options = ("abab", "abc", "b", "null")
    probabilities, _ = computed(engine, options, jump=True)
    drawn = dict.fromkeys(options, 0)
    for seed in range(300):
        decoder = Decoder(
            ScriptedNetwork(),
            matcher_of(engine, options),
            sampling=Sampling(temperature=1.0, seed=seed),
            max_tokens=20,
            switches=Switches(),
        )
        ids = [*decoder.start(PROMPT), *(i for group in decoder.run() for i in group)]
        drawn[b"".join(TOKENS[i] for i in ids).decode()] += 1
    for option in options:
        # Four standard deviations of a share of 300 draws are below 0.12.
        assert drawn[option] / 300 == pytest.approx(probabilities[option], abs=0.12)


def test_a_terminal_shows_the_likeliest_first() -> None:
    lines = table({"no": 0.25, "yes, surely": 0.75}).splitlines()
    assert [line.split("  ")[0].strip() for line in lines] == ["yes, surely", "no"]
    assert "75.00%" in lines[0]
