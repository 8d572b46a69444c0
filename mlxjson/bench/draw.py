"""A picture as a file: SVG by hand, PNG by Pillow where it is installed."""

import io
from html import escape
from pathlib import Path
from typing import Any

from mlxjson.bench.chart import Box, Label, Picture
from mlxjson.errors import UsageError
from mlxjson.sink import write_atomically

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_SHARPNESS = 2  # pixels of the file to one of the picture


def check_drawable(path: Path) -> None:
    """Raises: UsageError, where `draw` could not write such a file."""
    ending = path.suffix.lower()
    if ending not in (".svg", ".png"):
        raise UsageError(f"can't draw '{ending}' files", hint="Name a file in .svg or .png.")
    if ending == ".png":
        _pillow()


def draw(picture: Picture, path: Path) -> None:
    """Write the picture, as the file's ending says. Raises: UsageError."""
    data = png(picture) if path.suffix.lower() == ".png" else svg(picture).encode()
    write_atomically(path, data)


def svg(picture: Picture) -> str:
    """The picture as SVG 1.1 text."""
    width, height = picture.width, picture.height
    shapes = [_svg_box(s) if isinstance(s, Box) else _svg_label(s) for s in picture.shapes]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="{_FONT}">'
    )
    return "\n".join((head, *shapes, "</svg>", ""))


def _svg_box(box: Box) -> str:
    corner = f' rx="{box.radius:g}"' if box.radius else ""
    return (
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}"{corner} fill="{box.colour}"/>'
    )


def _svg_label(label: Label) -> str:
    weight = ' font-weight="600"' if label.bold else ""
    anchor = ' text-anchor="end"' if label.anchor == "end" else ""
    return (
        f'<text x="{label.x:.1f}" y="{label.y:.1f}" font-size="{label.size}"{weight}{anchor} '
        f'fill="{label.colour}">{escape(label.text)}</text>'
    )


def png(picture: Picture) -> bytes:
    """The picture as a PNG file, two pixels for each of its own. Raises: UsageError."""
    image_module, draw_module, font_module = _pillow()
    size = (picture.width * _SHARPNESS, picture.height * _SHARPNESS)
    image = image_module.new("RGB", size, "#ffffff")
    canvas = draw_module.Draw(image)
    for shape in picture.shapes:
        if isinstance(shape, Box):
            _png_box(canvas, shape)
        else:
            _png_label(canvas, shape, font_module.load_default(shape.size * _SHARPNESS))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _png_box(canvas: Any, box: Box) -> None:
    left, top = box.x * _SHARPNESS, box.y * _SHARPNESS
    right, bottom = left + box.width * _SHARPNESS - 1, top + box.height * _SHARPNESS - 1
    corners = (left, top, max(left, right), max(top, bottom))
    canvas.rounded_rectangle(corners, box.radius * _SHARPNESS, fill=box.colour)


def _png_label(canvas: Any, label: Label, font: Any) -> None:
    place = (label.x * _SHARPNESS, label.y * _SHARPNESS)
    anchor = "rs" if label.anchor == "end" else "ls"
    stroke = 0.4 * _SHARPNESS if label.bold else 0
    canvas.text(
        place, label.text, label.colour, font, anchor, stroke_width=stroke, stroke_fill=label.colour
    )


def _pillow() -> tuple[Any, Any, Any]:
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise UsageError(
            "a PNG needs Pillow, which is not installed",
            hint="Install mlxjson[plot], or name a file in .svg.",
        ) from error
    return Image, ImageDraw, ImageFont
