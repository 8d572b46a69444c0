"""Vocabularies kept on disk: reading one back takes a tenth of the time of decoding it.

An entry is a line of JSON, the lengths of all tokens (uint32, little-endian), and their bytes.
"""

import json
import sys
from array import array
from collections.abc import Callable
from itertools import accumulate, pairwise

from mlxjson.cachefiles import Cache, code_state, key_of
from mlxjson.vocabulary import Vocabulary

_KIND = "vocabularies"
_CODE = ("vocabulary_file.py", "model/*.py")


def remembered_vocabulary(
    tokenizer: str, make: Callable[[], Vocabulary], cache: Cache
) -> Vocabulary:
    """`make()`, from `cache` where it was made before. `tokenizer` identifies the tokenizer."""
    key = key_of(tokenizer, code_state(*_CODE))
    data = cache.get(_KIND, key)
    if data is not None:
        return _read(data)
    vocabulary = make()
    cache.put(_KIND, key, _written(vocabulary))
    return vocabulary


def _written(vocabulary: Vocabulary) -> bytes:
    head = {
        "width": vocabulary.width,
        "stop_ids": sorted(vocabulary.stop_ids),
        "fingerprint": vocabulary.fingerprint,
        "tokens": len(vocabulary.tokens),
    }
    lengths = little(array("I", map(len, vocabulary.tokens)))
    return json.dumps(head).encode() + b"\n" + lengths.tobytes() + b"".join(vocabulary.tokens)


def _read(data: bytes) -> Vocabulary:
    line, _, rest = data.partition(b"\n")
    head = json.loads(line)
    split = 4 * head["tokens"]
    lengths = array("I")
    lengths.frombytes(rest[:split])
    texts = rest[split:]
    ends = accumulate(little(lengths), initial=0)
    return Vocabulary(
        tokens=tuple([texts[start:end] for start, end in pairwise(ends)]),
        width=head["width"],
        stop_ids=frozenset(head["stop_ids"]),
        fingerprint=head["fingerprint"],
    )


def little(numbers: "array[int]") -> "array[int]":
    """Numbers from this machine's order of bytes to little-endian, or back."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
