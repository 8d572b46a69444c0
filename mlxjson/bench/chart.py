"""Bars of tokens per second: what stands where, whatever draws it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

_WIDTH = 720
_LEFT = 150
_RIGHT = 130
_TOP = 78
_ROW = 44
_BAR = 24
_DARK, _MEDIUM, _PALE = "#1f2933", "#616e7c", "#e4e9ee"
_COLOURS = ("#9aa5b1", "#7fb2e5", "#3f86cf", "#1b5aa6")


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle, in pixels from the top left."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Label:
    """A line of text whose baseline is at `y`."""

    x: float
    y: float
    text: str
    colour: str = _DARK
    size: int = 14
    bold: bool = False
    anchor: Literal["start", "end"] = "start"


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes, the later ones above the earlier."""

    width: int
    height: int
    shapes: tuple[Box | Label, ...]


def bars(report: Mapping[str, Any]) -> Picture:
    """The picture of a report of `Report.as_dict`: medians, with the deviation as a whisker."""
    variants = report["variants"]
    height = _TOP + _ROW * len(variants) + 12
    most = max(_end(variant["tokens_per_s"]) for variant in variants)
    scale = (_WIDTH - _LEFT - _RIGHT) / max(1e-6, most)
    shapes: list[Box | Label] = [Box(0, 0, _WIDTH, height, "#ffffff", 8), *_title(report)]
    for index, variant in enumerate(variants):
        shapes += _row(variant, _TOP + index * _ROW, _COLOURS[index % len(_COLOURS)], scale)
    return Picture(_WIDTH, height, tuple(shapes))


def _end(speed: Mapping[str, float]) -> float:
    return speed["median"] + speed["deviation"]


def _title(report: Mapping[str, Any]) -> tuple[Label, Label]:
    samples = len(report["samples"])
    about = (
        f"{report['model']} on {report['device']}, {samples} prompt{'s' * (samples != 1)}, "
        f"median of {report['runs']} rounds"
    )
    return (
        Label(24, 34, "Decoding, tokens per second", size=18, bold=True),
        Label(24, 56, about, _MEDIUM, size=13),
    )


def _row(variant: Mapping[str, Any], top: float, colour: str, scale: float) -> list[Box | Label]:
    speed = variant["tokens_per_s"]
    middle = top + _BAR / 2
    low = _LEFT + max(0.0, speed["median"] - speed["deviation"]) * scale
    high = _LEFT + _end(speed) * scale
    ratio = f"{variant['against_masked']:.2f} x masked"
    return [
        Label(_LEFT - 12, middle + 5, variant["name"], anchor="end"),
        Box(_LEFT, top, _WIDTH - _LEFT - _RIGHT, _BAR, _PALE, 3),
        Box(_LEFT, top, max(1.0, speed["median"] * scale), _BAR, colour, 3),
        Box(low, middle - 0.75, high - low, 1.5, _DARK),
        Box(low - 0.75, middle - 4, 1.5, 8, _DARK),
        Box(high - 0.75, middle - 4, 1.5, 8, _DARK),
        Label(_WIDTH - _RIGHT + 14, middle - 1, f"{speed['median']:.1f}", bold=True),
        Label(_WIDTH - _RIGHT + 14, middle + 13, ratio, _MEDIUM, size=12),
    ]
