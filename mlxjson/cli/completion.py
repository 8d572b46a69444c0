"""The scripts in `completions/`: `python -m mlxjson.cli.completion FOLDER` writes them."""

import sys
from pathlib import Path

from typer.completion import get_completion_script  # type: ignore[attr-defined]

# Under the names that each shell looks for.
FILES = {"bash": "mlxjson.bash", "zsh": "_mlxjson", "fish": "mlxjson.fish"}


def scripts() -> dict[str, str]:
    """The completion scripts by file name."""
    return {
        file: get_completion_script(
            prog_name="mlxjson", complete_var="_MLXJSON_COMPLETE", shell=shell
        ).strip()
        + "\n"
        for shell, file in FILES.items()
    }


def main(folder: Path) -> None:
    """Write the scripts into `folder`."""
    for file, script in scripts().items():
        (folder / file).write_text(script)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
