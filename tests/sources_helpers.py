"""Inputs of a user at a terminal, for the tests of what `--schema` names."""

import io
from pathlib import Path

from mlxjson.environment import Environment
from mlxjson.inputs import Inputs


def inputs(home: Path, stdin: bytes | None = None) -> Inputs:
    return Inputs(
        Environment(
            stdin=None if stdin is None else io.BytesIO(stdin),
            stdout=io.BytesIO(),
            stderr=io.StringIO(),
            stdin_is_data=stdin is not None,
            stdout_isatty=False,
            stderr_isatty=False,
            variables={"HOME": str(home)},
        )
    )
