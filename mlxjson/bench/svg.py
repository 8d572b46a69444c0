"""Bars of tokens per second as an SVG picture."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_WIDTH = 720
_LEFT = 150
_RIGHT = 110
_TOP = 78
_ROW = 44
_BAR = 24
_COLOURS = ("#9aa5b1", "#7fb2e5", "#3f86cf", "#1b5aa6")
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def bars(report: Mapping[str, Any]) -> str:
    """The picture for a report of `Report.as_dict`."""
    variants = report["variants"]
    height = _TOP + _ROW * len(variants) + 16
    rows = [_row(variant, index, _scale(variants)) for index, variant in enumerate(variants)]
    return "\n".join((_head(height), _title(report), *rows, "</svg>", ""))


def _scale(variants: Sequence[Mapping[str, Any]]) -> float:
    """Pixels per token per second."""
    most = max(_end(variant) for variant in variants)
    return (_WIDTH - _LEFT - _RIGHT) / max(1e-6, most)


def _end(variant: Mapping[str, Any]) -> float:
    speed = variant["tokens_per_s"]
    return float(speed["median"] + speed["deviation"])


def _head(height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" font-family="{_FONT}" font-size="14">\n'
        f'<rect width="{_WIDTH}" height="{height}" rx="8" fill="#ffffff"/>'
    )


def _title(report: Mapping[str, Any]) -> str:
    samples = len(report["samples"])
    about = (
        f"{report['model']} on {report['device']}, {samples} prompt{'s' * (samples != 1)}, "
        f"median of {report['runs']} rounds"
    )
    return (
        '<text x="24" y="34" font-size="18" font-weight="600" fill="#1f2933">'
        "Decoding, tokens per second</text>\n"
        f'<text x="24" y="56" font-size="13" fill="#616e7c">{escape(about)}</text>'
    )


def _row(variant: Mapping[str, Any], index: int, scale: float) -> str:
    speed = variant["tokens_per_s"]
    top = _TOP + index * _ROW
    middle = top + _BAR / 2
    length = max(1.0, speed["median"] * scale)
    colour = _COLOURS[min(index, len(_COLOURS) - 1)]
    label = _LEFT + _end(variant) * scale + 10
    return "\n".join(
        (
            f'<text x="{_LEFT - 12}" y="{middle + 5:.1f}" text-anchor="end" fill="#323f4b">'
            f"{escape(variant['name'])}</text>",
            f'<rect x="{_LEFT}" y="{top}" width="{length:.1f}" height="{_BAR}" rx="3" '
            f'fill="{colour}"/>',
            _whisker(speed, scale, middle),
            f'<text x="{label:.1f}" y="{middle + 5:.1f}" font-weight="600" fill="#1f2933">'
            f'{speed["median"]:.0f}<tspan font-weight="400" fill="#616e7c" dx="8">'
            f"×{variant['against_masked']:.2f}</tspan></text>",
        )
    )


def _whisker(speed: Mapping[str, float], scale: float, middle: float) -> str:
    """A line as long as the deviation to either side of the median."""
    low = _LEFT + (speed["median"] - speed["deviation"]) * scale
    high = _LEFT + (speed["median"] + speed["deviation"]) * scale
    return (
        f'<path d="M{low:.1f} {middle - 4:.1f}v8M{low:.1f} {middle:.1f}H{high:.1f}'
        f'M{high:.1f} {middle - 4:.1f}v8" stroke="#1f2933" stroke-width="1.2" fill="none"/>'
    )
