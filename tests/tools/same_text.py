"""Greedy answers of the starter to random prompts with drafting and without: are they the same?

    python tests/tools/same_text.py [COUNT] [SEED]

Prompts are random words, names, numbers and punctuation of random length; schemas are those of
`schemas/` in turn, told to the model in every fifth prompt. Prints each difference, and at the end
how many of how many were the same.
"""

import json
import random
import string
import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from mlxjson import JsonSchema, Task, open_session  # noqa: E402
from mlxjson.prompt import gen_messages  # noqa: E402

SCHEMAS = sorted((ROOT / "schemas").glob("*.json"))


def word(r: random.Random) -> str:
    kind = r.random()
    if kind < 0.15:
        return str(r.randint(0, 10 ** r.randint(1, 6)))
    if kind < 0.25:
        return f"{r.randint(1, 999)}.{r.randint(0, 99):02}"
    letters = "".join(r.choices(string.ascii_lowercase + "éüß日", k=r.randint(1, 9)))
    return letters.capitalize() if kind < 0.5 else letters


def text(r: random.Random) -> str:
    words = [word(r) + r.choice(["", "", "", ",", ".", ":", "!", "\n"]) for _ in range(99)]
    return " ".join(words[: r.randint(3, 60)])


def main(count: int, seed: int) -> None:
    session = open_session(None)
    same = 0
    started = time.monotonic()
    for number in range(count):
        schema = json.loads(SCHEMAS[number % len(SCHEMAS)].read_text())
        prompt = text(random.Random(f"{seed}-{number}"))
        messages = gen_messages(prompt, schema if number % 5 == 0 else None)
        task = Task(JsonSchema(schema), messages, max_tokens=80)
        drafted, plain = session.run(task), session.run(replace(task, draft=0))
        same += drafted.text == plain.text
        if drafted.text != plain.text:
            print(json.dumps([number, prompt, drafted.text, plain.text], ensure_ascii=False))
        if number % 10 == 9:
            print(f"{same} of {number + 1}, {time.monotonic() - started:.0f} s", file=sys.stderr)
    print(f"{same} of {count} the same")


if __name__ == "__main__":
    main(*(int(value) for value in (sys.argv[1:] + ["200", "1"][len(sys.argv) - 1 :])))
