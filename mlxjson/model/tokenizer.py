"""Text to token ids and back, the vocabulary as bytes, and the ids that end a generation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from mlxjson.cachefiles import Cache
from mlxjson.vocabulary import Vocabulary

from .files import ModelFiles
from .pieces import Alphabet, all_bytes
from .template import ChatTemplate

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Backend

# A text of which no tokenizer makes less than one token of its own.
_ANCHOR = "\n"


@dataclass(frozen=True, slots=True)
class TokenizerParts:
    """What a source (tokenizer.json or GGUF metadata) says of a tokenizer.

    Attributes:
        backend: the tokenizer of the `tokenizers` package.
        alphabet: how it spells its pieces.
        special_ids: ids that write no text.
        stop_ids: ids that end a generation.
        bos: the id and text put before a prompt, or None.
        template: the chat template, or None.
        digest: hex SHA-256 of the source's content.
        turn_end: what `turn_end` gives for these; None where nobody has looked yet.
    """

    backend: Backend
    alphabet: Alphabet
    special_ids: frozenset[int]
    stop_ids: frozenset[int]
    bos: tuple[int, str] | None
    template: ChatTemplate | None
    digest: str
    turn_end: frozenset[int] | None = None


class Tokenizer:
    """One tokenizer, whatever file it came from."""

    def __init__(self, parts: TokenizerParts) -> None:
        self._backend = parts.backend
        self._alphabet = parts.alphabet
        self._special_ids = parts.special_ids
        self._bos = parts.bos
        self._digest = parts.digest
        self._lock = Lock()
        self.template = parts.template
        ends = parts.turn_end
        self.stop_ids = parts.stop_ids | (
            turn_end(parts.backend, parts.template) if ends is None else ends
        )

    def encode(self, text: str, *, special: bool, bos: bool = False) -> list[int]:
        """The ids of `text`.

        With `special`, special tokens written out in the text are recognised: for a rendered chat
        template. Without, they are text like any other, and the ids write `text` itself (in NFC,
        where the tokenizer normalises): no space is put before it. With `bos`, the token that
        begins a prompt is put first if the tokenizer asks for one and the text does not have it
        already: for prompts without a chat template.
        """
        with self._lock:
            self._backend.encode_special_tokens = not special
            ids = self._encoded(text) if special else self._continued(text)
        if bos and self._bos is not None and ids[:1] != [self._bos[0]]:
            return [self._bos[0], *ids]
        return ids

    def encode_parts(self, parts: Iterable[tuple[str, bool]]) -> list[int]:
        """The ids of texts that follow each other, each with its own `special`, as for `encode`."""
        ids: list[int] = []
        with self._lock:
            for text, special in parts:
                self._backend.encode_special_tokens = not special
                ids += self._continued(text) if ids else self._encoded(text)
        return ids

    @cached_property
    def special_texts(self) -> tuple[str, ...]:
        """How the special tokens are written."""
        added = self._backend.get_added_tokens_decoder().values()
        return tuple(token.content for token in added if token.special)

    def token_id(self, text: str) -> int | None:
        """The id of the token that is written `text`, special or not; None if there is none."""
        token_id: int | None = self._backend.token_to_id(text)
        return token_id

    def text(self, ids: Iterable[int]) -> str:
        """The text that `ids` write; special tokens write none, broken UTF-8 becomes U+FFFD."""
        tokens = self.tokens
        return b"".join(tokens[i] for i in ids if i < len(tokens)).decode(errors="replace")

    @cached_property
    def tokens(self) -> tuple[bytes, ...]:
        """The bytes of every id, b"" for those that write no text."""
        tokens = all_bytes(self._pieces(), self._alphabet)
        if self._alphabet is Alphabet.BYTE_LEVEL:
            # Added tokens are matched in plain text, so they are not spelled in the alphabet.
            for token_id, token in self._backend.get_added_tokens_decoder().items():
                tokens[token_id] = token.content.encode()
        for token_id in self._special_ids:
            tokens[token_id] = b""
        return tuple(tokens)

    def _pieces(self) -> list[str]:
        """The piece of every id, "" where the numbering has a hole."""
        backend = self._backend
        size = backend.get_vocab_size(with_added_tokens=True)
        pieces = [piece for i in range(size) if (piece := backend.id_to_token(i)) is not None]
        if len(pieces) == size:
            return pieces
        ids = backend.get_vocab(with_added_tokens=True)
        texts = {token_id: piece for piece, token_id in ids.items()}
        return [texts.get(i, "") for i in range(max(texts, default=-1) + 1)]

    def vocabulary(self, width: int) -> Vocabulary:
        """The vocabulary under a network of `width` logits."""
        return Vocabulary(
            tokens=self.tokens[:width],
            width=width,
            stop_ids=frozenset(i for i in self.stop_ids if i < width),
            fingerprint=self.fingerprint(width),
        )

    def fingerprint(self, width: int) -> str:
        """Hex SHA-256 of what makes up the vocabulary, without decoding it."""
        parts = [self._digest, str(width), *map(str, sorted(self.stop_ids))]
        return hashlib.sha256("|".join(parts).encode()).hexdigest()

    def _encoded(self, text: str) -> list[int]:
        ids: list[int] = self._backend.encode(text, add_special_tokens=False).ids
        return ids

    def _continued(self, text: str) -> list[int]:
        """SentencePiece puts a space before a text: an anchor takes it, and is cut off again."""
        if self._alphabet is not Alphabet.BYTE_FALLBACK:
            return self._encoded(text)
        anchor = self._encoded(_ANCHOR)
        ids = self._encoded(_ANCHOR + text)
        return ids[len(anchor) :] if ids[: len(anchor)] == anchor else self._encoded(text)


def load_tokenizer(files: ModelFiles, cache: Cache | None = None) -> Tokenizer:
    """The tokenizer of `files`, without reading any weights; from `cache` if it was read before.

    Raises:
        ModelError: there is none, or it is of a kind that can't be read.
    """
    from .tokenizer_file import remembered_parts

    return Tokenizer(remembered_parts(files, lambda: _parts(files), cache or Cache(None)))


def _parts(files: ModelFiles) -> TokenizerParts:
    if files.is_gguf:
        from .gguf_tokenizer import read_gguf_tokenizer

        return read_gguf_tokenizer(files.path)
    from .folder_tokenizer import read_folder_tokenizer

    return read_folder_tokenizer(files.path)


def turn_end(backend: Backend, template: ChatTemplate | None) -> frozenset[int]:
    """The special token that the chat template puts right behind an answer, if it puts one."""
    after = template.after_answer() if template is not None else ""
    if not after:
        return frozenset()
    first = backend.encode(after, add_special_tokens=False).ids[:1]
    special = {i for i, token in backend.get_added_tokens_decoder().items() if token.special}
    return frozenset(first) & special
