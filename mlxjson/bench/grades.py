"""Right answers by layout and with each lever off: `quality.measure`, many times, as a table."""

from collections.abc import Callable, Sequence
from typing import Any

from mlxjson.bench.quality import Example, Score, measure
from mlxjson.bench.tables import rendered, table
from mlxjson.constraint import Layout
from mlxjson.session import Session

LAYOUTS = (Layout.SPACED, Layout.COMPACT)
LEVERS: dict[str, dict[str, Any]] = {
    "everything on": {},
    "no jump-forward": {"jump": False},
    "no drafting": {"draft": 0},
    "neither": {"jump": False, "draft": 0},
}
_KINDS = ("string", "integer", "number", "boolean", "null")


def grades(
    session: Session,
    rows: Sequence[Example],
    max_tokens: int,
    on_step: Callable[[int, int], None],
) -> list[dict[str, Any]]:
    """One entry for each layout and setting of the levers, ready for JSON.

    Args:
        on_step: called with (entries done, entries in all).
    """
    cases = [(layout, name) for layout in LAYOUTS for name in LEVERS]
    found = []
    for done, (layout, name) in enumerate(cases):
        on_step(done, len(cases))
        score = measure(session, rows, layout, max_tokens=max_tokens, **LEVERS[name])
        found.append({"layout": str(layout), "levers": name, **_figures(score)})
    on_step(len(cases), len(cases))
    return found


def _figures(score: Score) -> dict[str, Any]:
    return {
        "fields_right": score.right.total(),
        "fields": score.asked.total(),
        "by_type": {
            kind: {"right": score.right[kind], "of": asked}
            for kind, asked in sorted(score.asked.items())
        },
        "documents_right": score.whole,
        "documents": score.documents,
        "cut_off": score.cut_off,
        "passes_per_token": round(score.forward_passes / max(1, score.output_tokens), 3),
    }


def grades_text(entries: Sequence[dict[str, Any]], terminal: bool) -> str:
    """The entries as a table."""
    kinds = [kind for kind in _KINDS if any(kind in entry["by_type"] for entry in entries)]
    heads = ("layout, levers", "fields right", *kinds, "documents", "cut off", "passes/token")
    return rendered([table(heads, [_row(entry, kinds) for entry in entries])], terminal)


def _row(entry: dict[str, Any], kinds: Sequence[str]) -> tuple[str, ...]:
    return (
        f"{entry['layout']}, {entry['levers']}",
        f"{entry['fields_right'] / max(1, entry['fields']):.1%}",
        *(_share(entry["by_type"].get(kind)) for kind in kinds),
        f"{entry['documents_right']} of {entry['documents']}",
        str(entry["cut_off"]),
        f"{entry['passes_per_token']:.2f}",
    )


def _share(count: dict[str, int] | None) -> str:
    return f"{count['right']} of {count['of']}" if count else ""
