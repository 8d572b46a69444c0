"""The tokenizer that lies in a GGUF file's metadata, as one of the `tokenizers` package.

Keys: `tokenizer.ggml.*` of the GGUF specification. Two models are read: `gpt2`, byte-level BPE
with a pre-tokenizer named by `pre`, and `llama`, SentencePiece with byte fallback.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from mlxjson.errors import ModelError

from .gguf_header import GgufHeader, read_header
from .pieces import SPACE_MARK, Alphabet
from .template import ChatTemplate
from .tokenizer import TokenizerParts

if TYPE_CHECKING:
    from tokenizers import AddedToken
    from tokenizers import Tokenizer as Backend

# Values of tokenizer.ggml.token_type.
_UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED = 2, 3, 4, 5
_SPECIAL = frozenset({_UNKNOWN, _CONTROL, _UNUSED})
_STOP_KEYS = ("eos_token_id", "eot_token_id", "eom_token_id")


def read_gguf_tokenizer(path: Path) -> TokenizerParts:
    """The tokenizer of the GGUF file at `path`.

    Raises:
        ModelError: none there, or of a kind that isn't supported.
    """
    header = read_header(path)
    model = header.text("tokenizer.ggml.model", "none")
    if model not in ("gpt2", "llama"):
        raise ModelError(f"GGUF tokenizer model '{model}' is not supported", where=str(path))
    pieces = _texts(header, "tokens")
    kinds = _kinds(header, len(pieces))
    backend = _backend(header, pieces, kinds)
    return TokenizerParts(
        backend=backend,
        alphabet=Alphabet.BYTE_LEVEL if model == "gpt2" else Alphabet.BYTE_FALLBACK,
        special_ids=frozenset(i for i, kind in enumerate(kinds) if kind in _SPECIAL),
        stop_ids=frozenset(_id(header, key) for key in _STOP_KEYS) - {-1},
        bos=_bos(header, pieces),
        template=_template(header, pieces),
        digest=_digest(header),
    )


def _backend(header: GgufHeader, pieces: list[str], kinds: list[int]) -> Backend:
    byte_level = header.text("tokenizer.ggml.model") == "gpt2"
    try:
        backend = (_byte_level if byte_level else _sentence_piece)(header, pieces)
        _add_tokens(backend, pieces, kinds)
    except ModelError:
        raise
    except Exception as error:  # the tokenizers package raises no narrower type
        why = str(error).split("\n", 1)[0]
        raise ModelError(f"damaged GGUF tokenizer: {why}", where=str(header.path)) from error
    return backend


def _byte_level(header: GgufHeader, pieces: list[str]) -> Backend:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    from .pretokenizers import by_name

    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    merges: Any = [tuple(merge.split(" ", 1)) for merge in _texts(header, "merges")]
    pre = header.text("tokenizer.ggml.pre", "default")
    backend = Tokenizer(
        models.BPE(vocab=vocabulary, merges=merges, ignore_merges=pre == "llama-bpe")
    )
    splits = by_name(pre)
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [*splits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    backend.decoder = decoders.ByteLevel()
    return backend


def _sentence_piece(header: GgufHeader, pieces: list[str]) -> Backend:
    """BPE whose merges follow from the scores: the pair that makes the best-scored piece first."""
    from tokenizers import Tokenizer, decoders, models, normalizers

    from .merges import merges_from_scores

    scores = header.metadata.get("tokenizer.ggml.scores")
    if not isinstance(scores, tuple) or len(scores) != len(pieces):
        raise ModelError("the GGUF file's tokenizer has no scores", where=str(header.path))
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    unknown = _id(header, "unknown_token_id")
    backend = Tokenizer(
        models.BPE(
            vocab=vocabulary,
            merges=merges_from_scores(vocabulary, scores),
            unk_token=pieces[unknown] if unknown >= 0 else None,
            fuse_unk=True,
            byte_fallback=True,
        )
    )
    steps: list[Any] = [normalizers.Replace(" ", SPACE_MARK)]
    if header.metadata.get("tokenizer.ggml.add_space_prefix", True):
        steps.insert(0, normalizers.Prepend(SPACE_MARK))
    backend.normalizer = normalizers.Sequence(steps)
    backend.decoder = decoders.Sequence(
        [decoders.Replace(SPACE_MARK, " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    return backend


def _add_tokens(backend: Backend, pieces: list[str], kinds: list[int]) -> None:
    """Control and user-defined tokens are recognised in text as a whole, never merged."""
    from tokenizers import AddedToken

    def added(kind: int) -> list[AddedToken]:
        texts = [piece for piece, own in zip(pieces, kinds, strict=True) if own == kind and piece]
        return [AddedToken(text, special=kind == _CONTROL, normalized=False) for text in texts]

    backend.add_special_tokens(added(_CONTROL))
    backend.add_tokens(added(_USER_DEFINED))


def _template(header: GgufHeader, pieces: list[str]) -> ChatTemplate | None:
    source = header.text("tokenizer.chat_template")
    if not source:
        return None
    names = {"bos_token": "bos_token_id", "eos_token": "eos_token_id"}
    ids = {name: _id(header, key) for name, key in names.items()}
    return ChatTemplate(source, {name: pieces[i] for name, i in ids.items() if i >= 0})


def _bos(header: GgufHeader, pieces: list[str]) -> tuple[int, str] | None:
    sentence_piece = header.text("tokenizer.ggml.model") == "llama"
    if not header.metadata.get("tokenizer.ggml.add_bos_token", sentence_piece):
        return None
    bos = _id(header, "bos_token_id")
    return (bos, pieces[bos]) if bos >= 0 else None


def _id(header: GgufHeader, key: str) -> int:
    """A token id from the metadata; -1 when it is absent or out of range."""
    value = header.metadata.get(f"tokenizer.ggml.{key}", -1)
    count = len(header.metadata.get("tokenizer.ggml.tokens", ()))
    return value if isinstance(value, int) and 0 <= value < count else -1


def _texts(header: GgufHeader, key: str) -> list[str]:
    values = header.metadata.get(f"tokenizer.ggml.{key}")
    if not _all_bytes(values):
        raise ModelError(f"the GGUF file's tokenizer has no {key}", where=str(header.path))
    # One call instead of 10^5: no piece holds a line feed, byte-level and SentencePiece spell it.
    joined = b"\n".join(values).decode(errors="replace")
    texts = joined.split("\n")
    if len(texts) == len(values):
        return texts
    return [value.decode(errors="replace") for value in values]


def _kinds(header: GgufHeader, count: int) -> list[int]:
    kinds = header.metadata.get("tokenizer.ggml.token_type") or (1,) * count
    if len(kinds) != count:
        raise ModelError("the GGUF file's token types don't fit", where=str(header.path))
    return list(kinds)


def _digest(header: GgufHeader) -> str:
    """SHA-256 of the tokenizer's metadata in file order."""
    digest = hashlib.sha256()
    for key, value in header.metadata.items():
        if key.startswith("tokenizer."):
            digest.update(key.encode())
            text = b"\0".join(value) if _all_bytes(value) else repr(value).encode()
            digest.update(text)
    return digest.hexdigest()


def _all_bytes(value: Any) -> TypeGuard[list[bytes]]:
    return isinstance(value, list) and bool(value) and isinstance(value[0], bytes)
