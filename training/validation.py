"""The fixed validation sets: unseen frames and names, unseen families, unseen labels.

`python -m training.validation FOLDER [COUNT]` writes each as JSON Lines: `text`, `schema`, `gold`,
as `mlxjson bench --quality` reads them; of the labels `text`, `options`, `gold`.
"""

import argparse
import json
from pathlib import Path
from random import Random

from mlxjson.prompt import gen_messages
from training.examples import Example, classification, extraction
from training.splits import VALIDATION

SEED = 20261129


def frames(count: int) -> list[Example]:
    """Known kinds of documents in unseen wording."""
    rng = Random(SEED)
    return [extraction(VALIDATION, rng) for _ in range(count)]


def families(count: int) -> list[Example]:
    """Families of schemas kept from training, those with nested values first."""
    rng = Random(SEED + 1)
    return [extraction(VALIDATION, rng, held_out=True) for _ in range(count)]


def nested(count: int) -> list[Example]:
    """Unseen wording with objects or arrays of objects inside."""
    rng = Random(SEED + 2)
    found: list[Example] = []
    while len(found) < count:
        one = extraction(VALIDATION, rng, held_out=len(found) % 2 == 0)
        if '"items": {"type": "object"' in str(one.schema).replace("'", '"') or any(
            "properties" in str(p) for p in one.schema.get("properties", {}).values()
        ):
            found.append(one)
    return found


def labels(count: int) -> list[Example]:
    """Texts with three to six labels, none of them seen in training."""
    rng = Random(SEED + 3)
    found: list[Example] = []
    while len(found) < count:
        one = classification(VALIDATION, rng)
        if 3 <= len(one.options) <= 6:
            found.append(one)
    return found


SETS = {"frames": frames, "families": families, "nested": nested, "labels": labels}


def read(path: str) -> list[Example]:
    """A file of `text`, `schema`, `gold` as examples."""
    rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines() if line]
    return [
        Example(
            gen_messages(r["text"], r["schema"]),
            "",
            "extraction",
            r["text"],
            r["schema"],
            r["gold"],
        )
        for r in rows
    ]


def write(folder: Path, count: int) -> None:
    """The sets as files, to measure them by other means."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in SETS.items():
        asked = "options" if name == "labels" else "schema"
        rows = [
            {"text": one.text, asked: getattr(one, asked), "gold": one.gold} for one in make(count)
        ]
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text("".join(lines), "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("count", type=int, nargs="?", default=200, help="examples of each set")
    args = parser.parse_args()
    write(args.folder, args.count)
