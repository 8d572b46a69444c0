"""The one import of jsonschema, without the libraries it would take for its own format checks.

Ours stand in `formats`; theirs cost over a second to import where they happen to be installed
(one of them builds a parser).
"""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_FORMAT_LIBRARIES = (
    "fqdn", "isoduration", "jsonpointer", "rfc3339_validator", "rfc3986_validator",
    "rfc3987", "rfc3987_syntax", "uri_template", "webcolors",
)  # fmt: skip


@contextmanager
def _hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Make the import of each of `names` fail, unless it is imported already."""
    added: dict[str, Any] = {name: None for name in names if name not in sys.modules}
    sys.modules.update(added)
    try:
        yield
    finally:
        for name in added:
            sys.modules.pop(name, None)


with _hidden(_FORMAT_LIBRARIES):
    jsonschema = importlib.import_module("jsonschema")
    importlib.import_module("jsonschema.validators")
