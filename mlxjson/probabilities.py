"""How likely each option of a choice is: exactly, not by drawing many times.

The probability of an option is that with which `choice` gives it at temperature 1: under the mask
of its grammar, with what is forced written for the model. A token that only one option goes on
from gives all of its probability to that option, so the model is asked once, and again only behind
tokens that leave several options open. All of them together have probability 1.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

import mlx.core as mx
import numpy as np

from mlxjson.decode import mask
from mlxjson.decode.score import log_probabilities
from mlxjson.grammar import Matcher
from mlxjson.grammar.mask import allowed_ids

if TYPE_CHECKING:
    from mlxjson.vocabulary import Vocabulary

# Less than this is not looked into: it is shared out among all in proportion.
_NOTHING = 1e-6
_MOST_PASSES = 256
_LONGEST_FORCED = 4096
_WIDEST, _BAR = 40, 30  # characters

Logits = Callable[[Sequence[int]], mx.array]


@dataclass(order=True, slots=True)
class _Node:
    """Ids that leave several options open. The likeliest comes first."""

    order: tuple[float, int]
    matcher: Matcher = field(compare=False)
    path: list[int] = field(compare=False)
    written: bytes = field(compare=False)

    @property
    def probability(self) -> float:
        return -self.order[0]


class Probabilities:
    """The probabilities of the options of a choice.

    Args:
        options: texts, all different.
        vocabulary: of the model.
        logits: the model's logits (1, width) behind the prompt and some ids.
        jump: write what is forced without asking the model.

    Attributes:
        open: how much probability could not be told apart within the passes there may be.
    """

    def __init__(
        self, options: Sequence[str], vocabulary: "Vocabulary", logits: Logits, *, jump: bool = True
    ) -> None:
        self.open = 0.0
        self._options = options
        self._sorted = sorted(option.encode() for option in options)
        self._shares = dict.fromkeys(self._sorted, 0.0)
        self._tokens = vocabulary.tokens
        self._logits = logits
        self._jump = jump
        self._nodes: list[_Node] = []
        self._numbers = count()

    def of(self, matcher: Matcher) -> dict[str, float]:
        """The probability of each option, in their order; `matcher` stands at the start."""
        self._visit(matcher, [], b"", 1.0)
        passes = 0
        while self._nodes and passes < _MOST_PASSES:
            self._expand(heappop(self._nodes))
            passes += 1
        self.open += sum(node.probability for node in self._nodes)
        total = sum(self._shares.values()) or 1.0
        return {option: self._shares[option.encode()] / total for option in self._options}

    def _visit(self, matcher: Matcher, path: list[int], written: bytes, mass: float) -> None:
        """Give `mass` to the one option that is left, or look into what comes next later."""
        for token_id in matcher.forced_ids(_LONGEST_FORCED) if self._jump else ():
            matcher.accept(token_id)
            path = [*path, token_id]
            written += self._tokens[token_id]
        left = self._left(written)
        if len(left) == 1:
            self._shares[left[0]] += mass
        elif mass > _NOTHING:
            heappush(self._nodes, _Node((-mass, next(self._numbers)), matcher, path, written))
        else:
            self.open += mass

    def _expand(self, node: _Node) -> None:
        logits = self._logits(node.path)
        row = mask.empty_rows(1, max(logits.shape[-1], node.matcher.width))
        node.matcher.fill(row[0, : mask.words(node.matcher.width)])
        logarithms = np.array(log_probabilities(mask.apply(logits, row)))[0]
        for token_id in allowed_ids(row[0]).tolist():
            self._follow(node, token_id, node.probability * float(np.exp(logarithms[token_id])))

    def _follow(self, node: _Node, token_id: int, mass: float) -> None:
        text = self._tokens[token_id]
        if not text:  # a stop id
            self._shares[node.written] += mass
            return
        left = self._left(node.written + text)
        if len(left) == 1:
            self._shares[left[0]] += mass
        elif mass <= _NOTHING:
            self.open += mass
        else:
            matcher = node.matcher.fork()
            matcher.accept(token_id)
            self._visit(matcher, [*node.path, token_id], node.written + text, mass)

    def _left(self, written: bytes) -> list[bytes]:
        """At most two of the options that begin with `written`."""
        at = bisect_left(self._sorted, written)
        return [o for o in self._sorted[at : at + 2] if o.startswith(written)]


def rounded(probabilities: dict[str, float]) -> dict[str, float]:
    """With six digits, as it is printed."""
    return {option: float(f"{value:.6g}") for option, value in probabilities.items()}


def table(probabilities: dict[str, float]) -> str:
    """Lines for a terminal, the likeliest option first."""
    width = min(max(map(len, probabilities)), _WIDEST)
    ranked = sorted(probabilities.items(), key=lambda item: -item[1])
    return "\n".join(
        f"{option:<{width}}  {value:>8.2%}  {'█' * round(_BAR * value)}".rstrip()
        for option, value in ranked
    )
