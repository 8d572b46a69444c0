"""Examples put together into batches of arrays, in numpy alone."""

from random import Random

import numpy as np

from training.tokenise import Encoded

LONGEST = 1536

# ids, places and weights: what `padded` makes.
Batch = tuple[np.ndarray, np.ndarray, np.ndarray]


def batches(shard: list[Encoded], tokens: int, rng: Random) -> list[Batch]:
    """Examples of like length together, at most `tokens` ids without padding, in chance order."""
    ranked = sorted((e for e in shard if len(e.ids) <= LONGEST), key=lambda e: len(e.ids))
    found: list[list[Encoded]] = [[]]
    for one in ranked:
        if len(one.ids) * (len(found[-1]) + 1) > tokens:
            found.append([])
        found[-1].append(one)
    rng.shuffle(found)
    return [padded(batch) for batch in found if batch]


def padded(batch: list[Encoded]) -> Batch:
    """int32 ids (rows, longest), 0 at the right; int32 places (n,); float32 weights (n,).

    The next id after a place of `ids[:, :-1]`, laid flat, belongs to an answer; n counts these.
    """
    # One more than a multiple of 32: the last id is never an input. Few shapes compile sooner.
    longest = -(-max(len(e.ids) - 1 for e in batch) // 32) * 32 + 1
    ids = np.zeros((len(batch), longest), np.int32)
    weights = np.zeros((len(batch), longest), np.float32)
    for row, one in enumerate(batch):
        ids[row, : len(one.ids)] = one.ids
        weights[row, : len(one.ids)] = one.weights
    following = weights[:, 1:].reshape(-1)
    places = np.flatnonzero(following)
    return ids, places.astype(np.int32), following[places]
