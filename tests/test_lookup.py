"""What is guessed for drafts: how the latest earlier occurrence of the same text goes on."""

from collections.abc import Sequence

import pytest

from mlxjson.background import in_background
from mlxjson.decode.draft import Pace, PromptLookup
from mlxjson.lookup import SpelledLookup
from tests.batch_helpers import Model, session_of

WORDS = (b"Lindholm", b" Lindholm", b" Conservatory", b"L", b"ind", b"holm", b'": "', b" at the ")
WORDS += (b" 19", b"79", b"1", b"9", b"7", b" in", b" ", b'"', b"\xc3", b"\xa9", b"Graz", b"\n")
WORDS += tuple(bytes([i]) for i in range(256) if bytes([i]) not in WORDS)


def ids(*words: bytes) -> list[int]:
    return [WORDS.index(word) for word in words]


def cut(text: str) -> list[int]:
    """The longest words first."""
    data, found = text.encode(), []
    while data:
        word = max((w for w in WORDS if data.startswith(w)), key=len)
        found.append(WORDS.index(word))
        data = data[len(word) :]
    return found


def said(*words: bytes) -> SpelledLookup:
    lookup = SpelledLookup(WORDS, cut)
    lookup.extend(ids(*words))
    return lookup


def written(guess: Sequence[int]) -> bytes:
    return b"".join(WORDS[i] for i in guess)


PROMPT = (b" at the ", b"\n", b" Lindholm", b" Conservatory", b" in", b" 19", b"79", b"\n")


def test_a_value_begun_with_other_tokens_is_still_found() -> None:
    lookup = said(*PROMPT, b'": "', b"L")
    assert written(lookup.guess([], 8)).startswith(b"indholm Conservatory in")
    assert written(lookup.guess(ids(b"ind"), 8)).startswith(b"holm Conservatory")


def test_a_guess_is_cut_as_the_tokenizer_cuts_it_and_no_longer_than_asked() -> None:
    lookup = said(*PROMPT, b'": "', b"L", b"ind")
    assert list(lookup.guess([], 2)) == ids(b"holm", b" Conservatory")
    assert lookup.guess([], 0) == []


def test_behind_an_opening_quote_nothing_is_guessed() -> None:
    assert said(*PROMPT, b'": "').guess([], 8) == ()
    assert SpelledLookup(WORDS, cut).guess([], 8) == ()


def test_the_longest_match_wins_and_then_the_latest() -> None:
    lookup = said(b" 19", b"7", b"\n", b"79", b"\n", b" 19", b"9", b"\n", b" 19")
    assert written(lookup.guess([], 1)) == b"9"
    lookup.extend(ids(b"7"))
    assert written(lookup.guess([], 1)) == b"\n"


def test_what_was_written_is_looked_up_too() -> None:
    lookup = said(b'"', b"Graz", b" at the ", b'"', b" ", b'"', b"Graz")
    assert written(lookup.guess([], 1)) == b" at the "


def test_a_tokenizer_that_adds_text_of_its_own_is_not_trusted() -> None:
    lookup = SpelledLookup(WORDS, lambda text: cut(" " + text))
    lookup.extend(ids(b"L", b"ind", b"holm", b" in", b"L", b"ind"))
    by_ids = PromptLookup()
    by_ids.extend(ids(b"L", b"ind", b"holm", b" in", b"L", b"ind"))
    assert list(lookup.guess([], 2)) == list(by_ids.guess([], 2)) == ids(b"holm", b" in")


def test_ids_that_write_nothing_and_padding_do_no_harm() -> None:
    lookup = SpelledLookup(WORDS, cut)
    lookup.extend([*ids(b"Graz", b" in"), 999, *ids(b"Graz")])
    assert written(lookup.guess([], 1)) == b" in"


def test_inside_a_code_point_the_ids_themselves_are_looked_up() -> None:
    guess = said(b"Graz", b"\xc3", b"\xa9", b"Graz", b"\xc3").guess([], 2)
    assert written(guess) == b"\xa9Graz"


def test_the_pace_follows_what_was_right_between_two_ids_and_the_most() -> None:
    pace = Pace(16)
    lengths = [pace.next()]
    for drafted, accepted in ((8, 8), (16, 16), (16, 3), (16, 0), (8, 0), (0, 0)):
        pace.note(drafted, accepted)
        lengths.append(pace.next())
    assert lengths == [8, 16, 16, 16, 8, 4, 4]
    pace.note(2, 2)
    assert pace.next() == 8


def test_where_nothing_is_ever_right_drafts_become_rare() -> None:
    pace = Pace(8)
    drafts = []
    for _ in range(1000):
        length = pace.next()
        drafts.append(length)
        pace.note(length, 0)
    assert drafts[:4] == [4, 2, 2, 0]
    assert sum(length > 0 for length in drafts[200:]) == 50


def test_one_right_id_ends_the_pauses() -> None:
    pace = Pace(8)
    for _ in range(100):
        pace.note(pace.next(), 0)
    while not (length := pace.next()):
        pass
    pace.note(length, 1)
    assert pace.next() == length


def test_without_drafts_there_is_no_pace_and_one_is_one() -> None:
    for most in (0, 1):
        pace = Pace(most)
        pace.note(most, most)
        assert pace.next() == most


@pytest.mark.parametrize(("device", "length"), [("cpu", 16), ("metal", 16), ("cuda", 0)])
def test_where_a_pass_over_several_tokens_is_dear_nothing_is_drafted(
    device: str, length: int
) -> None:
    session = session_of(Model(device=device))
    assert session.draft_length == length
    session.drafter = in_background(Model)
    assert session.draft_length == 16
