"""The command line: options in, engine called, bytes out."""

import sys


def main() -> None:
    """Entry point of the `mlxjson` command."""
    if sys.argv[1:] == ["--version"]:
        # Asked by scripts, so it does not wait for the option parser to load.
        from mlxjson import __version__

        print(f"mlxjson {__version__}")
        return
    from mlxjson.cli.boundary import run

    sys.exit(run(sys.argv[1:]))
