"""The vocabulary of a model as plain data: what each token id writes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What each id adds to the text, and which ids are no text.

    Attributes:
        tokens: the bytes of every id the tokenizer knows; b"" for ids that write no text
            (special tokens, holes in the numbering). len(tokens) <= width.
        width: how many logits the model gives; ids from len(tokens) up are padding.
        stop_ids: ids that end a generation (tokenizer, generation_config and chat template).
        fingerprint: hex SHA-256 of all of the above, the key for caches.
    """

    tokens: tuple[bytes, ...]
    width: int
    stop_ids: frozenset[int]
    fingerprint: str
