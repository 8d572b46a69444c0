"""The figures of a run, under the same names everywhere."""

import sys
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(slots=True)
class Stats:
    """Figures of one run: counts, `*_ms` in milliseconds, memory in MB (10^6 bytes).

    `finish` is stop, length or invalid; `forward_passes` leaves prefill out; `thinking_tokens`,
    tags included, are no `output_tokens`; `adapter` is empty if there is none; `first_byte_ms` and
    `total_ms` count from the start of the process.
    """

    finish: str = ""
    prompt_tokens: int = 0
    output_tokens: int = 0
    forward_passes: int = 0
    forced_tokens: int = 0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    thinking_tokens: int = 0
    retries: int = 0
    exact: bool = True
    device: str = ""
    model: str = ""
    adapter: str = ""
    import_ms: float = 0.0
    load_ms: float = 0.0
    tokenizer_ms: float = 0.0
    vocabulary_ms: float = 0.0
    compile_ms: float = 0.0
    prefill_ms: float = 0.0
    first_byte_ms: float = 0.0
    decode_ms: float = 0.0
    validate_ms: float = 0.0
    total_ms: float = 0.0
    peak_memory_mb: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The figures ready for JSON, times rounded to a hundredth of a millisecond."""
        return {
            key: round(value, 2) if isinstance(value, float) else value
            for key, value in asdict(self).items()
        }


def peak_memory_mb() -> float:
    """The most memory this process has held, in MB."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # ru_maxrss is in kilobytes on Linux and in bytes on macOS (getrusage(2) of each).
    return peak / 1e6 if sys.platform == "darwin" else peak / 1e3
