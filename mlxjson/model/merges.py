"""SentencePiece scores -> BPE merges."""

from collections.abc import Mapping, Sequence


def merges_from_scores(
    vocabulary: Mapping[str, int], scores: Sequence[float]
) -> list[tuple[str, str]]:
    """All pairs of pieces that make a piece, best score first.

    SentencePiece's BPE merges, of all neighbours, the pair whose joined piece scores best; a list
    of merges in that order does the same. Pairs that make the same piece go by their own ids.
    """
    ranked: list[tuple[float, int, int, str, str]] = []
    for piece, token_id in vocabulary.items():
        for cut in range(1, len(piece)):
            left, right = piece[:cut], piece[cut:]
            if left in vocabulary and right in vocabulary:
                key = (-scores[token_id], vocabulary[left], vocabulary[right])
                ranked.append((*key, left, right))
    ranked.sort()
    return [(left, right) for *_, left, right in ranked]
