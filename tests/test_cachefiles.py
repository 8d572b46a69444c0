"""The cache on disk: bounded, atomic, never believed when broken, no error when it can't be."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlxjson.cachefiles import Cache, Row, cache_report, clear_cache, key_of, open_cache


def test_what_was_put_is_got(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new")
    for data in (b"", b"a\nb\0c", bytes(range(256)) * 100):
        cache.put("kind", "k", data)
        assert cache.get("kind", "k") == data
    assert cache.get("kind", "other") is None
    assert cache.get("other", "k") is None


def test_a_key_tells_its_parts_apart() -> None:
    keys = [key_of("ab", "c"), key_of("a", "bc"), key_of("abc"), key_of("abc", ""), key_of(b"x")]
    assert len(set(keys)) == len(keys)
    assert key_of("x") == key_of(b"x")
    assert key_of("\ud800")


@pytest.mark.parametrize("broken", [b"", b"x", b"mlxjson-cache-1 00\ndata"])
def test_a_broken_file_is_a_miss_and_goes(tmp_path: Path, broken: bytes) -> None:
    cache = Cache(tmp_path)
    cache.put("kind", "k", b"data")
    (tmp_path / "kind" / "k").write_bytes(broken)
    assert cache.get("kind", "k") is None
    assert not (tmp_path / "kind" / "k").exists()


def test_a_cut_file_is_a_miss(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("kind", "k", b"data" * 100)
    path = tmp_path / "kind" / "k"
    path.write_bytes(path.read_bytes()[:-1])
    assert cache.get("kind", "k") is None


def test_the_longest_unused_go_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most_bytes=1000)
    for age, key in enumerate("abc"):
        cache.put("kind", key, b"x" * 200)
        os.utime(tmp_path / "kind" / key, (100 - age, 100 - age))
    assert cache.get("kind", "c") is not None  # used again: now the youngest
    cache.put("kind", "d", b"x" * 200)
    assert [key for key in "abcd" if (tmp_path / "kind" / key).exists()] == ["a", "c", "d"]


def test_thousands_of_small_entries_are_written_quickly_and_stay_bounded(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most_bytes=10_000_000)
    for i in range(3000):
        cache.put("kind", str(i), b"x" * 10_000)
    size = sum(path.stat().st_size for path in (tmp_path / "kind").iterdir())
    assert 5_000_000 < size < 11_000_000


def test_what_is_larger_than_all_of_the_cache_is_not_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most_bytes=10)
    cache.put("kind", "k", b"x" * 11)
    assert cache.get("kind", "k") is None


def test_left_over_files_of_dead_writers_are_swept(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("kind", "a", b"x")
    old, fresh = tmp_path / "kind" / ".new-old", tmp_path / "kind" / ".new-fresh"
    for path in (old, fresh):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    Cache(tmp_path).put("kind", "b", b"x")
    assert (old.exists(), fresh.exists()) == (False, True)


def test_no_folder_is_no_error() -> None:
    cache = Cache(None)
    cache.put("kind", "k", b"data")
    assert cache.get("kind", "k") is None


def test_a_folder_that_cannot_be_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    cache = Cache(tmp_path / "file" / "below")
    cache.put("kind", "k", b"data")
    assert cache.get("kind", "k") is None


def test_the_cache_can_be_switched_off(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    assert open_cache(True, environ).folder == tmp_path / "mlxjson"
    assert open_cache(False, environ).folder is None
    assert open_cache(True, environ | {"MLXJSON_CACHE": "0"}).folder is None
    assert open_cache(True, {}).folder is None


def test_the_report_counts_and_clearing_removes_all(tmp_path: Path) -> None:
    assert cache_report(tmp_path / "none") == []
    assert cache_report(None) == []
    cache = Cache(tmp_path)
    cache.put("words", "a", b"x" * 10)
    cache.put("words", "b", b"x" * 10)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "w").write_bytes(b"12345")
    rows = cache_report(tmp_path)
    assert [(row.kind, row.files) for row in rows] == [("weights", 1), ("words", 2)]
    assert rows[0] == Row("weights", 1, 5)
    assert clear_cache(tmp_path) == sum(row.size for row in rows)
    assert cache_report(tmp_path) == []
    assert clear_cache(None) == 0


_WRITER = """
import sys
from pathlib import Path
from mlxjson.cachefiles import Cache
cache = Cache(Path(sys.argv[1]), most_bytes=20_000)
for turn in range(150):
    data = bytes([turn % 256]) * 1000
    cache.put("kind", str(turn % 30), data)
    got = cache.get("kind", str((turn * 7) % 30))
    assert got is None or (len(got) == 1000 and len(set(got)) == 1)
"""


def test_many_processes_never_read_half_a_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    children = [subprocess.Popen(command) for _ in range(4)]
    assert [child.wait() for child in children] == [0] * 4
    assert not list((tmp_path / "kind").glob(".new-*"))
