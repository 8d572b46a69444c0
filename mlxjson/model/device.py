"""The device that MLX computes on, and what has to happen before MLX is first imported.

MLX's CPU wheel for Linux is linked against the reference BLAS. An OpenBLAS that is loaded first,
with its symbols global, takes its place: prefill is twenty times faster, decoding twice.
"""

import ctypes
import importlib.util
import os
import sys
import time
from functools import cache
from pathlib import Path

_OPENBLAS = Path("cmeel.prefix") / "lib" / "libopenblas.so"
# Decoding is bound by memory: more threads than this only wait for each other.
_MOST_THREADS = 16
_COUNT_EVERY_S = 0.2


@cache
def prepare() -> str:
    """Load OpenBLAS where MLX would compute with the reference BLAS; once per process.

    Returns: which BLAS serves the CPU, for `--stats` and `--debug`: "openblas", "reference: why",
    or "" where MLX brings its own (Apple silicon, CUDA).
    """
    site = _mlx_cpu_site()
    if site is None:
        return ""
    if "mlx.core" in sys.modules:
        return "reference: mlx was imported first"
    path = _openblas(site)
    if path is None:
        return "reference: cmeel-openblas is not installed"
    try:
        library = _load_openblas(path, site)
    except OSError as error:
        return f"reference: {error}"
    _running.library = library
    return "openblas"


class _Running:
    """The OpenBLAS of this process, once there is one, and when its threads were last counted."""

    library: ctypes.CDLL | None = None
    threads = 0
    counted_s = 0.0


_running = _Running()


def adapt() -> None:
    """Give OpenBLAS as many threads as cores are free now; cheap enough before every pass."""
    now = time.monotonic()
    if _running.library is None or now - _running.counted_s < _COUNT_EVERY_S:
        return
    _running.counted_s = now
    threads = _threads()
    if threads != _running.threads:
        _running.library.openblas_set_num_threads(threads)
        _running.threads = threads


def name() -> str:
    """`cpu`, `metal` or `cuda`: where MLX computes by default."""
    prepare()
    import mlx.core as mx

    if mx.default_device() == mx.Device(mx.cpu):
        return "cpu"
    return "metal" if mx.metal.is_available() else "cuda"


def computes_in_float32() -> bool:
    """Whether weights should be f32: on a CPU half precision and quantised weights are slower."""
    return name() == "cpu"


def _mlx_cpu_site() -> Path | None:
    """The site folder of MLX's CPU build for Linux, None for any other build."""
    if not sys.platform.startswith("linux"):
        return None
    spec = importlib.util.find_spec("mlx")
    for folder in (spec and spec.submodule_search_locations) or ():
        site = Path(folder).parent
        if (site / "mlx_cpu.libs").is_dir():
            return site
    return None


def _openblas(site: Path) -> Path | None:
    for folder in (site, *map(Path, sys.path)):
        if (folder / _OPENBLAS).is_file():
            return folder / _OPENBLAS
    return None


def _load_openblas(path: Path, site: Path) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError as error:
        if "libgfortran" not in str(error):
            raise
    _provide_libgfortran(site / "mlx_cpu.libs")
    return ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)


def _provide_libgfortran(folder: Path) -> None:
    """Load MLX's own copy of libgfortran under the name that OpenBLAS asks the linker for.

    OpenBLAS needs libgfortran.so.5, which many machines lack; the wheel of MLX carries it under a
    mangled soname. The dynamic linker matches by soname, so a copy in memory gets the plain one.
    """
    for dependency in folder.glob("libquadmath-*"):
        ctypes.CDLL(str(dependency))
    original = next(folder.glob("libgfortran-*"), None)
    if original is None:
        raise OSError("libgfortran.so.5 is not installed")
    mangled = original.name.encode() + b"\0"
    plain = b"libgfortran.so.5".ljust(len(mangled), b"\0")
    _load_from_memory(original.read_bytes().replace(mangled, plain))


def _load_from_memory(library: bytes) -> None:
    descriptor = os.memfd_create("libgfortran.so.5")
    try:
        os.write(descriptor, library)
        ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def _threads() -> int:
    """How many threads OpenBLAS gets: the cores that are free for this process, one at least.

    Its threads wait for each other by spinning, some two hundred times a forward pass: on a busy
    machine one thread is up to twenty times faster than two. The result is the same to the bit.
    """
    if (chosen := os.environ.get("OPENBLAS_NUM_THREADS", "")).isdecimal():
        return max(1, int(chosen))
    return max(1, min(_cores() - _others_running(), _MOST_THREADS))


def _cores() -> int:
    """Cores this process may use: a container often has fewer than the machine."""
    cores = len(os.sched_getaffinity(0))
    quota, _, period = _first_line("/sys/fs/cgroup/cpu.max").partition(" ")
    if quota.isdecimal() and period.isdecimal():
        return max(1, min(cores, round(int(quota) / int(period))))
    return cores


def _others_running() -> int:
    """Threads of other processes that want a core at this moment (proc_loadavg(5), field 4)."""
    fields = _first_line("/proc/loadavg").split()
    running = fields[3].partition("/")[0] if len(fields) > 3 else ""
    return max(0, int(running) - _own_running()) if running.isdecimal() else 0


def _own_running() -> int:
    """Threads of this process that run or want to (proc_pid_stat(5), the state behind the name)."""
    stats = (_first_line(f"{task}/stat") for task in _tasks())
    return sum(stat.rpartition(") ")[2].startswith("R") for stat in stats)


def _tasks() -> list[str]:
    try:
        return [f"/proc/self/task/{task}" for task in os.listdir("/proc/self/task")]
    except OSError:
        return []


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.readline().strip()
    except OSError:
        return ""
