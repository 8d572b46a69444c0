"""A tokenizer of the `tokenizers` package of which only as much is built as a text needs.

Building all of a vocabulary's maps takes 60 ms of CPU time, a run of the command encodes a handful
of short texts, and a text needs a hundredth of the maps.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from .tokenizer_lists import Bpe, with_model

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Backend

# Of so many texts, and of one that could need so many pieces, all of it is cheaper.
_MOST_TEXTS = 40
_MOST_PIECES = 100_000


class PartialTokenizer:
    """The tokenizer that `tokenizer_lists.to_lists` took apart; not for several threads at once."""

    def __init__(self, rest: dict[str, Any], lists: bytes) -> None:
        self._rest = rest
        self._bpe = Bpe(rest, lists)
        self._added = {token["content"]: token["id"] for token in rest["added"]}
        self._letters = self._bpe.letters()
        self._part = with_model(rest, self._bpe.letters(self._added))
        self._texts = 0
        self._whole: Backend | None = None
        self.encode_special_tokens = False

    def encode(self, text: str, add_special_tokens: bool = True) -> Any:
        """The `tokenizers.Encoding` of `text`."""
        self._texts += 1
        backend = self._for(text) if self._texts <= _MOST_TEXTS else self.whole
        backend.encode_special_tokens = self.encode_special_tokens
        return backend.encode(text, add_special_tokens=add_special_tokens)

    def token_to_id(self, text: str) -> int | None:
        """The id of the token that is written `text`."""
        return self._added.get(text, self._bpe.ids.get(text))

    def get_added_tokens_decoder(self) -> dict[int, Any]:
        """The added tokens by their ids: a part has them all."""
        added: dict[int, Any] = self._part.get_added_tokens_decoder()
        return added

    @property
    def whole(self) -> Backend:
        """All of it."""
        if self._whole is None:
            self._whole = with_model(self._rest, self._bpe.whole())
        return self._whole

    def __getattr__(self, name: str) -> Any:
        """Whatever else is asked of a tokenizer is asked of all of it."""
        return getattr(self.whole, name)

    def _for(self, text: str) -> Backend:
        """A tokenizer that encodes `text` as all of it does."""
        words = self._words(text)
        if sum(map(len, words)) * self._bpe.longest > _MOST_PIECES:
            return self.whole
        self._part.model = self._bpe.part(words)
        return self._part

    def _words(self, text: str) -> list[list[str]]:
        """The symbols of each word that the model gets to see, added tokens among them."""
        self._part.model = self._letters
        self._part.encode_special_tokens = self.encode_special_tokens
        found = self._part.encode(text, add_special_tokens=False)
        pairs = zip(found.word_ids, found.tokens, strict=True)
        return [[token for _, token in word] for _, word in groupby(pairs, lambda pair: pair[0])]
