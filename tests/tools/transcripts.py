"""Runs the examples of the README and of docs/, and shows where what they print has changed.

    python -m tests.tools.transcripts [--write] [PAGE ...]

With `--write` the pages get what is printed now: after a new adapter of the starter, say.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.command import ROOT
from tests.test_docs_examples import PAGES, UNRUN, Step, form_of, ready, sessions, shown
from tests.tools.thinking_model import make_thinking_model


def changed(page: str) -> Iterator[tuple[Step, str]]:
    """Steps whose output is another one now, and that."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_thinking_model(folder / "thinker")
        for session in sessions(page):
            steps = [step for step in session if step.command not in UNRUN]
            outputs = shown(steps, folder, ready(folder, page, steps))
            for step, output in zip(steps, outputs, strict=True):
                if output != step.output and _is_of_its_form(step, output):
                    yield step, output


def _is_of_its_form(step: Step, output: str) -> bool:
    """What is not is a fault, and nothing to be written down."""
    try:
        return bool(form_of(step.command)(output) == form_of(step.command)(step.output))
    except AssertionError:
        print(f"{step.command}\n    is broken: {output}", file=sys.stderr)
        return False


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--write", action="store_true")
    parser.add_argument("pages", nargs="*", metavar="PAGE", default=PAGES)
    given = parser.parse_args()
    for page in given.pages:
        text = (ROOT / page).read_text()
        for step, output in changed(page):
            print(f"{page}: {step.command}\n  - {step.output}  + {output}")
            shown_before = f"$ {step.command}\n{step.output}"
            assert text.count(shown_before) == 1
            text = text.replace(shown_before, f"$ {step.command}\n{output}")
        if given.write:
            (ROOT / page).write_text(text)


if __name__ == "__main__":
    main()
