"""`mlxjson gen --input` from settings to the last line."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mlxjson.batch.fingerprint import check_or_write, digest, fingerprint
from mlxjson.batch.job import Job
from mlxjson.batch.lanes import Lane, SingleLane
from mlxjson.batch.ledger import Done, FileLedger, Ledger, StreamLedger
from mlxjson.batch.manifest import manifest, write_manifest
from mlxjson.batch.progress import progress
from mlxjson.batch.settings import Settings
from mlxjson.batch.source import Source, from_name, from_stream
from mlxjson.batch.tasks import Defaults
from mlxjson.batch.totals import Totals
from mlxjson.constraint import JsonSchema
from mlxjson.environment import Environment
from mlxjson.errors import BatchFailed, UsageError
from mlxjson.inputs import Inputs
from mlxjson.session import Session

DEFAULT_WIDTH = 8


@dataclass(slots=True)
class Batch:
    """One batch command: what it was told, and what comes of it."""

    settings: Settings
    defaults: Defaults
    environment: Environment
    inputs: Inputs
    quiet: bool = False
    done: Done = field(default_factory=Done)
    totals: Totals = field(default_factory=Totals)

    def run(self, open_session: Callable[[], Session]) -> Totals:
        """Do it.

        Raises:
            BatchFailed: rows failed, in this run or in one that it goes on from.
            ConstraintError, ModelError, UsageError: nothing could be done at all.
        """
        settings = self.settings.checked()
        started = datetime.now(UTC)
        source = self._source()
        self._look_at_output()
        session = open_session()
        self._check_session(session)
        try:
            with ExitStack() as stack:
                self._job(self._lane(session), stack).run(self.done.left(source.rows()))
        finally:
            if settings.manifest is not None:
                given = self._given(session)
                write_manifest(settings.manifest, manifest(started, given, self.totals))
        if self.totals.failed_in_all:
            raise self._failed()
        return self.totals

    def _source(self) -> Source:
        if self.settings.from_stdin:
            return from_stream(self.inputs.stream("rows"))
        source = from_name(self.settings.source)
        self.totals.rows = source.count
        return source

    def _look_at_output(self) -> None:
        """Find out what is done, and that nothing is overwritten which nobody gave up."""
        output = self.settings.output
        if output is None or not _has_content(output):
            return
        if self.settings.resume:
            self.done.read(output)
            self.totals.skipped, self.totals.failed_before = len(self.done), self.done.failed
        elif not self.settings.force:
            raise UsageError(
                "the output has rows already",
                where=str(output),
                hint="Go on with --resume, or write it anew with --force.",
            )

    def _check_session(self, session: Session) -> None:
        """What would fail every row fails before the first."""
        options = self.defaults.options
        session.prepared(self.defaults.constraint).enforcement(strict=options.get("strict", False))
        _ = session.network
        output = self.settings.output
        if output is not None and output.parent.is_dir():
            check_or_write(
                output,
                self._fingerprint(session),
                goes_on=self.settings.resume and _has_content(output),
                force=self.settings.force,
            )

    def _fingerprint(self, session: Session) -> dict[str, str]:
        defaults = self.defaults
        constraint = defaults.constraint
        schema = constraint.schema if isinstance(constraint, JsonSchema) else "object"
        told = [defaults.instruction, defaults.system, defaults.told, defaults.template]
        return fingerprint(schema=[schema, str(constraint)], prompt=told, model=_model(session))

    def _lane(self, session: Session) -> Lane:
        width = self.settings.width or DEFAULT_WIDTH
        if width == 1 or not session.network.can_batch:
            return SingleLane(session, self.defaults)
        from mlxjson.batch.engine import BatchLane

        return BatchLane(session, self.defaults, width)

    def _job(self, lane: Lane, stack: ExitStack) -> Job:
        settings = self.settings
        shown = progress(self.environment, self.quiet)
        stack.callback(shown.close)
        return Job(
            lane,
            self._ledger(stack),
            self.totals,
            shown,
            errors=self._file(settings.errors, stack) if settings.errors else None,
            bare=settings.bare,
            unordered=settings.unordered,
            max_failures=settings.max_failures,
        )

    def _ledger(self, stack: ExitStack) -> Ledger:
        if self.settings.output is None:
            return StreamLedger(self.environment.stdout)
        return self._file(self.settings.output, stack)

    def _file(self, path: Path, stack: ExitStack) -> FileLedger:
        return stack.enter_context(FileLedger(path, anew=not self.settings.resume))

    def _given(self, session: Session) -> dict[str, Any]:
        schema = self.defaults.schema
        return {
            "model": _model(session) | {"device": session.network.device},
            "schema_sha256": None if schema is None else digest(schema),
            "input": self.settings.source,
            "output": str(self.settings.output) if self.settings.output else None,
            "options": {
                "instruction": self.defaults.instruction,
                "system": self.defaults.system,
                "batch": self.settings.width or "auto",
                **self.defaults.options,
            },
        }

    def _failed(self) -> BatchFailed:
        totals = self.totals
        where = self.settings.errors or self.settings.output
        return BatchFailed(
            f"{totals.failed_in_all} of {totals.skipped + totals.done} rows failed",
            hint=f"What each failed of stands in {where}." if where else "",
        )


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _model(session: Session) -> dict[str, Any]:
    """What tells models apart."""
    return {
        "reference": session.name,
        "vocabulary": session.vocabulary.fingerprint,
        "config": digest(session.network.config),
    }
