"""A report as tables and bars: with colour on a terminal, plain elsewhere."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

_BAR = 40
_PLAIN_WIDTH = 160
_STAGES = {
    "first_byte_ms": "first byte",
    "total_ms": "whole run",
    "import_ms": "import",
    "load_ms": "load model",
    "vocabulary_ms": "vocabulary",
    "compile_ms": "compile schema",
    "prefill_ms": "prefill",
    "decode_ms": "decode",
}


def speed_text(report: Mapping[str, Any], terminal: bool) -> str:
    """The report of `Report.as_dict`; `terminal` adds colour and a chart."""
    parts: list[RenderableType] = [_setting(report), "", _variants(report["variants"])]
    if terminal:
        parts += ["", _bars(report["variants"])]
    parts += ["", _start(report["start"]), "", _rest(report)]
    return rendered(parts, terminal)


def rendered(parts: Iterable[RenderableType], terminal: bool) -> str:
    """What a console prints of `parts`."""
    file = io.StringIO()
    console = Console(
        file=file,
        force_terminal=terminal or None,
        width=None if terminal else _PLAIN_WIDTH,
        highlight=False,
    )
    for part in parts:
        console.print(part)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """First column to the left, the others to the right; no header where `heads` are empty."""
    grid = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
        show_header=any(heads),
    )
    for index, head in enumerate(heads):
        grid.add_column(head, justify="left" if index == 0 else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*row)
    return grid


def _setting(report: Mapping[str, Any]) -> Text:
    samples = len(report["samples"])
    return Text(
        f"{report['model']} on {report['device']}: {samples} prompt{'s' * (samples != 1)}, "
        f"{report['layout']} layout, greedy, medians of {report['runs']} rounds "
        "± median absolute deviation",
        style="dim",
    )


def _variants(variants: Sequence[Mapping[str, Any]]) -> Table:
    heads = ("decoding", "tokens/s", "×masked", "ms/pass", "passes/token", "forced", "accepted")
    return table(heads, map(_variant, variants))


def _variant(variant: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        variant["name"],
        _spread(variant["tokens_per_s"]),
        f"{variant['against_masked']:.2f}",
        f"{variant['step_ms']['median']:.1f}",
        f"{variant['passes_per_token']:.2f}",
        f"{variant['forced_share']:.0%}",
        f"{variant['accepted_share']:.0%}",
    )


def _spread(figure: Mapping[str, float]) -> str:
    digits = 1 if figure["median"] < 1000 else 0
    return f"{figure['median']:.{digits}f} ± {figure['deviation']:.{digits}f}"


def _bars(variants: Sequence[Mapping[str, Any]]) -> Table:
    most = max(variant["tokens_per_s"]["median"] for variant in variants)
    grid = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for variant in variants:
        speed = variant["tokens_per_s"]["median"]
        bar = Text("█" * max(1, round(_BAR * speed / most)), style="cyan")
        grid.add_row(variant["name"], bar, f"{speed:.0f} tokens/s")
    return grid


def _start(start: Mapping[str, Any]) -> Table:
    cached, uncached = start["cached"], start["uncached"]
    rows = [
        (title, _spread(cached[name]), _spread(uncached[name])) for name, title in _STAGES.items()
    ]
    return table(("from process start, ms", "with caches", "without"), rows)


def _rest(report: Mapping[str, Any]) -> Table:
    mask = report["mask"]
    rows = [
        ("prefill", f"{_spread(report['prefill_tokens_per_s'])} tokens/s"),
        ("mask p50, p99", f"{mask['fill_p50_us']:.0f}, {mask['fill_p99_us']:.0f} µs"),
        ("masks' share of a step", f"{mask['step_share']:.2%}"),
        ("peak memory", f"{report['start']['cached']['peak_memory_mb']['median']:,.0f} MB"),
    ]
    rows += [
        (f"same text {name}", f"{count['same']} of {count['of']}")
        for name, count in report["same_output"].items()
    ]
    return table(("", ""), rows)
