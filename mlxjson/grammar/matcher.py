"""Where a text stands in its grammar: accept ids, fill masks, find what is forced."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from mlxjson.errors import MlxjsonError
from mlxjson.grammar.engine import Handle, xgr
from mlxjson.grammar.forced import Forced, fits, goes_on, split
from mlxjson.grammar.mask import Words, allowed_ids, empty_mask, trim

if TYPE_CHECKING:
    from mlxjson.grammar.compiler import Compiled

# Of how many ids at the end of forced text one longer token is looked for.
_SWALLOWED = 3


class Matcher:
    """The state of one generation under a grammar.

    A matcher is *finished* once a stop id was accepted; a finished one is never filled.
    """

    __slots__ = ("_compiled", "_engine", "_filled", "_handle")

    def __init__(self, compiled: "Compiled", handle: Handle) -> None:
        self._compiled = compiled
        self._engine = compiled.engine
        self._handle = handle
        # The mask of this very state, once somebody asked for it; dropped when the state moves.
        self._filled: Words | None = None

    @property
    def width(self) -> int:
        """How many ids the masks cover: the model's logits."""
        return self._engine.vocabulary.width

    def accept(self, token_id: int) -> bool:
        """Move on by one id. False, and nothing moved, when the grammar doesn't allow it."""
        # xgrammar complains on stderr about ids that write nothing, so those never reach it.
        if self.finished or not self._engine.speaks(token_id):
            return False
        if not self._handle.accept_token(token_id):
            return False
        self._filled = None
        return True

    def accept_ids(self, ids: Sequence[int]) -> int:
        """Accept `ids` up to the first that isn't allowed; how many were accepted."""
        for count, token_id in enumerate(ids):
            if not self.accept(token_id):
                return count
        return len(ids)

    def accept_text(self, text: bytes) -> bool:
        """Accept `text` whatever its tokens are, as one step. False, and nothing moved, if not."""
        if self.finished or not self._handle.accept_string(text):
            return False
        self._filled = None
        return True

    def fill(self, row: Words) -> None:
        """Write the mask of the ids allowed next into `row`: int32, shape (mask_words(width),).

        Raises:
            MlxjsonError: the matcher is finished, or nothing at all is allowed (both are bugs).
        """
        if self.finished:
            raise MlxjsonError("internal error: a finished matcher was asked for a mask")
        mask = self._mask()
        if not mask.any():
            raise MlxjsonError("internal error: the grammar allows no token here, not even the end")
        row[...] = mask

    def _mask(self) -> Words:
        if self._filled is None:
            self._filled = empty_mask(self.width)
            self._handle.fill_next_token_bitmask(self._filled)
            trim(self._filled, self.width)
        return self._filled

    @property
    def finished(self) -> bool:
        """Whether a stop id was accepted."""
        return bool(self._handle.is_terminated())

    @property
    def may_end(self) -> bool:
        """Whether the text so far is a whole sentence of the grammar."""
        return bool(self._handle.is_completed()) and not self.finished

    @property
    def must_end(self) -> bool:
        """Whether nothing but a stop id is allowed next."""
        if not self.may_end:
            return False
        return bool(np.array_equal(self._mask(), self._engine.stop_mask))

    def forced_text(self) -> bytes:
        """The longest text that every continuation starts with: whole code points, UTF-8.

        Raises:
            ConstraintError: the grammar can force a text without end, or one beyond all bounds.
        """
        if self.finished or self._handle.is_completed():
            return b""
        self._compiled.check_ends()
        return str(self._handle.find_jump_forward_string()).encode()

    def forced(self, limit: int, *, hold_back: bool = True) -> Forced:
        """At most `limit` ids of what is forced next; the matcher doesn't move.

        `hold_back` leaves out ids at the end that a longer token could stand for.

        Raises:
            ConstraintError: as `forced_text`.
        """
        if limit <= 0 or self.finished or self._handle.is_completed():
            return Forced((), ())
        engine = self._engine
        text = self.forced_text()
        ids = engine.encode(text.decode()) if text and engine.encode is not None else None
        if ids is None or not fits(ids, text, engine.vocabulary.tokens):
            # Longest matches, last one already held back. Also the way for bytes that are forced
            # inside a code point: there is no text to encode.
            return split(self._handle.find_jump_forward_tokens(), 0, limit)
        return split(ids, self._held(ids) if hold_back else 0, limit)

    def forced_ids(self, limit: int) -> list[int]:
        """The ids of `forced(limit)` that may be emitted at once."""
        return list(self.forced(limit).ids)

    def _held(self, ids: Sequence[int]) -> int:
        """How many of the last ids one longer token could stand for, under this grammar.

        The text is forced here, so a mask allows few ids: looking through them is cheaper than
        an index of the vocabulary.
        """
        tokens = self._engine.vocabulary.tokens
        row = empty_mask(self.width)
        ahead = self.fork()
        done = 0
        for count in range(min(_SWALLOWED, len(ids)), 0, -1):
            start = len(ids) - count
            ahead.accept_ids(ids[done:start])
            done = start
            ahead.fill(row)
            text = b"".join(tokens[i] for i in ids[start:])
            if goes_on(text, allowed_ids(row).tolist(), tokens):
                return count
        return 0

    def rollback(self, steps: int = 1) -> None:
        """Take back the last `steps` accepted ids (an `accept_text` is one step)."""
        self._filled = None
        self._handle.rollback(steps)

    def fork(self) -> "Matcher":
        """An independent matcher in the same state."""
        return Matcher(self._compiled, self._handle.fork())


def fill_many(matchers: Sequence[Matcher], rows: Words) -> None:
    """Fill rows[i] for matchers[i] on several threads. rows: int32, shape (n, mask_words(width)).

    Raises:
        MlxjsonError: one of the matchers is finished.
    """
    if any(matcher.finished for matcher in matchers):
        raise MlxjsonError("internal error: a finished matcher was asked for a mask")
    _threads().batch_fill_next_token_bitmask([matcher._handle for matcher in matchers], rows)
    if matchers:
        trim(rows, matchers[0].width)


@cache
def _threads() -> Handle:
    """The threads that fill masks together, begun once: that takes longer than a mask."""
    return xgr.BatchGrammarMatcher()
