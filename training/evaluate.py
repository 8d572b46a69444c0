"""Measure an adapter as the tool runs it: greedy, under the grammar, on the starter.

`python -m training.evaluate [--adapter FOLDER] [--file probe.jsonl] [--sets labels:200,frames:110]`
prints a line for each set, with its right and all answers by kind, and writes the mistakes.
"""

import argparse
import json
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from mlxjson.api import open_session
from mlxjson.constraint import Choice, JsonSchema, Layout
from mlxjson.session import Session
from mlxjson.task import Task
from training.examples import Example
from training.scoring import parsed, score
from training.validation import SETS, read


def reduced(folder: Path, rank: int, to: Path) -> str:
    """The adapter cut down to a rank by its singular values, written into another folder."""
    import numpy as np
    from safetensors.numpy import load_file, save_file

    weights = load_file(folder / "adapter.safetensors")
    found = {}
    for key in (key for key in weights if key.endswith(".lora_b")):
        name = key.removesuffix(".lora_b")
        q, r = np.linalg.qr(weights[key].astype(np.float32))
        u, s, v = np.linalg.svd(r @ weights[f"{name}.lora_a"].astype(np.float32), False)
        found[key] = np.ascontiguousarray(q @ u[:, :rank] * s[:rank]).astype(np.float16)
        found[f"{name}.lora_a"] = np.ascontiguousarray(v[:rank]).astype(np.float16)
    save_file(found, to / "adapter.safetensors")
    return str(to)


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
    kinds: dict[str, list[int]] = {}
    for one in made:
        text = answer(session, one, **options)
        if one.sort == "choice":
            good, all_ = int(text == one.gold), 1
            wrong = [] if good else [(one.options, text, one.gold)]
        else:
            good, all_, wrong = score(parsed(text), one.gold)
        right, total, whole = right + good, total + all_, whole + (good == all_)
        before = kinds.get(one.kind, [0, 0])
        kinds[one.kind] = [before[0] + good, before[1] + all_]
        if wrong:
            mistakes.append({"kind": one.kind, "text": one.text, "wrong": wrong, "answer": text})
    shares = {"fields": right / total, "of": total, "documents": whole, "examples": len(made)}
    return {**shares, "kinds": kinds, "mistakes": mistakes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adapter", type=Path, help="folder; default: the one in the package")
    parser.add_argument("--bare", action="store_true", help="the starter without any adapter")
    parser.add_argument(
        "--file", action="append", default=[], help="JSONL of text, schema and gold"
    )
    parser.add_argument("--count", type=int, default=100, help="of each set that names no number")
    parser.add_argument("--sets", default="frames,families,nested,labels", help="frames:110, ...")
    parser.add_argument("--rank", type=int, help="cut the adapter down to this rank")
    parser.add_argument("--mistakes", type=Path)
    args = parser.parse_args()
    session = _opened(args)
    sets = {path: read(path) for path in args.file}
    for name, _, count in (item.partition(":") for item in args.sets.split(",") if item):
        sets[name] = SETS[name](int(count or args.count))
    found = {}
    for name, made in sets.items():
        found[name] = measured(session, made)
        shown = {k: v for k, v in found[name].items() if k != "mistakes"}
        print(name, {**shown, "fields": round(shown["fields"], 4)}, flush=True)
        if args.mistakes:
            args.mistakes.write_text(json.dumps(found, ensure_ascii=False, indent=1))


def _opened(args: argparse.Namespace) -> Session:
    folder = str(args.adapter) if args.adapter else None
    if args.rank:
        source = args.adapter or Path(str(files("mlxjson.model"))) / "starter_adapter"
        folder = reduced(source, args.rank, Path(mkdtemp()))
    return open_session("starter", adapter=folder, starter_adapter=not args.bare)


if __name__ == "__main__":
    main()
