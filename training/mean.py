"""The mean of adapters: `python -m training.mean OUT FOLDER FOLDER ...`.

Runs with other seeds from the same beginning end in the same basin, and the mean of their weights
generalises better than each (Wortsman et al. 2022, "Model soups"). The mean of changes of rank r
has a higher rank; it is cut down to r by its singular values.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Pair = tuple[NDArray[np.float16], NDArray[np.float16]]  # b (out, rank), a (rank, in)


def mean(pairs: Sequence[Pair]) -> Pair:
    """b and a of the rank of the first whose product is nearest to the mean of the products b a."""
    left = np.concatenate([b.astype(np.float32) / len(pairs) for b, _ in pairs], axis=1)
    right = np.concatenate([a.astype(np.float32) for _, a in pairs])
    # The singular values of left @ right, found without multiplying to full size.
    q, r = np.linalg.qr(left)
    p, s = np.linalg.qr(right.T)
    u, values, v = np.linalg.svd(r @ s.T)
    rank = pairs[0][0].shape[1]
    root = np.sqrt(values[:rank])
    b, a = (q @ u[:, :rank]) * root, (v[:rank] @ p.T) * root[:, None]
    return b.astype(np.float16), np.ascontiguousarray(a.astype(np.float16))


def main() -> None:
    from safetensors.numpy import load_file, save_file

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", type=Path, nargs="+")
    args = parser.parse_args()
    weights = [load_file(folder / "adapter.safetensors") for folder in args.folders]
    found = {}
    for key in (key for key in weights[0] if key.endswith(".lora_b")):
        other = f"{key.removesuffix('.lora_b')}.lora_a"
        found[key], found[other] = mean([(one[key], one[other]) for one in weights])
    args.out.mkdir(parents=True, exist_ok=True)
    save_file(found, args.out / "adapter.safetensors")


if __name__ == "__main__":
    main()
