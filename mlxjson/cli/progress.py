"""Progress on stderr, only where somebody looks at it."""

import time
from collections.abc import Callable

from mlxjson.environment import Environment

_PATIENCE_SECONDS = 1.0


def prefill_progress(environment: Environment, quiet: bool) -> Callable[[int, int], None] | None:
    """A line that shows how much of a long prompt has been read; None off a terminal."""
    if quiet or not environment.stderr_isatty or environment.variables.get("TERM") == "dumb":
        return None
    begin = time.monotonic()

    def show(done: int, total: int) -> None:
        if time.monotonic() - begin < _PATIENCE_SECONDS:
            return
        line = "" if done >= total - 1 else f"reading the prompt: {done} of {total} tokens"
        environment.stderr.write(f"\r\x1b[K{line}")
        environment.stderr.flush()

    return show
