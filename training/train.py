"""Train the starter's adapter: `python -m training.train --model starter.gguf --out folder`.

The data are made while training, by as many processes as there are cores; the same arguments give
the same examples in the same order.
"""

import argparse
import itertools
import json
import math
import multiprocessing
import multiprocessing.pool
import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from random import Random

import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional

from training import examples, network
from training.forward import Forward
from training.own_words import NEVER, Author, OwnWords
from training.packing import Batch, batches
from training.tokenise import Encoder
from training.validation import SETS

_SHARD = int(os.environ.get("TRAINING_SHARD", "2048"))
# How likely a text ends where it is long enough and a sentence of it has ended.
_CLOSING = 0.6
_encoder: Encoder | None = None


def _start(model: str) -> None:
    global _encoder  # noqa: PLW0603 - one tokenizer per worker process
    torch.set_num_threads(1)
    _encoder = Encoder(model)


def _shard(task: tuple[int, int, int, float]) -> list[Batch]:
    """Whole batches, since the main process has a GPU to feed and no time to put them together."""
    seed, number, tokens, share = task
    rng = Random(f"{seed}/train/{number}")
    stream = examples.train_stream(rng.randrange(2**40), share)
    made = [_encoder.example(next(stream), rng) for _ in range(_SHARD)]
    return batches(made, tokens, rng)


def _tensors(batch: Batch, device: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """ids (rows, longest) int64; places of the answers' ids int64; their weights float32."""
    ids, places, weights = (torch.from_numpy(part).to(device) for part in batch)
    return ids.long(), places.long(), weights.float()


def _logits(run: Forward, ids: torch.Tensor, places: torch.Tensor, **how: bool) -> torch.Tensor:
    """Next-token logits float32 where an id of an answer comes next."""
    hidden = run(ids[:, :-1], **how).flatten(0, 1)
    return run.model.lm_head(hidden.index_select(0, places)).float()


def answer_loss(
    run: Forward, ids: torch.Tensor, places: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Weighted cross entropy of the answers; causal attention needs no mask for right padding."""
    wanted = ids[:, 1:].flatten()[places]
    losses = functional.cross_entropy(_logits(run, ids, places), wanted, reduction="none")
    return (losses * weights).sum() / weights.sum()


def base_distance(
    run: Forward,
    ids: torch.Tensor,
    places: torch.Tensor,
    banned: torch.Tensor,
    closed: torch.Tensor,
) -> torch.Tensor:
    """KL divergence from the base's next-token distributions, over the answers.

    `banned` int64 (n, 2) are places, by their number, and ids that the base must not choose there,
    `closed` those that it is made to choose more often.
    """
    with torch.no_grad():
        base = _logits(run, ids, places, adapted=False)
        base[banned[:, 0], banned[:, 1]] = NEVER
        base = base.log_softmax(-1)
        places_closed, closing = closed.unbind(1)
        base[places_closed] += math.log(1 - _CLOSING)
        ends = base[places_closed, closing]
        base[places_closed, closing] = ends.logaddexp(torch.full_like(ends, math.log(_CLOSING)))
    own = _logits(run, ids, places).log_softmax(-1)
    return functional.kl_div(own, base, log_target=True, reduction="batchmean")


def _forward(model: torch.nn.Module, device: str) -> Forward:
    """Compiled on a GPU if one step of it works there."""
    run = Forward(model, compiled=device == "cuda")
    if device == "cuda":
        begun = time.monotonic()
        try:
            for rows, length in ((40, 257), (24, 385), (64, 193)):
                ids = torch.zeros(rows, length, dtype=torch.long, device=device)
                places = torch.arange(40, device=device)
                answer_loss(run, ids, places, torch.ones(40, device=device)).backward()
                none = torch.zeros((0, 2), dtype=torch.long, device=device)
                base_distance(run, ids, places, none, none).backward()
        except Exception as error:
            run.fall_back(error)
        model.zero_grad(set_to_none=True)
        print(f"prepared in {time.monotonic() - begun:.0f} s", flush=True)
    return run


def rate(done: float, peak: float) -> float:
    """Warm-up over three per cent, then down to 0 in a straight line."""
    return peak * min(max(done, 1e-4) / 0.03, max(0.0, 1 - done) / 0.97)


def train(args: argparse.Namespace) -> None:
    # Forked before CUDA starts: the workers need none, and fork costs no second import of torch.
    with multiprocessing.get_context("fork").Pool(args.workers, _start, (args.model,)) as pool:
        run = _trained(pool, args)
        pool.terminate()
    if args.validate:
        from training.validate import report

        report(
            run.model,
            Encoder(args.model),
            args.validate,
            Path(args.out) / "validation.json",
            args.extra_set,
        )


def _trained(pool: multiprocessing.pool.Pool, args: argparse.Namespace) -> Forward:
    shards = _shards(pool, args)
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
    general = _own_words(model, args)
    trained = [p for p in model.parameters() if p.requires_grad]
    print(f"{sum(p.numel() for p in trained)} trained parameters on {device}", flush=True)
    optimizer = torch.optim.AdamW(
        trained, lr=args.lr, betas=(0.9, 0.98), weight_decay=0.0, fused=device == "cuda"
    )
    begun, seen, step, tokens, recent, apart = time.monotonic(), 0, 0, 0, [], []
    for shard, waited in _timed(shards):
        for batch in shard:
            done = max(seen / args.examples, (time.monotonic() - begun) / args.seconds)
            if done >= 1:
                break
            ids, places, weights = _tensors(batch, device)
            for group in optimizer.param_groups:
                group["lr"] = rate(done, args.lr)
            loss = answer_loss(run, ids, places, weights)
            loss.backward()
            if step % args.general_every == 0:
                turns = general.batch()
                pairs = [torch.from_numpy(p).to(device) for p in (turns.banned, turns.closed)]
                near = base_distance(run, *_tensors(turns.batch, device)[:2], *pairs)
                apart.append(near.detach())
                (args.general_weight * near).backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            seen, step, tokens = seen + len(ids), step + 1, tokens + ids.numel()
            recent.append(loss.detach())
            if step % 50 == 0:
                mean = torch.stack(recent).mean().item()
                spent = time.monotonic() - begun
                speed = f"{tokens / spent:.0f} tokens/s {spent:.0f} s, waited {waited:.0f} s"
                far = torch.stack(apart).mean().item()
                print(f"step {step} seen {seen} loss {mean:.4f} base {far:.4f} {speed}", flush=True)
                recent, apart = [], []
        if done >= 1:
            break
    _save(model, args, seen, time.monotonic() - begun)
    if args.held_out:
        _measure(run, args, device)
    return run


def _shards(pool: multiprocessing.pool.Pool, args: argparse.Namespace) -> Iterator[list[Batch]]:
    """Shards without end, made a little ahead from now on: a long queue is slow to read."""
    numbers = itertools.count()

    def asked() -> multiprocessing.pool.AsyncResult[list[Batch]]:
        task = (args.seed, next(numbers), args.tokens, args.choices)
        return pool.apply_async(_shard, (task,))

    waiting = deque(asked() for _ in range(2 * args.workers))

    def found() -> Iterator[list[Batch]]:
        while True:
            shard = waiting.popleft().get()
            waiting.append(asked())
            yield shard

    return found()


def _timed(made: Iterator[list[Batch]]) -> Iterator[tuple[list[Batch], float]]:
    """Each shard with the seconds that were spent waiting for data so far."""
    waited, asked = 0.0, time.monotonic()
    for shard in made:
        waited += time.monotonic() - asked
        yield shard, waited
        asked = time.monotonic()


def _own_words(model: torch.nn.Module, args: argparse.Namespace) -> OwnWords:
    begun = time.monotonic()
    author = Author(model, Encoder(args.model), args.seed)
    found = OwnWords(author, args.general, args.general_rows, args.seed)
    print(f"{args.general} general turns in {time.monotonic() - begun:.0f} s", flush=True)
    return found


def _measure(run: Forward, args: argparse.Namespace, device: str) -> None:
    """Print, and add to training.json, the loss on gold answers of the validation sets."""
    encoder, found = Encoder(args.model), {}
    for name in ("frames", "labels", "nested"):
        made = [
            encoder.example(one, Random(number))
            for number, one in enumerate(SETS[name](args.held_out))
        ]
        found[name] = _held_out(run, batches(made, args.tokens, Random(0)), device)
    path = Path(args.out) / "training.json"
    facts = json.loads(path.read_text())
    for place, key in enumerate(("validation_loss", "validation_right")):
        facts[key] = {name: round(values[place], 4) for name, values in found.items()}
        facts[key]["mean"] = round(sum(facts[key].values()) / len(found), 4)
    path.write_text(json.dumps(facts) + "\n")
    print(json.dumps(facts), flush=True)


@torch.no_grad()
def _held_out(run: Forward, made: list[Batch], device: str) -> tuple[float, float]:
    """Nats for each freely chosen id, and the share of these that greedy choice gets right."""
    loss = right = count = 0.0
    for batch in made:
        ids, places, weights = _tensors(batch, device)
        free = places[weights >= 1]
        logits, wanted = _logits(run, ids, free), ids[:, 1:].flatten()[free]
        loss += functional.cross_entropy(logits, wanted, reduction="sum").item()
        right += (logits.argmax(-1) == wanted).sum().item()
        count += len(free)
    return loss / count, right / count


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
    parser.add_argument(
        "--choices",
        type=float,
        default=examples.CHOICES_SHARE,
        help="the share of the examples that are classification, 0 to 1",
    )
    parser.add_argument("--tokens", type=int, default=32_768, help="ids in a batch")
    parser.add_argument("--general", type=int, default=3072, help="general turns to be made")
    parser.add_argument("--general-every", type=int, default=2)
    parser.add_argument("--general-rows", type=int, default=32)
    parser.add_argument("--general-weight", type=float, default=1.0)
    parser.add_argument(
        "--held-out",
        type=int,
        default=200,
        help="gold answers of each validation set to measure the loss on at the end",
    )
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
