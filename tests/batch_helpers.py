"""Batches on a scripted network: no weights, a byte vocabulary, everything else is real."""

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from mlxjson.batch.command import Batch
from mlxjson.batch.settings import Settings
from mlxjson.batch.tasks import Defaults
from mlxjson.constraint import Constraint, Regex
from mlxjson.environment import Environment
from mlxjson.grammar import Engine
from mlxjson.inputs import Inputs
from mlxjson.session import Session, Speech
from tests.scripted import ScriptedNetwork, encode, vocabulary


class ByteTokenizer:
    """A tokenizer whose ids are bytes, without a chat template."""

    template = None

    def encode(self, text: str, *, special: bool = True, bos: bool = False) -> list[int]:
        return encode(text)


@dataclass(slots=True)
class Model(ScriptedNetwork):
    """A scripted network with what else a batch asks of a model."""

    device: str = "cpu"
    config: dict[str, Any] = field(default_factory=dict)
    can_batch: bool = False


def session_of(network: ScriptedNetwork | None = None) -> Session:
    """A session whose model is scripted."""
    speech: Future[Speech] = Future()
    engine = Engine(vocabulary(), encode=encode)
    speech.set_result(Speech("scripted", ByteTokenizer(), engine))  # type: ignore[arg-type]
    loaded: Future[Any] = Future()
    loaded.set_result(network or Model())
    return Session(speech, loaded, {})


@dataclass(slots=True)
class Ran:
    """What a batch wrote."""

    out: bytes
    err: str
    error: BaseException | None

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def surroundings(stdin: bytes | None = None, err: Any = None) -> Environment:
    return Environment(
        stdin=None if stdin is None else BytesIO(stdin),
        stdout=BytesIO(),
        stderr=err or StringIO(),
        stdin_is_data=stdin is not None,
        stdout_isatty=False,
        stderr_isatty=False,
    )


def run_batch(
    session: Session,
    rows: Iterable[Any] | bytes,
    *,
    constraint: Constraint | None = None,
    defaults: dict[str, Any] | None = None,
    **settings: Any,
) -> Ran:
    """Run rows given through stdin; what they left on stdout, or in `output`."""
    data = rows if isinstance(rows, bytes) else jsonl(rows)
    environment = surroundings(data)
    made = Defaults(
        constraint or Regex("[a-c]{2,6}"),
        options={"stream": False, "max_tokens": 40, **(defaults or {}).pop("options", {})},
        **(defaults or {}),
    )
    where = {"source": "-", "width": 1, **settings}
    batch = Batch(Settings(**where), made, environment, Inputs(environment))
    error: BaseException | None = None
    try:
        batch.run(lambda: session)
    except Exception as raised:
        error = raised
    output: Path | None = settings.get("output")
    stdout: Any = environment.stdout
    written = output.read_bytes() if output and output.exists() else stdout.getvalue()
    stderr: Any = environment.stderr
    return Ran(written, stderr.getvalue(), error)


def jsonl(rows: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def texts(count: int, start: int = 0) -> Iterator[dict[str, Any]]:
    for i in range(start, start + count):
        yield {"id": f"row {i}", "text": f"text number {i}"}


def ids(rows: Sequence[dict[str, Any]]) -> list[Any]:
    return [row["id"] for row in rows]
