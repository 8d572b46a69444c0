"""The command line: options in, engine called, bytes out."""

import os
import sys


def main() -> None:
    """Entry point of the `mlxjson` command."""
    import gc

    from mlxjson.cli.boundary import run
    from mlxjson.cli.streams import claim

    claim()
    # Both OpenBLAS, numpy's and MLX's, start their threads when they are loaded, and these spin for
    # 0.1 s of CPU time. numpy's has nothing to do; MLX's gets threads when it has.
    os.environ.setdefault("OPENBLAS_DEFAULT_NUM_THREADS", "1")
    # A vocabulary is 10^5 objects that stay: by default each thousand has the collector look again.
    gc.set_threshold(100_000)
    code = run(sys.argv[1:])
    sys.stderr.flush()
    # A thread that is still loading a model must not be torn down under MLX's feet.
    os._exit(code)
