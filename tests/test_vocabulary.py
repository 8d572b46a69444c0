"""Every id of real tokenizers has the bytes that the tokenizer itself gives it."""

import gzip
import time
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Backend

from mlxjson.model.folder_tokenizer import read_folder_tokenizer
from mlxjson.model.pieces import BYTE_LEVEL_TABLE, Alphabet, piece_bytes
from mlxjson.model.tokenizer import Tokenizer

from .tiny_model import make_tiny_model

REAL = Path(__file__).parents[2] / "shared" / "tokenizers"
TEXTS = [
    '{"name": "Zoë", "n": [1, 22, 333], "t": "tab\\t"}',
    "  two spaces\n\n\ttab, CRLF\r\n, 中文, हिन्दी, 👩‍👩‍👧 and \x00 NUL \x7f",
    "a",
    " ",
    "\n",
    "",
]


@pytest.fixture(scope="module", params=["qwen3", "llama2"])
def real(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a real tokenizer.json and its config."""
    name = request.param
    if not REAL.exists():
        pytest.skip(f"{REAL} is not there")
    folder = tmp_path_factory.mktemp(name)
    content = gzip.decompress((REAL / f"{name}.tokenizer.json.gz").read_bytes())
    (folder / "tokenizer.json").write_bytes(content)
    config = (REAL / f"{name}.tokenizer_config.json").read_text()
    (folder / "tokenizer_config.json").write_text(config)
    return folder


@pytest.fixture(scope="module")
def tokenizer(real: Path) -> Tokenizer:
    return Tokenizer(read_folder_tokenizer(real))


@pytest.fixture
def is_llama2(real: Path) -> bool:
    return "llama2" in str(real)


def decoded(backend: Backend, token_id: int) -> str:
    """What the tokenizer writes for the id in the middle of a text, where no space is stripped."""
    anchor = backend.token_to_id("a")
    text: str = backend.decode([anchor, token_id], skip_special_tokens=False)
    return text.removeprefix("a")


@pytest.mark.slow
def test_every_id_has_the_bytes_that_the_tokenizer_gives(real: Path, tokenizer: Tokenizer) -> None:
    backend = Backend.from_file(str(real / "tokenizer.json"))
    tokens = tokenizer.tokens
    special = {i for i, token in backend.get_added_tokens_decoder().items() if token.special}
    assert len(tokens) == backend.get_vocab_size()
    for token_id, token in enumerate(tokens):
        if token_id in special:
            assert token == b""
        else:
            assert token.decode(errors="replace") == decoded(backend, token_id), token_id


def test_single_bytes_are_all_there_once(tokenizer: Tokenizer) -> None:
    """Where decoding shows only U+FFFD: each byte is one id's, or two ids' (`<0x41>` and `A`)."""
    tokens = tokenizer.tokens
    singles = [token for token in tokens if len(token) == 1]
    assert set(singles) == {bytes([byte]) for byte in range(256)}
    assert all(singles.count(token) == 1 for token in singles if token >= b"\x80")


@pytest.mark.parametrize("text", TEXTS)
def test_encoded_text_writes_the_same_text(tokenizer: Tokenizer, text: str) -> None:
    ids = tokenizer.encode(text, special=False)
    assert tokenizer.text(ids) == text
    assert b"".join(tokenizer.tokens[i] for i in ids) == text.encode()


def test_special_tokens_are_recognised_only_when_asked(
    tokenizer: Tokenizer, is_llama2: bool
) -> None:
    special = "</s>" if is_llama2 else "<|im_end|>"
    text = f"ab{special}"
    assert tokenizer.encode(text, special=True)[-1] in tokenizer.stop_ids
    plain = tokenizer.encode(text, special=False)
    assert not tokenizer.stop_ids & set(plain)
    assert tokenizer.text(plain) == text


def test_the_beginning_is_put_once_and_only_where_the_tokenizer_has_one(
    tokenizer: Tokenizer, is_llama2: bool
) -> None:
    ids = tokenizer.encode("hello", special=True, bos=True)
    if is_llama2:
        assert ids[0] == 1
        assert tokenizer.encode("<s>hello", special=True, bos=True).count(1) == 1
    else:
        assert ids == tokenizer.encode("hello", special=True)


def test_the_vocabulary_is_quick_and_its_key_quicker(real: Path) -> None:
    tokenizer = Tokenizer(read_folder_tokenizer(real))
    start = time.process_time()
    key = tokenizer.fingerprint(152_000)
    keyed = time.process_time()
    vocabulary = tokenizer.vocabulary(152_000)
    done = time.process_time()
    assert keyed - start < 0.01
    assert done - keyed < 5
    assert vocabulary.fingerprint == key


def test_the_key_depends_on_content_width_and_stop_ids(tmp_path: Path) -> None:
    one = Tokenizer(read_folder_tokenizer(make_tiny_model(tmp_path / "a")))
    folder = make_tiny_model(tmp_path / "b")
    assert one.fingerprint(300) == Tokenizer(read_folder_tokenizer(folder)).fingerprint(300)
    assert one.fingerprint(300) != one.fingerprint(301)
    (folder / "generation_config.json").unlink()
    assert one.fingerprint(300) != Tokenizer(read_folder_tokenizer(folder)).fingerprint(300)


def test_the_byte_level_alphabet_is_a_bijection() -> None:
    assert sorted(BYTE_LEVEL_TABLE.values()) == list(range(256))
    assert piece_bytes("".join(map(chr, BYTE_LEVEL_TABLE)), Alphabet.BYTE_LEVEL) == bytes(
        BYTE_LEVEL_TABLE.values()
    )


@pytest.mark.parametrize(
    ("piece", "alphabet", "expected"),
    [
        ("Ġthe", Alphabet.BYTE_LEVEL, b" the"),
        ("ÃĹ", Alphabet.BYTE_LEVEL, "×".encode()),
        ("<｜User｜>", Alphabet.BYTE_LEVEL, "<｜User｜>".encode()),
        ("▁the", Alphabet.BYTE_FALLBACK, b" the"),
        ("<0xE4>", Alphabet.BYTE_FALLBACK, b"\xe4"),
        ("<0xE4>x", Alphabet.BYTE_FALLBACK, b"<0xE4>x"),
        ("Ġ▁<0x41>", Alphabet.RAW, "Ġ▁<0x41>".encode()),
    ],
)
def test_pieces_of_each_alphabet(piece: str, alphabet: Alphabet, expected: bytes) -> None:
    assert piece_bytes(piece, alphabet) == expected
