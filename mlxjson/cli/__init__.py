"""The command line: options in, engine called, bytes out."""

import os
import sys


def main() -> None:
    """Entry point of the `mlxjson` command."""
    import gc

    from mlxjson.cli.boundary import run
    from mlxjson.cli.streams import claim

    claim()
    # A vocabulary is 10^5 objects that stay: by default each thousand has the collector look again.
    gc.set_threshold(100_000)
    code = run(sys.argv[1:])
    sys.stderr.flush()
    # A thread that is still loading a model must not be torn down under MLX's feet.
    os._exit(code)
