"""How sure a model was: of each token, and of each value of a document.

The probability of a value is the product over the tokens that write it, each under the mask: what
the grammar forces counts 1. The same text can be cut into other tokens (`"}` for `"` and `}`), so
of each choice all tokens count that agree with the text. A number is only that number if it ends
there, so what says that it ends (anything but another digit) counts as well.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import exp, inf, log
from typing import TYPE_CHECKING, Any

from mlxjson.validate import Failure, spans

if TYPE_CHECKING:
    from mlxjson.decode.score import Score, Scorer
    from mlxjson.task import Task

_IN_NUMBERS = frozenset(b"0123456789.eE+-")
UNSURE = "min-confidence"  # what stands for the keyword of a value that is not sure enough
_DIGITS = 6  # of a probability, and behind the point of a logarithm

Check = Callable[[str], Failure | None]


@dataclass(frozen=True, slots=True)
class TokenScore:
    """A token, the natural logarithm of its probability, and the likeliest ones in its place."""

    token: bytes
    logprob: float
    top: tuple[tuple[bytes, float], ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON, under the names that OpenAI's API has."""
        named = _named(self.token, self.logprob)
        return {**named, "top_logprobs": [_named(*t) for t in self.top]} if self.top else named


def number_ends(tokens: Sequence[bytes]) -> list[bool]:
    """Which ids end a number before them. Those without text do."""
    return [not token or token[0] not in _IN_NUMBERS for token in tokens]


def token_scores(
    tokens: Sequence[bytes], ids: Sequence[int], scores: Sequence["Score | None"]
) -> tuple[TokenScore, ...]:
    """The score of each of `ids`; those that were forced have probability 1."""
    return tuple(
        TokenScore(tokens[i], score.chosen, tuple((tokens[t], p) for t, p in score.top))
        if score is not None
        else TokenScore(tokens[i], 0.0)
        for i, score in zip(ids, scores, strict=False)
    )


def is_weighed(task: "Task") -> bool:
    """Whether a task asks how sure the model is."""
    return task.logprobs or task.confidence or task.min_confidence > 0


def scorer_of(task: "Task", tokens: Sequence[bytes]) -> "Scorer | None":
    """What scores the choices of a task; None where nobody asks."""
    if not is_weighed(task):
        return None
    from mlxjson.decode.score import scorer

    return scorer(number_ends(tokens), task.top_logprobs if task.logprobs else 0)


class Written:
    """A text, the ids that wrote it, and how likely each was.

    Args:
        text: the text, or a beginning of what the ids write.
        tokens: the bytes of every id.
        ids: the ids that wrote it.
        scores: of each id, None where it was forced; and of the stop id, if one was chosen.
    """

    def __init__(
        self,
        text: str,
        tokens: Sequence[bytes],
        ids: Sequence[int],
        scores: Sequence["Score | None"],
    ) -> None:
        self.text = text
        self.tokens = token_scores(tokens, ids, scores)
        self._scores = scores
        self._ends = list(accumulate(len(tokens[i]) for i in ids))
        self._starts = [0, *self._ends[:-1]]
        written = b"".join(tokens[i] for i in ids)
        agreed = (
            _agreeing(score, written[start:], tokens) if score is not None else 0.0
            for score, start in zip(scores, [0, *self._ends], strict=False)
        )
        self._sums = [0.0, *accumulate(agreed)]
        # Characters to bytes; the same where all is ASCII.
        self._bytes = None if text.isascii() else [0, *accumulate(len(c.encode()) for c in text)]

    def whole(self) -> float:
        """The probability of all of it, and that it ends there."""
        return _probability(self._sums[-1])

    def values(self) -> dict[str, float]:
        """The probability of each value of a JSON document but objects and arrays, by pointer."""
        found = spans(self.text).items()
        return {
            at: self._value(*span) for at, span in sorted(found, key=_place) if self._leaf(span)
        }

    def _leaf(self, span: tuple[int, int]) -> bool:
        start, end = span
        return self.text[start] not in "{[" or not self.text[start + 1 : end - 1].strip()

    def _value(self, start: int, end: int) -> float:
        begin, stop = self._byte(start), self._byte(end)
        first, behind = bisect_right(self._ends, begin), bisect_left(self._starts, stop)
        logarithm = self._sums[behind] - self._sums[first]
        if self.text[start] in "-0123456789" and self._ends[behind - 1] == stop:
            logarithm += self._ending(behind)
        return _probability(logarithm)

    def _ending(self, at: int) -> float:
        score = self._scores[at] if at < len(self._scores) else None
        return score.ending if score is not None else 0.0

    def _byte(self, character: int) -> int:
        return character if self._bytes is None else self._bytes[character]


@dataclass(frozen=True, slots=True)
class Weighed:
    """A text, why it fails or is not sure enough, and how sure the model was of it."""

    text: str
    failure: Failure | None = None
    confidence: dict[str, float] | None = None
    logprobs: tuple[TokenScore, ...] | None = None


def weigh(task: "Task", is_json: bool, written: Written, check: Check) -> Weighed:
    """What a task asks of a complete and valid text."""
    if is_json:
        values = written.values()
        text, failure = withheld(written.text, values, task.min_confidence, check)
    else:
        values = {"": written.whole()}
        text, failure = written.text, _too_unsure(values[""], task.min_confidence)
    return Weighed(
        text,
        failure,
        values if task.confidence else None,
        written.tokens if task.logprobs else None,
    )


def _agreeing(score: "Score", rest: bytes, tokens: Sequence[bytes]) -> float:
    """The logarithm of the probability of all tokens that `rest` begins with.

    Where there is nothing left, those are the ids that end the text.
    """
    total = 0.0
    for token_id, logprob in zip(*score.likely, strict=True):
        token = tokens[token_id] if token_id < len(tokens) else b""
        if (bool(token) and rest.startswith(token)) if rest else not token:
            total += exp(logprob)
    return max(log(total) if total > 0 else -inf, score.chosen)


def withheld(
    text: str, confidence: dict[str, float], least: float, check: Check
) -> tuple[str, Failure | None]:
    """The document with null for every value less likely than `least`.

    The rest of it stays as it is, byte for byte. Where null is not valid for one of them, the
    document as it was, and what is said of the first such value.
    """
    shown, failure = text, None
    for pointer, (start, end) in _unsure(text, confidence, least):
        replaced = f"{shown[:start]}null{shown[end:]}"
        if check(replaced) is None:
            shown = replaced
        else:
            failure = _failure(pointer, confidence[pointer], least, (start, end))
    return (text, failure) if failure is not None else (shown, None)


def _too_unsure(probability: float, least: float) -> Failure | None:
    return _failure("", probability, least, None) if probability < least else None


def envelope(
    result: str, confidence: dict[str, float] | None, scores: Sequence[TokenScore] | None
) -> str:
    """One line of JSON with a result, which is JSON and stays as it is, and what is known of it."""
    parts = [f'"result": {result}']
    if confidence is not None:
        parts.append(f'"confidence": {json.dumps(confidence, ensure_ascii=False)}')
    if scores is not None:
        listed = json.dumps([score.as_dict() for score in scores], ensure_ascii=False)
        parts.append(f'"logprobs": {listed}')
    return "{" + ", ".join(parts) + "}"


def _unsure(
    text: str, confidence: dict[str, float], least: float
) -> Iterator[tuple[str, tuple[int, int]]]:
    """The values below, the last one first: so the places of the others stay."""
    found = sorted(spans(text).items(), key=_place, reverse=True)
    return ((at, span) for at, span in found if confidence.get(at, 1.0) < least)


def _place(item: tuple[str, tuple[int, int]]) -> int:
    return item[1][0]


def _failure(
    pointer: str, probability: float, least: float, span: tuple[int, int] | None
) -> Failure:
    message = f"its probability is {probability:.3g}, below {least:g}"
    return Failure(pointer, UNSURE, message, span)


def _probability(logarithm: float) -> float:
    return float(f"{exp(min(logarithm, 0.0)):.{_DIGITS}g}")


def _named(token: bytes, logprob: float) -> dict[str, Any]:
    return {
        "token": token.decode(errors="replace"),
        "logprob": round(logprob, _DIGITS),
        "bytes": list(token),
    }
