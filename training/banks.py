"""Lists of things made here: `kinds/lists.txt`, one `name: a; b; c` a paragraph."""

from functools import lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent / "kinds"


@lru_cache
def _banks() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in (FOLDER / "lists.txt").read_text("utf-8").splitlines():
        name, colon, items = line.partition(":")
        if colon and not line.startswith("#"):
            found.setdefault(name.strip(), []).extend(
                item.strip() for item in items.split(";") if item.strip()
            )
    return found


def bank(name: str) -> list[str]:
    """The items of one list."""
    return _banks()[name]
