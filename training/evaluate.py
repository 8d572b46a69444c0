"""Measure an adapter as the tool runs it: greedy, under the grammar, on the starter.

`python -m training.evaluate --adapter FILE [--file probe.jsonl] [--count 100]` prints a line for
each set and writes the mistakes.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from mlxjson.api import open_session
from mlxjson.constraint import Choice, JsonSchema, Layout
from mlxjson.session import Session
from mlxjson.task import Task
from training.examples import Example
from training.scoring import parsed, score
from training.validation import SETS, read


def merge(session: Session, path: Path, rank: int | None = None) -> None:
    """Add the adapter to the weights of a session's network.

    `rank` cuts it down by its singular values.
    """
    import mlx.core as mx
    import numpy as np

    model = session.network.model
    weights = mx.load(str(path))
    changed = []
    for name in sorted(key.removesuffix(".lora_a") for key in weights if key.endswith(".lora_a")):
        a = np.array(weights[f"{name}.lora_a"].astype(mx.float32))
        b = np.array(weights[f"{name}.lora_b"].astype(mx.float32))
        delta = _cut(b, a, rank) if rank else b @ a
        layer: Any = model
        for part in name.split("."):
            layer = layer[int(part)] if part.isdigit() else getattr(layer, part)
        layer.weight = layer.weight + mx.array(delta)
        changed.append(layer.weight)
    mx.eval(changed)


def _cut(b: Any, a: Any, rank: int) -> Any:
    import numpy as np

    q, r = np.linalg.qr(b)
    u, s, v = np.linalg.svd(r @ a, full_matrices=False)
    return (q @ u[:, :rank] * s[:rank]) @ v[:rank]


def answer(session: Session, one: Example, **options: Any) -> str:
    """The tool's answer, without retries."""
    constraint = (
        Choice(tuple(one.options))
        if one.sort == "choice"
        else JsonSchema(one.schema, Layout.SPACED)
    )
    text = session.run(
        Task(constraint, one.messages, retries=0, stream=False, max_tokens=600, **options)
    ).text
    return str(json.loads(text)) if one.sort == "choice" and text.startswith('"') else text


def measured(session: Session, made: list[Example], **options: Any) -> dict[str, Any]:
    """Shares of right leaves and whole documents (or labels), and the mistakes."""
    right = total = whole = 0
    mistakes = []
    for one in made:
        text = answer(session, one, **options)
        if one.sort == "choice":
            good, all_ = int(text == one.gold), 1
            wrong = [] if good else [(one.options, text, one.gold)]
        else:
            good, all_, wrong = score(parsed(text), one.gold)
        right, total, whole = right + good, total + all_, whole + (good == all_)
        if wrong:
            mistakes.append({"kind": one.kind, "text": one.text, "wrong": wrong, "answer": text})
    shares = {"fields": right / total, "of": total, "documents": whole, "examples": len(made)}
    return {**shares, "mistakes": mistakes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapter", type=Path)
    parser.add_argument(
        "--file", action="append", default=[], help="JSONL of text, schema and gold"
    )
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--sets", default="frames,families,nested,labels")
    parser.add_argument("--rank", type=int, help="cut the adapter down to this rank")
    parser.add_argument("--mistakes", type=Path)
    args = parser.parse_args()
    session = open_session("starter", starter_adapter=False)
    if args.adapter:
        merge(session, args.adapter, args.rank)
    sets = {path: read(path) for path in args.file}
    sets |= {name: SETS[name](args.count) for name in args.sets.split(",") if name}
    found = {}
    for name, made in sets.items():
        found[name] = measured(session, made)
        print(name, {k: round(v, 4) for k, v in found[name].items() if k != "mistakes"}, flush=True)
    if args.mistakes:
        args.mistakes.write_text(json.dumps(found, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
