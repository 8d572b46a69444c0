"""How many rows are worked on at once when nobody says."""

from collections.abc import Callable

import pytest

from mlxjson.batch.settings import parse_width
from mlxjson.batch.width import Width
from mlxjson.errors import UsageError
from mlxjson.model.memory import sequences_that_fit


def settled(most: int, seconds: Callable[[int], float]) -> list[int]:
    """The widths gone through when a step over n rows takes `seconds(n)`."""
    width, seen = Width(None, most), []
    for _ in range(200):
        seen.append(width.now)
        width.note(width.now, seconds(width.now))
    return list(dict.fromkeys(seen))


def test_it_grows_while_rows_move_on_faster_together() -> None:
    assert settled(64, lambda n: 1.0) == [8, 16, 32, 64]
    assert settled(20, lambda n: 1.0) == [8, 16, 20]
    assert settled(3, lambda n: 1.0) == [3]


def test_it_goes_back_where_more_rows_gain_nothing() -> None:
    widths = settled(64, lambda n: max(1.0, n / 16))
    assert widths == [8, 16, 32]
    width = Width(None, 64)
    for _ in range(200):
        width.note(width.now, float(width.now))
    assert width.now == 8


def test_steps_that_are_not_full_say_nothing() -> None:
    width = Width(None, 64)
    for _ in range(100):
        width.note(3, 1.0)
    assert width.now == 8


def test_a_width_that_is_given_is_kept() -> None:
    width = Width(5, 64)
    for _ in range(100):
        width.note(5, 1.0)
    assert (width.now, width.most) == (5, 5)


def test_what_batch_takes() -> None:
    assert parse_width("auto") is None
    assert parse_width("12") == 12
    for wrong in ("0", "-1", "many", "1.5", ""):
        with pytest.raises(UsageError):
            parse_width(wrong)


def test_sequences_are_counted_by_the_memory_of_their_caches() -> None:
    small = {"num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 64}
    assert sequences_that_fit(small, "cpu") == 64
    huge = {"num_hidden_layers": 500, "num_attention_heads": 500, "hidden_size": 500_000}
    assert sequences_that_fit(huge, "cpu") == 1
