"""Compiling a suspicious grammar in a child process first, which may be killed.

xgrammar can't be interrupted, and a grammar can make it take hours or all memory. Whatever looks
expensive is compiled and followed for a few tokens in a child under limits of time and memory;
only what survives is compiled here. Run as `python -m mlxjson.grammar.trial`, this is the child.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from mlxjson.errors import ConstraintError, MlxjsonError
from mlxjson.grammar.sources import EbnfSource, LarkSource, Source
from mlxjson.vocabulary import Vocabulary

if TYPE_CHECKING:
    from mlxjson.grammar.compiler import Engine

SECONDS = 8
BYTES = 1 << 30
_STEPS = 24
_SLOWEST_MASK = 2.0  # seconds
# What the child takes to start and read the vocabulary, on a slow machine.
_START_SECONDS = 30

_OUT_OF_MEMORY, _TOO_SLOW = 21, 22


def try_out(source: Source, vocabulary: Vocabulary, burden: str) -> None:
    """Compile `source` in a child. `burden` says what may make it expensive.

    Raises:
        ConstraintError: the child ran out of time or memory, or crashed.
    """
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", "mlxjson.grammar.trial"],
            input=_request(source, vocabulary),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            timeout=SECONDS + _START_SECONDS,
            check=False,
        )
        status = child.returncode
    except subprocess.TimeoutExpired:
        status = -signal.SIGALRM
    if status:
        raise ConstraintError(
            f"compiling the grammar {_what_happened(status)}: {burden}",
            where=source.name,
            hint="make it smaller, or say the same with fewer ways to read one text",
        )


def _what_happened(status: int) -> str:
    if status in (-signal.SIGALRM, -signal.SIGXCPU):
        return f"takes more than {SECONDS} s"
    if status == _OUT_OF_MEMORY:
        return f"takes more than {BYTES >> 30} GiB of memory"
    if status == _TOO_SLOW:
        return "gives masks that take seconds each"
    return "ends in a crash of the compiler"


def _request(source: Source, vocabulary: Vocabulary) -> bytes:
    """One line of JSON, then the bytes of all tokens."""
    head = {
        "lark": isinstance(source, LarkSource),
        "source": asdict(source),
        "lengths": [len(token) for token in vocabulary.tokens],
        "width": vocabulary.width,
        "stop_ids": sorted(vocabulary.stop_ids),
        "seconds": SECONDS,
    }
    return json.dumps(head).encode() + b"\n" + b"".join(vocabulary.tokens)


def _read_request(data: bytes) -> tuple[Source, Vocabulary, int]:
    line, _, blob = data.partition(b"\n")
    head = json.loads(line)
    tokens, start = [], 0
    for length in head["lengths"]:
        tokens.append(blob[start : start + length])
        start += length
    vocabulary = Vocabulary(tuple(tokens), head["width"], frozenset(head["stop_ids"]), "")
    source = (LarkSource if head["lark"] else EbnfSource)(**head["source"])
    return source, vocabulary, head["seconds"]


def _limit(seconds: int) -> None:
    """Give this process `BYTES` more memory and `seconds` more time from here."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with open("/proc/self/statm") as file:
            pages = int(file.read().split()[0])
        most = pages * resource.getpagesize() + BYTES
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _follow(engine: "Engine", source: Source) -> int:
    """Compile, and take a few random steps. The exit status."""
    from mlxjson.grammar.mask import allowed_ids, empty_mask

    matcher = engine.finish(engine.parse(source)).matcher()
    row = empty_mask(matcher.width)
    draw = random.Random(0)
    for _ in range(_STEPS):
        began = time.perf_counter()
        matcher.fill(row)
        if time.perf_counter() - began > _SLOWEST_MASK:
            return _TOO_SLOW
        ids = [i for i in allowed_ids(row).tolist() if i not in engine.vocabulary.stop_ids]
        if not ids or not matcher.accept(draw.choice(ids)):
            break
    return 0


def main() -> int:
    """The child: the exit status says how it went."""
    from mlxjson.grammar.compiler import Engine

    source, vocabulary, seconds = _read_request(sys.stdin.buffer.read())
    engine = Engine(vocabulary)
    _limit(seconds)
    try:
        return _follow(engine, source)
    except MemoryError:
        return _OUT_OF_MEMORY
    except RuntimeError as error:
        # Anything else that is wrong with it, the parent finds again and says in full.
        return _OUT_OF_MEMORY if "bad_alloc" in str(error) else 0
    except MlxjsonError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
