"""Reasoning before the answer, as plain data: whether it is wanted, and where a prompt stands."""

from dataclasses import dataclass
from enum import StrEnum


class Think(StrEnum):
    """Whether a model that can reason first does: see `--think`."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class Stance(StrEnum):
    """Where a prompt leaves a model that can reason.

    OPEN: the prompt ends inside the reasoning. FREE: the model may begin to reason, or answer at
    once. LIVE: what comes next is the answer.
    """

    OPEN = "open"
    FREE = "free"
    LIVE = "live"


@dataclass(frozen=True, slots=True)
class Tags:
    """What stands around reasoning, in token ids.

    Attributes:
        begin: what the model writes to begin.
        end: what it writes to end.
        cut: what ends it in the model's place; its last ids are `end`.
        lead: what stands between `end` and the answer.
    """

    begin: tuple[int, ...]
    end: tuple[int, ...]
    cut: tuple[int, ...]
    lead: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's ids, and where it leaves the model; `tags` is None where it can't reason."""

    ids: list[int]
    stance: Stance = Stance.LIVE
    tags: Tags | None = None
