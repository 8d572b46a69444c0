"""Train the starter's adapter: `python -m training.train --model starter.gguf --out folder`.

The data are made while training, by as many processes as there are cores; the same arguments give
the same examples in the same order.
"""

import argparse
import json
import math
import multiprocessing
import multiprocessing.pool
import os
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

from training import examples, network
from training.forward import Forward
from training.tokenise import Encoded, Encoder

_SHARD = int(os.environ.get("TRAINING_SHARD", "1024"))
_encoder: Encoder | None = None


def _start(model: str) -> None:
    global _encoder  # noqa: PLW0603 - one tokenizer per worker process
    torch.set_num_threads(1)
    _encoder = Encoder(model)


def _shard(task: tuple[int, int, str]) -> list[Encoded]:
    seed, number, sort = task
    rng = Random(f"{seed}/{sort}/{number}")
    if sort == "general":
        made: Iterator[examples.Example] = iter(examples.creative(rng) for _ in range(_SHARD // 8))
    else:
        made = iter(
            example
            for _, example in zip(
                range(_SHARD), examples.train_stream(rng.randrange(2**40)), strict=False
            )
        )
    return [_encoder.example(example, rng) for example in made]


def batches(shard: list[Encoded], tokens: int, rng: Random) -> Iterator[list[Encoded]]:
    """Examples of like length together, at most `tokens` ids with padding, in chance order."""
    ranked = sorted((e for e in shard if len(e.ids) <= 1536), key=lambda e: len(e.ids))
    found: list[list[Encoded]] = [[]]
    for one in ranked:
        if len(one.ids) * (len(found[-1]) + 1) > tokens:
            found.append([])
        found[-1].append(one)
    rng.shuffle(found)
    yield from (batch for batch in found if batch)


def tensors(batch: list[Encoded], device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """ids (rows, longest) int64 padded with 0 at the right, weights likewise float32."""
    # One more than a multiple of 64: the last id is never an input. Few shapes compile sooner.
    longest = -(-max(len(e.ids) - 1 for e in batch) // 64) * 64 + 1
    ids = torch.zeros(len(batch), longest, dtype=torch.long)
    weights = torch.zeros(len(batch), longest)
    for row, one in enumerate(batch):
        ids[row, : len(one.ids)] = torch.from_numpy(one.ids.astype("int64"))
        weights[row, : len(one.ids)] = torch.from_numpy(one.weights.astype("float32"))
    return ids.to(device, non_blocking=True), weights.to(device, non_blocking=True)


def answer_loss(run: Forward, ids: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Weighted cross entropy of the answers; causal attention needs no mask for right padding."""
    chosen = weights[:, 1:] > 0
    logits = run.model.lm_head(run(ids[:, :-1])[chosen]).float()
    losses = functional.cross_entropy(logits, ids[:, 1:][chosen], reduction="none")
    kept = weights[:, 1:][chosen]
    return (losses * kept).sum() / kept.sum()


def base_distance(run: Forward, ids: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """KL divergence from the base's next-token distributions, over the answers."""
    chosen = weights[:, 1:] > 0
    with torch.no_grad():
        base = run.model.lm_head(run(ids[:, :-1], adapted=False)[chosen]).float().log_softmax(-1)
    own = run.model.lm_head(run(ids[:, :-1])[chosen]).float().log_softmax(-1)
    return functional.kl_div(own, base, log_target=True, reduction="batchmean")


def _forward(model: torch.nn.Module, device: str) -> Forward:
    """Compiled on a GPU if one step of it works there."""
    run = Forward(model, compiled=device == "cuda")
    if device == "cuda":
        begun = time.monotonic()
        try:
            for rows, length in ((40, 257), (24, 385), (64, 193)):
                ids = torch.zeros(rows, length, dtype=torch.long, device=device)
                weights = torch.ones_like(ids, dtype=torch.float)
                weights[:, :-40] = 0
                answer_loss(run, ids, weights).backward()
                base_distance(run, ids, weights).backward()
        except Exception as error:
            run.fall_back(error)
        model.zero_grad(set_to_none=True)
        print(f"prepared in {time.monotonic() - begun:.0f} s", flush=True)
    return run


def rate(done: float, peak: float) -> float:
    """Warm-up over three per cent, then a cosine to a fiftieth."""
    if done < 0.03:
        return peak * max(done, 1e-4) / 0.03
    return peak * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(1.0, (done - 0.03) / 0.97))))


def train(args: argparse.Namespace) -> None:
    # Forked before CUDA starts: the workers need none, and fork costs no second import of torch.
    with multiprocessing.get_context("fork").Pool(args.workers, _start, (args.model,)) as pool:
        model = _trained(pool, args)
        pool.terminate()
    if args.validate:
        from training.validate import report

        report(
            model,
            Encoder(args.model),
            args.validate,
            Path(args.out) / "validation.json",
            args.extra_set,
        )


def _trained(pool: multiprocessing.pool.Pool, args: argparse.Namespace) -> torch.nn.Module:
    general = _cycle(pool, args)
    shards = math.ceil(args.examples / _SHARD)
    made = pool.imap(_shard, ((args.seed, n, "train") for n in range(shards)))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(args.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    model = network.load(Path(args.model), args.rank, args.scale, device, args.layers)
    model.to(torch.bfloat16 if device == "cuda" else torch.float32)
    for layer in model.modules():
        if isinstance(layer, network.LoraLinear):
            layer.float()
    if args.start:
        network.restore(model, load_file(args.start))
    run = _forward(model, device)
    trained = [p for p in model.parameters() if p.requires_grad]
    print(f"{sum(p.numel() for p in trained)} trained parameters on {device}", flush=True)
    optimizer = torch.optim.AdamW(
        trained, lr=args.lr, betas=(0.9, 0.98), weight_decay=0.0, fused=device == "cuda"
    )
    rng = Random(args.seed)
    begun, seen, step, tokens, recent = time.monotonic(), 0, 0, 0, []
    for shard, waited in _timed(made):
        for batch in batches(shard, args.tokens, rng):
            ids, weights = tensors(batch, device)
            done = max(seen / args.examples, (time.monotonic() - begun) / args.seconds)
            for group in optimizer.param_groups:
                group["lr"] = rate(done, args.lr)
            loss = answer_loss(run, ids, weights)
            loss.backward()
            if step % args.general_every == 0:
                (
                    args.general_weight * base_distance(run, *tensors(next(general), device))
                ).backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            seen, step, tokens = seen + len(batch), step + 1, tokens + ids.numel()
            recent.append(loss.detach())
            if step % 50 == 0:
                mean = torch.stack(recent).mean().item()
                spent = time.monotonic() - begun
                speed = f"{tokens / spent:.0f} tokens/s {spent:.0f} s, waited {waited:.0f} s"
                print(f"step {step} seen {seen} loss {mean:.4f} {speed}", flush=True)
                recent = []
        if time.monotonic() - begun > args.seconds:
            print(f"ended by the clock after {seen} examples", flush=True)
            break
    _save(model, args, seen, time.monotonic() - begun)
    return model


def _timed(made: Iterator[list[Encoded]]) -> Iterator[tuple[list[Encoded], float]]:
    """Each shard with the seconds that were spent waiting for data so far."""
    waited, asked = 0.0, time.monotonic()
    for shard in made:
        waited += time.monotonic() - asked
        yield shard, waited
        asked = time.monotonic()


def _cycle(pool: multiprocessing.pool.Pool, args: argparse.Namespace) -> Iterator[list[Encoded]]:
    kept = [
        e
        for shard in pool.map(_shard, [(args.seed, n, "general") for n in range(4)])
        for e in shard
    ]
    rng = Random(args.seed)
    while True:
        yield rng.sample(kept, min(len(kept), args.general_rows))


def _save(model: torch.nn.Module, args: argparse.Namespace, seen: int, spent: float) -> None:
    folder = Path(args.out)
    folder.mkdir(parents=True, exist_ok=True)
    facts = {
        "rank": args.rank,
        "scale": args.scale,
        "lr": args.lr,
        "seed": args.seed,
        "examples": seen,
        "seconds": round(spent),
    }
    save_file(
        network.adapter(model),
        folder / "adapter.safetensors",
        metadata={k: str(v) for k, v in facts.items()},
    )
    (folder / "training.json").write_text(json.dumps(facts) + "\n")
    print(json.dumps(facts), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="the starter's GGUF file")
    parser.add_argument("--out", required=True)
    parser.add_argument("--start", help="an adapter of the same rank to go on from")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=300_000)
    parser.add_argument(
        "--seconds",
        type=float,
        default=1e9,
        help="end the schedule by the clock if it is not done before",
    )
    parser.add_argument("--rank", type=int, default=24)
    parser.add_argument("--layers", type=int, default=99, help="fewer only to try the script out")
    parser.add_argument("--scale", type=float, default=2.0)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--tokens", type=int, default=32_768, help="ids in a batch")
    parser.add_argument("--general-every", type=int, default=8)
    parser.add_argument("--general-rows", type=int, default=24)
    parser.add_argument("--general-weight", type=float, default=0.5)
    parser.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument(
        "--validate", type=int, default=0, help="examples of each validation set to answer"
    )
    parser.add_argument(
        "--extra-set", help="a JSONL file of text, schema and gold to answer too, never trained on"
    )
    return parser.parse_args()


if __name__ == "__main__":
    train(_arguments())
