"""Which fields of an answer are right."""

import json
from typing import Any


def leaves(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """Scalars by path; a list of scalars is one leaf."""
    if isinstance(value, dict):
        return {k: v for key, item in value.items() for k, v in leaves(item, (*path, key)).items()}
    if isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        return {k: v for i, item in enumerate(value) for k, v in leaves(item, (*path, i)).items()}
    return {path: value}


def same(answer: Any, gold: Any) -> bool:
    """Strings after trimming and case folding, numbers as numbers."""
    if isinstance(gold, bool) or isinstance(answer, bool):
        return answer is gold
    if isinstance(gold, int | float) and isinstance(answer, int | float):
        return abs(answer - gold) <= 1e-9 * max(1, abs(gold))
    if isinstance(gold, str) and isinstance(answer, str):
        return answer.strip().casefold() == gold.strip().casefold()
    if isinstance(gold, list) and isinstance(answer, list):
        return len(gold) == len(answer) and all(map(same, answer, gold))
    return answer is None and gold is None


def score(answer: Any, gold: Any) -> tuple[int, int, list[tuple[Any, Any, Any]]]:
    """Right leaves, all leaves, and (path, answer, gold) of the wrong ones."""
    wanted, got = leaves(gold), leaves(answer) if answer is not None else {}
    wrong = [
        (path, got.get(path, "<missing>"), value)
        for path, value in wanted.items()
        if path not in got or not same(got[path], value)
    ]
    return len(wanted) - len(wrong), len(wanted), wrong


def parsed(text: str) -> Any:
    """The document, or None where the text is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
