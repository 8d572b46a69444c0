"""Building without garbage collection."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collection() -> Iterator[None]:
    """Put off the search for garbage.

    A program's table is many small objects that all stay: the collector looks at them again and
    again and finds nothing, which takes a fifth of the time of a compilation.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
