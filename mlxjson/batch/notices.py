"""What is said of schemas without a grammar: once of each, however many rows have it."""

from collections.abc import Callable, Iterable

from mlxjson.batch.records import Outcome
from mlxjson.constraint import Constraint
from mlxjson.prepared import key_of
from mlxjson.ready import note_of


class Notices:
    """Says it by `say`, a line each time."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._said: set[object] = set()

    def of_all(self, constraint: Constraint, reason: str) -> None:
        """The schema of rows that bring none has no grammar, for `reason`."""
        self._once(constraint, note_of(reason))

    def of_rows(self, outcomes: Iterable[Outcome]) -> None:
        """Some rows are done."""
        for outcome in outcomes:
            if outcome.unenforced is not None:
                constraint, reason = outcome.unenforced
                self._once(constraint, f"row {outcome.row.id}: {note_of(reason)}")

    def _once(self, constraint: Constraint, note: str) -> None:
        key = key_of(constraint)
        if key not in self._said:
            self._said.add(key)
            self._say(f"mlxjson: {note}")
