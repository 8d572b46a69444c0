"""Score `check --cases` in-process on the official suite, its formats, real-world schemas, probes.

    python tests/tools/score.py [draft4 draft6 draft7 draft2019-09 draft2020-12 formats bench probes]
                                [--show N]

Reads ../shared. Columns: schemas, instances, right by the grammar alone, accepted wrongly and not
marked as checked afterwards ("silent"), right by grammar and validation together, schemas wholly
right by the grammar, errors, and compile times in milliseconds.
"""

import json
import sys
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "tools")]

from score_table import META, SUITES, bench, remotes, suite  # noqa: E402

from mlxjson.check import check_case, compiler  # noqa: E402
from mlxjson.grammar import Engine  # noqa: E402
from tests.grammar_helpers import qwen3  # noqa: E402

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


def score(name: str, compile_: Any, store: Any, show: int) -> str:
    schemas = instances = right = silent = valid_right = whole = errors = inexact = 0
    times: list[float] = []
    slow = 0.0
    for label, schema, tests in cases(name):
        schemas += 1
        row = {"id": label, "schema": schema, "instances": [data for data, _ in tests]}
        start = time.perf_counter()
        out = check_case(row, compile_, store=store)
        slow = max(slow, time.perf_counter() - start)
        times += [out["compile_ms"]] if out["compile_ms"] is not None else []
        errors += out["error"] is not None
        inexact += not out["exact"]
        if out["error"] and show > 0:
            print(f"  error    {label}: {out['error']}")
        good = out["error"] is None
        for (data, verdict), accepted, valid in zip(tests, out["accepted"], out["valid"], strict=True):
            instances += 1
            right += accepted == verdict
            good &= accepted == verdict
            valid_right += valid == verdict
            quiet = accepted and not verdict and out["exact"]
            silent += quiet
            if (accepted != verdict or valid != verdict) and show > 0:
                kind = "SILENT" if quiet else "open" if accepted and not verdict else "refused"
                kind = kind if accepted != verdict else "validity"
                print(f"  {kind:8} {label}: {json.dumps(data, default=str)[:100]} should be {verdict}"
                      f" {out['unenforced'] if kind == 'open' else ''}"[:300])
                show -= 1
        whole += good
    return (
        f"{name:14}{schemas:6}{instances:7}{100 * right / instances:9.2f}{silent:8}"
        f"{100 * valid_right / instances:9.2f}{100 * whole / schemas:9.2f}{errors:7}{inexact:9}"
        f"{quantile(times, 0.5):9.2f}{quantile(times, 0.95):9.1f}{max(times, default=0):9.0f}{slow:7.1f}"
    )


def main(arguments: list[str]) -> None:
    show = int(arguments.pop(arguments.index("--show") + 1)) if "--show" in arguments else 0
    names = [a for a in arguments if not a.startswith("-")] or [*META, "formats", "bench", "probes"]
    compile_, store = compiler(Engine(qwen3())), remotes()
    print(f"{'':14}{'cases':>6}{'tests':>7}{'right %':>9}{'silent':>8}{'valid %':>9}{'whole %':>9}"
          f"{'errors':>7}{'inexact':>9}{'median':>9}{'95 %':>9}{'max ms':>9}{'max s':>7}")
    for name in names:
        print(score(name, compile_, store, show), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
