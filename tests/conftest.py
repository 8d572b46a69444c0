"""Settings of the whole test run."""

import os
import signal

# A run in the background has Ctrl-C ignored, and the commands under test would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Several OpenBLAS threads wait for each other by spinning: on a machine that has other work, ten
# times slower than one thread. Tests share their machine.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from mlxjson.model import device

# OpenBLAS has to be there before any test imports MLX: the reference BLAS is thirty times slower.
device.prepare()
