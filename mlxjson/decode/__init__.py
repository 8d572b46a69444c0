"""Token ids in, token ids out. Nothing here knows text, and nothing here prints."""

from mlxjson.model import device

# Every module here imports MLX, and OpenBLAS has to be there before it: a pass takes thirty times
# as long otherwise.
device.prepare()
