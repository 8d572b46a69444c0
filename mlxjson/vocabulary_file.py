"""Vocabularies kept on disk: reading one back takes a tenth of the time of decoding it.

An entry is a line of JSON and the bytes of all tokens, with bytes between them that none has.
"""

import json
from collections.abc import Callable

from mlxjson.cachefiles import Cache, code_state, key_of
from mlxjson.vocabulary import Vocabulary

_KIND = "vocabularies"
_CODE = ("vocabulary_file.py", "model")


def remembered_vocabulary(
    tokenizer: str, make: Callable[[], Vocabulary], cache: Cache
) -> Vocabulary:
    """`make()`, from `cache` where it was made before. `tokenizer` identifies the tokenizer."""
    key = key_of(tokenizer, code_state(*_CODE))
    data = cache.get(_KIND, key)
    if data is not None:
        return _read(data)
    vocabulary = make()
    if (written := _written(vocabulary)) is not None:
        cache.put(_KIND, key, written)
    return vocabulary


def _written(vocabulary: Vocabulary) -> bytes | None:
    """The entry; None where the tokens can't be told apart, which none of a real model are."""
    between = _between(vocabulary.tokens)
    if between is None and vocabulary.tokens:
        return None
    head = {
        "width": vocabulary.width,
        "stop_ids": sorted(vocabulary.stop_ids),
        "fingerprint": vocabulary.fingerprint,
        "between": between and between.hex(),
    }
    return json.dumps(head).encode() + b"\n" + (between or b"").join(vocabulary.tokens)


def _between(tokens: tuple[bytes, ...]) -> bytes | None:
    """What splits the joined tokens where they were joined; None if nothing does."""
    for length in range(1, 9):
        between = b"\xfe\xff" * length  # in no UTF-8 text
        if between.join(tokens).split(between) == list(tokens):
            return between
    return None


def _read(data: bytes) -> Vocabulary:
    line, _, joined = data.partition(b"\n")
    head = json.loads(line)
    between = head["between"]
    return Vocabulary(
        tokens=tuple(joined.split(bytes.fromhex(between))) if between else (),
        width=head["width"],
        stop_ids=frozenset(head["stop_ids"]),
        fingerprint=head["fingerprint"],
    )
