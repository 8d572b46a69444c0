"""As much of a tokenizer as a text needs encodes that text as all of it does."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Backend

from mlxjson.model.partial_tokenizer import _MOST_TEXTS, PartialTokenizer
from mlxjson.model.tokenizer_lists import from_lists, to_lists
from tests.test_vocabulary import real  # noqa: F401  a fixture
from tests.tiny_model import tokenizer_json

WORDS = [
    *(
        "the",
        " the",
        "true",
        " train",
        "ing",
        '{"name": "',
        '", "age": ',
        "1234567",
        "  ",
        "\n\n",
        "\t",
    ),
    *("Zoë", "e\u0301", "\u4f60\u597d", "\U0001f600", "\u0928\u092e", "\0", "\ufffd", "'s", "…"),
    *(
        "<|im_start|>",
        "<|im_end|>",
        "<s>",
        "</s>",
        "<think>",
        "<unk>",
        "<0x0A>",
        "\u2581",
        "Ġ",
        ".",
    ),
    *("supercalifragilisticexpialidocious", "aaaaaaaaaaaaaaaa", "================", "x = y[0];"),
]


def texts(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        words = chance.choices(WORDS, k=chance.randrange(12))
        letters = [chr(chance.choice((32, 97, 101, 0xE9, 0x4E00)) + chance.randrange(9))]
        made.append("".join([*words, *letters * chance.randrange(3)]))
    return ["", *made]


def check(backend: Backend, count: int) -> None:
    taken = to_lists(backend)
    assert taken is not None
    for text in texts(count, seed=count):
        part = PartialTokenizer(*taken)
        for hidden in (True, False, True):
            backend.encode_special_tokens = part.encode_special_tokens = hidden
            whole = backend.encode(text, add_special_tokens=False)
            found = part.encode(text, add_special_tokens=False)
            assert (found.ids, found.tokens) == (whole.ids, whole.tokens), text
        assert part._whole is None


def plain(form: dict[str, Any]) -> None:
    """A tokenizer as it is."""


def whole_words(form: dict[str, Any]) -> None:
    form["model"]["ignore_merges"] = True


def without_words(form: dict[str, Any]) -> None:
    """A text is one word, and characters outside of the alphabet are unknown."""
    form["pre_tokenizer"] = None
    form["model"] |= {"unk_token": "<|endoftext|>", "fuse_unk": True}


@pytest.mark.parametrize("change", [plain, whole_words, without_words])
def test_the_tiny_tokenizer(change: Callable[[dict[str, Any]], None]) -> None:
    form = tokenizer_json()
    change(form)
    check(Backend.from_str(json.dumps(form)), 300)


@pytest.mark.slow
def test_real_tokenizers(real: Path) -> None:  # noqa: F811
    check(Backend.from_file(str(real / "tokenizer.json")), 12)


@pytest.mark.slow
def test_texts_of_real_tokenizers_one_after_another(real: Path) -> None:  # noqa: F811
    backend = Backend.from_file(str(real / "tokenizer.json"))
    taken = to_lists(backend)
    assert taken is not None
    part = PartialTokenizer(*taken)
    for text in [*texts(_MOST_TEXTS - 2, seed=1), Path(__file__).read_text(), *texts(5, seed=2)]:
        ids = part.encode(text, add_special_tokens=False).ids
        assert ids == backend.encode(text, add_special_tokens=False).ids, text
    assert part._whole is not None


def test_what_else_is_asked_is_asked_of_all_of_it() -> None:
    backend = Backend.from_str(json.dumps(tokenizer_json()))
    taken = to_lists(backend)
    assert taken is not None
    part: Any = PartialTokenizer(*taken)
    assert part.token_to_id("true") == backend.token_to_id("true")
    assert part.token_to_id("<|im_end|>") == 2
    assert part.token_to_id("no such piece") is None
    assert part._whole is None
    assert part.get_vocab() == backend.get_vocab()
    assert part.to_str() == from_lists(*taken).to_str()


@pytest.mark.parametrize("name", ["continuing_subword_prefix", "end_of_word_suffix"])
def test_pieces_that_do_not_simply_join_are_no_lists(name: str) -> None:
    form = tokenizer_json()
    form["model"] |= {name: "##", "merges": []}
    assert to_lists(Backend.from_str(json.dumps(form))) is None
