"""`mlxjson gen --input` from settings to the last line."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mlxjson.batch.fingerprint import check_or_write, digest, fingerprint
from mlxjson.batch.job import Job
from mlxjson.batch.lanes import lane_of
from mlxjson.batch.ledger import Done, FileLedger, Ledger, StreamLedger
from mlxjson.batch.manifest import manifest, write_manifest
from mlxjson.batch.notices import Notices
from mlxjson.batch.outputs import (
    append_parts,
    done_in,
    join,
    part,
    parts,
    refuse_to_overwrite,
    remove,
    with_rows,
)
from mlxjson.batch.progress import progress
from mlxjson.batch.rows import Row
from mlxjson.batch.settings import Settings
from mlxjson.batch.source import Source, from_name, from_stream
from mlxjson.batch.tasks import Defaults
from mlxjson.batch.totals import Totals
from mlxjson.constraint import JsonSchema
from mlxjson.environment import Environment
from mlxjson.errors import BatchFailed, UsageError
from mlxjson.inputs import Inputs
from mlxjson.model.ranks import Ranks, ranks_of
from mlxjson.ready import degradable
from mlxjson.session import Session


@dataclass(slots=True)
class Batch:
    """One batch command: what it was told, and what comes of it."""

    settings: Settings
    defaults: Defaults
    environment: Environment
    inputs: Inputs
    quiet: bool = False
    stats: bool = False
    done: Done = field(default_factory=Done)
    totals: Totals = field(default_factory=Totals)
    ranks: Ranks = field(default_factory=Ranks)
    _unenforced: str = ""

    def run(self, open_session: Callable[[], Session]) -> Totals:
        """Do it.

        Raises:
            BatchFailed: rows failed, in this run or in one that it goes on from.
            ConstraintError, ModelError, UsageError: nothing could be done at all.
        """
        settings = self.settings.checked()
        if not settings.sharded:
            self.ranks = ranks_of(self.environment.variables)
        started = datetime.now(UTC)
        source = self._source()
        self._look_at_output()
        session = open_session()
        try:
            self._check_session(session)
            try:
                with ExitStack() as stack:
                    self._job(session, stack).run(self._share(source))
                self._join(source)
            finally:
                if self.ranks.is_first:
                    self._record(started, session)
        finally:
            session.close()
        if self.totals.failed_in_all and self.ranks.is_first:
            raise self._failed()
        return self.totals

    def _record(self, started: datetime, session: Session) -> None:
        """What came of the run, where it is wanted; also of one that ended early."""
        if self.settings.manifest is not None:
            content = manifest(started, self._given(session), self.totals)
            write_manifest(self.settings.manifest, content)
        if self.stats:
            self.environment.say(json.dumps(self.totals.as_dict()))

    def _source(self) -> Source:
        if self.ranks.size > 1 and (self.settings.from_stdin or self.settings.output is None):
            raise UsageError("several processes need a file or folder as --input, and an --output")
        if self.ranks.size > 1 and self.settings.bare:
            raise UsageError("--bare results of several processes can't be put in order")
        if self.settings.from_stdin:
            return from_stream(self.inputs.stream("rows"))
        source = from_name(self.settings.source)
        self.totals.rows = source.count
        return source

    def _look_at_output(self) -> None:
        """Find out what is done, and that nothing is overwritten which nobody gave up."""
        output = self.settings.output
        if output is None:
            return
        if self.settings.resume:
            self.done = done_in(output)
            self.totals.skipped, self.totals.failed_before = len(self.done), self.done.failed
        elif not self.settings.force:
            refuse_to_overwrite(output)

    def _check_session(self, session: Session) -> None:
        """What would fail every row fails before the first."""
        self._check_constraint(session)
        _ = session.network
        output = self.settings.output
        self.ranks.wait()  # until all have looked at the output, before any writes to it
        if output is None or not self.ranks.is_first or not output.parent.is_dir():
            self.ranks.wait()
            return
        goes_on, force = self.settings.resume and bool(with_rows(output)), self.settings.force
        check_or_write(output, self._fingerprint(session), goes_on=goes_on, force=force)
        if not self.settings.resume:
            self._clear(output)
        self.ranks.wait()

    def _check_constraint(self, session: Session) -> None:
        constraint = self.defaults.constraint
        prepare = degradable if self.defaults.degrade else Session.prepared
        prepared = prepare(session, constraint)
        prepared.enforcement(strict=self.defaults.options.get("strict", False))
        self._unenforced = prepared.unenforced

    def _clear(self, output: Path) -> None:
        """Remove what earlier runs left, which parts would be joined with."""
        for path in filter(None, (output, self.settings.errors)):
            remove([*parts(path), path] if self.ranks.size > 1 else parts(path))

    def _share(self, source: Source) -> Iterator[Row]:
        """The rows of this process that have no line yet."""
        size, rank = self.ranks.size, self.ranks.rank
        if self.totals.rows is not None:
            # Progress is that of one process; what others had done before counts for all.
            left = self.totals.rows - self.totals.skipped
            self.totals.rows = self.totals.skipped + -(-left // size)
        mine = (row for at, row in enumerate(source.rows()) if at % size == rank)
        return self.done.left(mine)

    def _join(self, source: Source) -> None:
        """Once all have ended, put their parts together, and add up what they did."""
        totals, output = self.totals, self.settings.output
        sums = self.ranks.sums([totals.done, totals.failed, *totals.counts.values()])
        totals.done, totals.failed = sums[:2]
        totals.counts = dict(zip(totals.counts, sums[2:], strict=True))
        if output is not None and self.ranks.is_first:
            join(output, source.rows())
            if self.settings.errors is not None:
                append_parts(self.settings.errors)
        self.ranks.wait()

    def _fingerprint(self, session: Session) -> dict[str, str]:
        defaults = self.defaults
        constraint = defaults.constraint
        schema = constraint.schema if isinstance(constraint, JsonSchema) else "object"
        told = [defaults.instruction, defaults.system, defaults.told, defaults.template]
        return fingerprint(schema=[schema, str(constraint)], prompt=told, model=_model(session))

    def _job(self, session: Session, stack: ExitStack) -> Job:
        settings = self.settings
        shown = progress(self.environment, self.quiet, self.ranks.is_first)
        stack.callback(shown.close)
        notices = Notices(shown.say)
        if self._unenforced:
            notices.of_all(self.defaults.constraint, self._unenforced)
        return Job(
            lane_of(session, self.defaults, settings.width),
            self._ledger(stack),
            self.totals,
            shown,
            notices,
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
        mine = part(path, self.ranks.rank) if self.ranks.size > 1 else path
        return stack.enter_context(FileLedger(mine, anew=not self.settings.resume))

    def _given(self, session: Session) -> dict[str, Any]:
        schema = self.defaults.schema
        return {
            "model": {
                **_model(session),
                # Of a model of the hub, the folder's name is its revision.
                "path": str(session.files.path) if session.files else None,
                "device": session.network.device,
            },
            "schema_sha256": None if schema is None else digest(schema),
            "input": self.settings.source,
            "output": str(self.settings.output) if self.settings.output else None,
            "options": {
                "instruction": self.defaults.instruction,
                "system": self.defaults.system,
                "batch": self.settings.width or "auto",
                "on_uncompilable": "prompt" if self.defaults.degrade else "fail",
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


def _model(session: Session) -> dict[str, Any]:
    """What tells models apart."""
    return {
        "reference": session.name,
        "vocabulary": session.vocabulary.fingerprint,
        "config": digest(session.network.config),
        "weights": session.files.weights_digest() if session.files else None,
    }
