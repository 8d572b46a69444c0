"""Score the table of nodes on the official suite and on real-world schemas.

    python -m tests.schema_scores [-v] [draft4 … draft2020-12 optional bench]

Reads ../shared/suites. Every instance is judged by the table alone (`schema.member`), without any
grammar. "unsound" counts instances accepted against the verdict although nothing was left open.
"""

import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlxjson.errors import ConstraintError
from mlxjson.schema.front import Unsatisfiable, build
from mlxjson.schema.member import accepts

SUITES = Path(__file__).resolve().parents[2] / "shared" / "suites"
SUITE = SUITES / "JSON-Schema-Test-Suite"
META = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
Group = tuple[str, Any, list[tuple[Any, bool]]]


def remotes() -> dict[str, Any]:
    """The suite's remote documents by their URI."""
    folder = SUITE / "remotes"
    return {
        f"http://localhost:1234/{path.relative_to(folder).as_posix()}": json.loads(path.read_text())
        for path in sorted(folder.rglob("*.json"))
    }


def suite(draft: str, optional: bool = False) -> Iterator[Group]:
    """(name, schema, [(instance, valid)]) of every group of a draft."""
    folder = SUITE / "tests" / draft
    paths = (folder / "optional" / "format").glob("*.json") if optional else folder.glob("*.json")
    for path in sorted(paths):
        for group in json.loads(path.read_text()):
            schema = group["schema"]
            if isinstance(schema, dict) and "$schema" not in schema:
                schema = {"$schema": META[draft], **schema}
            tests = [(test["data"], test["valid"]) for test in group["tests"]]
            yield f"{path.stem}: {group['description']}", schema, tests


def bench() -> Iterator[Group]:
    """The real-world schemas with their instances."""
    with gzip.open(SUITES / "jsonschemabench" / "dev-1500.jsonl.gz", "rt") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["id"], row["schema"], [(t["data"], t["valid"]) for t in row["tests"]]


def judge(schema: Any, tests: list[tuple[Any, bool]], store: Any) -> tuple[list[bool], Any, float]:
    """For each instance whether the table accepts it; the program or the error; milliseconds."""
    start = time.perf_counter()
    try:
        program: Any = build(schema, store=store)
    except Unsatisfiable as error:
        spent = time.perf_counter() - start
        return [False for _ in tests], error, spent * 1e3
    except ConstraintError as error:
        return [], error, (time.perf_counter() - start) * 1e3
    spent = time.perf_counter() - start
    return [accepts(program, data) for data, _ in tests], program, spent * 1e3


def score(name: str, groups: Any, store: Any, verbose: bool) -> None:
    """Print one line of figures, and with `verbose` every group that is not wholly right."""
    count: Counter[str] = Counter()
    times: list[float] = []
    for label, schema, tests in groups:
        try:
            verdicts, program, spent = judge(schema, tests, store)
        except Exception as error:  # a crash is a result to show here
            count["crash"] += 1
            print("CRASH", label, repr(error)[:200])
            continue
        times.append(spent)
        count["groups"] += 1
        count["tests"] += len(tests)
        if not verdicts and tests:
            count["error"] += 1
            count["errored"] += len(tests)
            if verbose:
                print("ERROR", label, "|", str(program).replace("\n", " "))
            continue
        if isinstance(program, ConstraintError) and not tests:
            count["error"] += 1
            if verbose:
                print("ERROR", label, "|", str(program).replace("\n", " "))
        findings = getattr(program, "findings", [])
        count["open"] += bool(findings)
        wrong = [i for i, (_, valid) in enumerate(tests) if verdicts[i] != valid]
        passed = [i for i in wrong if verdicts[i]]
        count["right"] += len(tests) - len(wrong)
        count["refused"] += len(wrong) - len(passed)
        count["passed"] += len(passed)
        count["whole"] += not wrong
        if passed and not findings:
            count["UNSOUND"] += len(passed)
        if verbose and wrong:
            kind = "UNSOUND" if passed and not findings else "passed" if passed else "refused"
            print(kind, label, wrong, [(f.pointer, f.keyword, f.reason) for f in findings][:3])
    times.sort()
    at = [round(times[min(int(len(times) * q), len(times) - 1)], 2) for q in (0.5, 0.95, 0.99, 1)]
    share = count["right"] / max(count["tests"], 1)
    whole = count["whole"] / max(count["groups"], 1)
    print(f"{name}: right {share:.2%}, groups wholly right {whole:.2%}, ms {at}, {dict(count)}")


def main() -> None:
    """Score what the arguments name; all of it without arguments."""
    wanted = [word for word in sys.argv[1:] if word != "-v"]
    verbose = "-v" in sys.argv
    store = remotes()
    for draft in META:
        if not wanted or draft in wanted:
            score(draft, suite(draft), store, verbose)
    if not wanted or "optional" in wanted:
        score("optional formats", suite("draft2020-12", optional=True), store, verbose)
    if not wanted or "bench" in wanted:
        score("bench", bench(), None, verbose)


if __name__ == "__main__":
    main()
