"""What the base itself writes under general requests.

The texts are made anew by each training and kept nowhere: they only say at which places the
distance between the base's next-token distribution and the adapted one is measured. A third of them
the adapter writes that the training starts from, so that the base is also asked at places where
the adapter goes astray.
"""

from random import Random
from typing import Any

import torch

from mlxjson.prompt import gen_messages, plain_messages
from training.general import Request, request
from training.network import LoraLinear
from training.tokenise import Encoder
from training.turns import REPEATED, Turns, Written, ends_sentence, pieces, together

NEVER = -1e4
_ENDS = frozenset('"\\\n\r\t')
_LONGEST = 64
_ROWS = 1024


class Author:
    """Writes texts with the model, whose adapter is on or off."""

    def __init__(self, model: Any, encoder: Encoder, seed: int) -> None:
        self.model, self.encoder = model, encoder
        self.device = next(model.parameters()).device
        self.random = torch.Generator(self.device).manual_seed(seed)
        text = encoder.tokenizer.text
        vocabulary = model.config.vocab_size
        ends = [not text([one]) or bool(_ENDS & set(text([one]))) for one in range(vocabulary)]
        self.ends = torch.tensor(ends, device=self.device)
        self.quote = self._encoded('"')[0]

    def write(self, requests: list[Request], adapted: bool, heat: float) -> list[Written]:
        """One turn for each request, greedy if `heat` is 0; text by text where there are some."""
        turns = [Written() for _ in requests]
        waiting = [pieces(one) for one in requests]
        for turn, one, left in zip(turns, requests, waiting, strict=True):
            turn.told(self._prompt(one))
            turn.told(self._encoded(left.pop(0)))
        while any(waiting):
            due = [at for at, left in enumerate(waiting) if left]
            for first in range(0, len(due), _ROWS):
                some = due[first : first + _ROWS]
                texts = self._texts([turns[at] for at in some], adapted, heat)
                for at, ids in zip(some, texts, strict=True):
                    closing = self.encoder.stop if requests[at].schema is None else self.quote
                    turns[at].chosen(ids, self._sentences(ids), closing)
            for turn, left in zip(turns, waiting, strict=True):
                if left:
                    turn.told(self._encoded(left.pop(0)) or [self.encoder.stop], after_text=True)
        return turns

    def _prompt(self, one: Request) -> list[int]:
        plain = one.schema is None
        return self.encoder.prompt(
            plain_messages(one.task) if plain else gen_messages(one.task, one.schema)
        )

    def _sentences(self, ids: list[int]) -> list[int]:
        """After how many ids a sentence of a text ends."""
        texts = [self.encoder.tokenizer.text(ids[:at]) for at in range(1, len(ids) + 1)]
        return [at for at, text in enumerate(texts, 1) if ends_sentence(text)]

    def _encoded(self, text: str) -> list[int]:
        return self.encoder.tokenizer.encode(text, special=False)

    @torch.no_grad()
    def _texts(self, turns: list[Written], adapted: bool, heat: float) -> list[list[int]]:
        """Ids of a text for each turn."""
        LoraLinear.enabled = adapted
        step, seen = (part.to(self.device) for part in _left_padded([turn.ids for turn in turns]))
        place = (seen.cumsum(-1) - 1).clamp_min(0)
        cache, texts, ended = None, step[:, :0], torch.zeros_like(step[:, 0], dtype=torch.bool)
        while texts.shape[1] < _LONGEST and not ended.all():
            out = self.model(
                input_ids=step,
                attention_mask=seen,
                position_ids=place,
                past_key_values=cache,
                use_cache=True,
                logits_to_keep=1,
            )
            cache = out.past_key_values
            step = self._next(out.logits[:, -1].float(), texts, heat)
            texts = torch.cat((texts, step), 1)
            ended |= self.ends[step[:, 0]]
            seen, place = torch.cat((seen, torch.ones_like(step)), 1), place[:, -1:] + 1
        LoraLinear.enabled = True
        return [self._cut(row) for row in texts.tolist()]

    def _next(self, logits: torch.Tensor, texts: torch.Tensor, heat: float) -> torch.Tensor:
        """The next id of each row (rows, 1), none that repeats."""
        if texts.shape[1] >= REPEATED:
            windows = texts.unfold(1, REPEATED, 1)
            same = (windows[..., :-1] == texts[:, None, 1 - REPEATED :]).all(-1)
            rows, places = same.nonzero(as_tuple=True)
            logits[rows, windows[rows, places, -1]] = NEVER
        if not heat:
            return logits.argmax(-1, keepdim=True)
        return torch.multinomial((logits / heat).softmax(-1), 1, generator=self.random)

    def _cut(self, ids: list[int]) -> list[int]:
        for at, one in enumerate(ids):
            if self.ends[one]:
                return ids[:at]
        return ids


def _left_padded(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """int64 ids (rows, longest), 0 at the left, and 1 where an id stands."""
    longest = max(map(len, rows))
    ids = torch.tensor([[0] * (longest - len(row)) + row for row in rows])
    seen = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
    return ids, seen


class OwnWords:
    """Batches without end of general turns."""

    def __init__(self, author: Author, count: int, rows: int, seed: int) -> None:
        self.rng, self.rows = Random(seed), rows
        asked = [request(self.rng) for _ in range(count)]
        self.turns = [
            *author.write(asked[0::3], adapted=False, heat=0),
            *author.write(asked[1::3], adapted=False, heat=0.8),
            *author.write(asked[2::3], adapted=True, heat=0),
        ]

    def batch(self) -> Turns:
        """Chance turns."""
        return together(self.rng.sample(self.turns, min(self.rows, len(self.turns))))
