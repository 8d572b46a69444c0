"""OpenBLAS gets the cores that are free, and finds the library it needs."""

import sys
from pathlib import Path

import pytest

from mlxjson.model import device

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")


@pytest.mark.parametrize(
    ("cores", "others", "threads"), [(2, 0, 2), (2, 1, 1), (2, 9, 1), (8, 3, 5), (64, 0, 16)]
)
def test_threads_are_the_free_cores_and_one_at_least(
    monkeypatch: pytest.MonkeyPatch, cores: int, others: int, threads: int
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    monkeypatch.setattr(device, "_cores", lambda: cores)
    monkeypatch.setattr(device, "_others_running", lambda: others)
    assert device._threads() == threads


@pytest.mark.parametrize(("chosen", "threads"), [("3", 3), ("0", 1)])
def test_the_user_may_choose_the_threads(
    monkeypatch: pytest.MonkeyPatch, chosen: str, threads: int
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", chosen)
    assert device._threads() == threads


def test_threads_follow_the_load_while_the_process_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[int] = []

    class Library:
        openblas_set_num_threads = given.append

    monkeypatch.setattr(device, "_running", device._Running())
    monkeypatch.setattr(device._running, "library", Library, raising=False)
    monkeypatch.setattr(device, "_COUNT_EVERY_S", 0.0)
    for free in (4, 4, 1, 4):
        monkeypatch.setattr(device, "_threads", lambda free=free: free)
        device.adapt()
    assert given == [4, 1, 4]


def test_this_process_is_not_counted_as_another() -> None:
    assert device._own_running() >= 1
    assert device._others_running() >= 0


@pytest.mark.parametrize(
    ("quota", "most"), [("max 100000", 10**6), ("100000 100000", 1), ("", 1e6)]
)
def test_a_container_has_the_cores_of_its_quota(
    monkeypatch: pytest.MonkeyPatch, quota: str, most: int
) -> None:
    monkeypatch.setattr(device, "_first_line", lambda path: quota)
    assert 1 <= device._cores() <= most


def test_a_missing_library_is_said_and_not_raised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(device, "_mlx_cpu_site", lambda: tmp_path)
    monkeypatch.setattr(sys, "modules", {})
    monkeypatch.setattr(sys, "path", [])
    assert device.prepare.__wrapped__() == "reference: cmeel-openblas is not installed"
    (tmp_path / device._OPENBLAS).parent.mkdir(parents=True)
    (tmp_path / device._OPENBLAS).write_bytes(b"not a library")
    assert device.prepare.__wrapped__().startswith("reference: ")


def test_mlx_still_copies_what_lies_in_mapped_memory() -> None:
    """When this fails, weights can be mapped on a CPU: see docs/models.md."""
    import mlx.core as mx
    import numpy as np

    if device.name() != "cpu":
        pytest.skip("the device is not a CPU")
    with pytest.raises(ValueError, match="without a copy"):
        mx.from_dlpack(np.zeros(4, np.float32), copy=False)
