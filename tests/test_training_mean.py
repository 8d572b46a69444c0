"""The mean of adapters is the mean of the changes they make."""

import numpy as np

from training.mean import Pair, mean


def pair(seed: int, rank: int = 2) -> Pair:
    chance = np.random.default_rng(seed)
    b, a = chance.normal(size=(7, rank)), chance.normal(size=(rank, 5))
    return b.astype(np.float16), a.astype(np.float16)


def product(one: Pair) -> np.ndarray:
    return one[0].astype(np.float32) @ one[1].astype(np.float32)


def test_of_one_adapter_it_is_the_adapter() -> None:
    one = pair(1)
    assert np.allclose(product(mean([one])), product(one), atol=0.02)


def test_where_the_rank_suffices_it_is_exact() -> None:
    b, a = pair(1, 4)
    halves = [(b * [1, 1, 0, 0], a), (b * [0, 0, 1, 1], a), (b * [1, 1, 1, 1], a)]
    found = mean([(np.asarray(b, np.float16), a) for b, a in halves])
    assert np.allclose(product(found), product((b, a)) * 2 / 3, atol=0.02)


def test_else_it_is_the_nearest_of_that_rank() -> None:
    pairs = [pair(1), pair(2)]
    wanted = (product(pairs[0]) + product(pairs[1])) / 2
    u, s, v = np.linalg.svd(wanted)
    assert np.allclose(product(mean(pairs)), (u[:, :2] * s[:2]) @ v[:2], atol=0.03)
