"""Score `check --cases` in-process on the official suite, its formats, real-world schemas, probes.

    python tests/tools/score.py [draft4 draft6 draft7 draft2019-09 draft2020-12 formats bench
                                 probes] [--show N]

Reads ../shared. Columns: schemas, instances, right by the grammar alone, accepted wrongly and not
marked as checked afterwards ("silent"), right by grammar and validation together, schemas wholly
right by the grammar, errors, exact ones, and compile times in milliseconds.
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from mlxjson.check import check_case, compiler  # noqa: E402
from mlxjson.grammar import Engine  # noqa: E402
from tests.grammar_helpers import qwen3  # noqa: E402
from tests.schema_scores import META, SUITES, bench, remotes, suite  # noqa: E402

Case = tuple[str, Any, list[tuple[Any, bool]]]


def probes() -> Iterator[Case]:
    """Those of the engine's probes that are schemas, with texts that are JSON."""
    for case in json.loads((SUITES.parent / "cases" / "engine-cases.json").read_text()):
        if case["kind"] == "schema":
            tests = []
            for text, accept in case["probes"]:
                try:
                    tests.append((json.loads(text, parse_float=Decimal), accept))
                except ValueError:
                    continue
            src = case["src"]
            yield case["id"], json.loads(src) if isinstance(src, str) else src, tests


def cases(name: str) -> Iterator[Case]:
    if name == "bench":
        return bench()
    if name == "probes":
        return probes()
    return suite("draft2020-12", optional=True) if name == "formats" else suite(name)


def quantile(values: list[float], part: float) -> float:
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))] if values else 0.0


@dataclass
class Tally:
    """The figures of one suite."""

    cases: int = 0
    tests: int = 0
    right: int = 0
    silent: int = 0
    valid: int = 0
    whole: int = 0
    errors: int = 0
    exact: int = 0
    slowest: float = 0.0
    times: list[float] = field(default_factory=list)

    def line(self, name: str) -> str:
        """One line of the table."""
        return (
            f"{name:14}{self.cases:6}{self.tests:7}{100 * self.right / self.tests:9.2f}"
            f"{self.silent:8}{100 * self.valid / self.tests:9.2f}"
            f"{100 * self.whole / self.cases:9.2f}{self.errors:7}{self.exact:7}"
            f"{quantile(self.times, 0.5):9.2f}{quantile(self.times, 0.95):9.1f}"
            f"{max(self.times, default=0):9.0f}{self.slowest:7.1f}"
        )


HEAD = (
    f"{'':14}{'cases':>6}{'tests':>7}{'right %':>9}{'silent':>8}{'valid %':>9}{'whole %':>9}"
    f"{'errors':>7}{'exact':>7}{'median':>9}{'95 %':>9}{'max ms':>9}{'max s':>7}"
)


def score(name: str, compile_: Any, store: Any, show: int) -> str:
    tally = Tally()
    for label, schema, tests in cases(name):
        row = {"id": label, "schema": schema, "instances": [data for data, _ in tests]}
        start = time.perf_counter()
        out = check_case(row, compile_, store=store)
        tally.slowest = max(tally.slowest, time.perf_counter() - start)
        notes = count(tally, out, tests)
        for note in notes[: max(0, show)]:
            print(f"  {label}: {note}"[:300])
        show -= len(notes)
    return tally.line(name)


def count(tally: Tally, out: dict[str, Any], tests: list[tuple[Any, bool]]) -> list[str]:
    """Add one case; what went wrong in it."""
    notes = [f"error: {out['error']}"] if out["error"] else []
    # Marked for the same key twice alone, which no instance here is about, is not marked.
    marks = [each["keyword"] for each in out["unenforced"] if each["keyword"][0] != "("]
    wrong = bool(out["error"])
    for (data, verdict), accepted, valid in zip(tests, out["accepted"], out["valid"], strict=True):
        silent = accepted and not verdict and not marks
        tally.tests += 1
        tally.right += accepted == verdict
        tally.valid += valid == verdict
        tally.silent += silent
        wrong |= accepted != verdict
        kind = "SILENT" if silent else "open" if accepted else "refused"
        if accepted != verdict:
            notes.append(f"{kind} {json.dumps(data, default=str)[:120]} {marks}")
        if valid != verdict:
            notes.append(f"validity {json.dumps(data, default=str)[:120]} should be {verdict}")
    tally.cases += 1
    tally.errors += out["error"] is not None
    tally.exact += out["exact"]
    tally.whole += not wrong
    tally.times += [out["compile_ms"]] if out["compile_ms"] is not None else []
    return notes


def main(arguments: list[str]) -> None:
    show = int(arguments.pop(arguments.index("--show") + 1)) if "--show" in arguments else 0
    names = [a for a in arguments if not a.startswith("-")] or [*META, "formats", "bench", "probes"]
    compile_, store = compiler(Engine(qwen3())), remotes()
    print(HEAD)
    for name in names:
        print(score(name, compile_, store, show), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
