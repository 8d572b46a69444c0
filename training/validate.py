"""Answer the validation sets greedily, without a grammar, in batches on the training device."""

import json
from pathlib import Path
from typing import Any

import torch

from training.examples import Example
from training.scoring import parsed, score
from training.tokenise import Encoder
from training.validation import SETS, read

_ROWS = 100


def answers(model: Any, encoder: Encoder, made: list[Example], most: int = 400) -> list[str]:
    """Greedy answers, the longest prompts first."""
    device = next(model.parameters()).device
    prompts = [encoder.prompt(one.messages) for one in made]
    order = sorted(range(len(made)), key=lambda i: -len(prompts[i]))
    found = [""] * len(made)
    for start in range(0, len(order), _ROWS):
        rows = order[start : start + _ROWS]
        longest = max(len(prompts[i]) for i in rows)
        ids = torch.full((len(rows), longest), encoder.stop)
        mask = torch.zeros_like(ids)
        for row, i in enumerate(rows):
            ids[row, longest - len(prompts[i]) :] = torch.tensor(prompts[i])
            mask[row, longest - len(prompts[i]) :] = 1
        out = model.generate(
            ids.to(device),
            attention_mask=mask.to(device),
            max_new_tokens=most,
            do_sample=False,
            eos_token_id=encoder.stop,
            pad_token_id=encoder.stop,
        )
        for row, i in enumerate(rows):
            found[i] = encoder.tokenizer.text(out[row, longest:].tolist())
    return found


def measured(model: Any, encoder: Encoder, made: list[Example]) -> dict[str, Any]:
    """Shares of right fields and documents (or labels), and the mistakes."""
    right = total = whole = 0
    mistakes = []
    for one, text in zip(made, answers(model, encoder, made), strict=True):
        if one.sort == "choice":
            good, all_, wrong = (
                int(text == one.gold),
                1,
                [] if text == one.gold else [(one.options, text, one.gold)],
            )
        else:
            good, all_, wrong = score(parsed(text), one.gold)
        right, total, whole = right + good, total + all_, whole + (good == all_)
        if wrong:
            mistakes.append({"kind": one.kind, "text": one.text, "wrong": wrong, "answer": text})
    return {
        "fields": right / total,
        "of": total,
        "documents": whole / len(made),
        "examples": len(made),
        "mistakes": mistakes,
    }


def report(model: Any, encoder: Encoder, count: int, path: Path, extra: str | None = None) -> None:
    """Print the shares and write them with the mistakes."""
    model.eval()
    sets = {name: make(count) for name, make in SETS.items()}
    if extra:
        sets["file"] = read(extra)
    found = {}
    with torch.inference_mode():
        for name, made in sets.items():
            found[name] = measured(model, encoder, made)
            print(
                name,
                {k: round(v, 4) for k, v in found[name].items() if k != "mistakes"},
                flush=True,
            )
    path.write_text(json.dumps(found, ensure_ascii=False, indent=1))
