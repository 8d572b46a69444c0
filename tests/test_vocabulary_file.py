"""A vocabulary read back is the vocabulary that was made."""

from pathlib import Path

import pytest

from mlxjson.cachefiles import Cache
from mlxjson.vocabulary import Vocabulary
from mlxjson.vocabulary_file import remembered_vocabulary
from tests.grammar_helpers import llama2, qwen3, small


def refuse() -> Vocabulary:
    raise AssertionError("made anew")


@pytest.mark.parametrize(
    "make",
    [
        small,
        qwen3,
        llama2,
        lambda: Vocabulary((b"\0", b"a\0b", b"", b"\n", b"\xff" * 70_000), 9, frozenset({2}), "f"),
        lambda: Vocabulary((), 0, frozenset(), ""),
    ],
)
def test_it_reads_back_whole(make, tmp_path: Path) -> None:  # noqa: ANN001
    assert remembered_vocabulary("t", make, Cache(tmp_path)) == make()
    assert remembered_vocabulary("t", refuse, Cache(tmp_path)) == make()


def test_other_tokenizers_and_broken_files_are_made_anew(tmp_path: Path) -> None:
    remembered_vocabulary("t", small, Cache(tmp_path))
    with pytest.raises(AssertionError):
        remembered_vocabulary("other", refuse, Cache(tmp_path))
    (path,) = (tmp_path / "vocabularies").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(AssertionError):
        remembered_vocabulary("t", refuse, Cache(tmp_path))
