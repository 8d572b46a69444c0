"""What a bench found, as plain data: the one source of table, chart and JSON."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from mlxjson import __version__
from mlxjson.bench.figures import Figure, figure, percentile
from mlxjson.bench.speed import (
    EVERYTHING,
    JUMPING,
    MASKED,
    VARIANTS,
    Measured,
    Outcome,
    Variant,
)
from mlxjson.bench.start import Started


@dataclass(frozen=True, slots=True)
class Setting:
    """What was measured on."""

    model: str
    device: str
    layout: str
    runs: int
    max_tokens: int
    samples: list[str]


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a bench."""

    setting: Setting
    measured: Measured
    cached: Started
    uncached: Started

    def figure(self, variant: Variant, of: Callable[[Outcome], float]) -> Figure:
        """One figure of a variant over all rounds."""
        return figure(of(outcome) for outcome in self.measured.rounds[variant])

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON. Shares are of output tokens, or of a step's time for masks."""
        prefill = self.figure(MASKED, lambda outcome: outcome.prefill_tokens_per_s)
        return {
            "mlxjson": __version__,
            **asdict(self.setting),
            "variants": [self._variant(variant) for variant in VARIANTS],
            "prefill_tokens_per_s": prefill.as_dict(),
            "mask": self._mask(),
            "start": {"cached": self.cached.as_dict(), "uncached": self.uncached.as_dict()},
            "same_output": self._same(),
        }

    def _variant(self, variant: Variant) -> dict[str, Any]:
        first = self.measured.rounds[variant][0].counters
        speed = self.figure(variant, lambda outcome: outcome.tokens_per_s)
        masked = self.figure(MASKED, lambda outcome: outcome.tokens_per_s)
        tokens = max(1, first.output_tokens)
        return {
            "name": variant.name,
            "tokens_per_s": speed.as_dict(),
            "against_masked": round(speed.median / max(1e-6, masked.median), 3),
            "step_ms": self.figure(variant, lambda outcome: outcome.step_ms).as_dict(),
            "passes_per_token": round(first.forward_passes / tokens, 3),
            "forced_share": round(first.forced_tokens / tokens, 3),
            "accepted_share": round(first.accepted_tokens / tokens, 3),
            **asdict(first),
        }

    def _mask(self) -> dict[str, float]:
        spent = self.measured.masks_us
        return {
            "fill_p50_us": round(percentile(spent, 0.5), 1),
            "fill_p99_us": round(percentile(spent, 0.99), 1),
            "step_share": round(self.measured.mask_share, 4),
        }

    def _same(self) -> dict[str, dict[str, int]]:
        """In how many samples the greedy text is the one of the run with every lever on."""
        rounds = self.measured.rounds
        others = {
            "without drafting": rounds[JUMPING][0],
            "without jump-forward": self.measured.drafting_alone,
            "without both": rounds[MASKED][0],
            "again": rounds[EVERYTHING][-1],
        }
        texts = rounds[EVERYTHING][0].texts
        return {name: _agreement(other.texts, texts) for name, other in others.items()}


def _agreement(one: list[str], two: list[str]) -> dict[str, int]:
    return {"same": sum(a == b for a, b in zip(one, two, strict=True)), "of": len(two)}
