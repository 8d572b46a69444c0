"""`python -m mlxjson`."""

from mlxjson.cli import main

if __name__ == "__main__":
    main()
