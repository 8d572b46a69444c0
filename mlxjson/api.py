"""The public functions; the command line uses the same."""

import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from mlxjson.background import Later, in_background
from mlxjson.cachefiles import Cache, open_cache
from mlxjson.clock import since_start, timed
from mlxjson.constraint import JsonSchema
from mlxjson.errors import UsageError
from mlxjson.prompt import gen_messages
from mlxjson.session import Session, Speech
from mlxjson.task import Task
from mlxjson.vocabulary_file import remembered_vocabulary

if TYPE_CHECKING:
    from mlxjson.grammar import Engine
    from mlxjson.model import ModelFiles, Network


def generate(
    prompt: str,
    *,
    schema: Any = True,
    model: str | None = None,
    adapter: str | None = None,
    starter_adapter: bool = True,
    **options: Any,
) -> str:
    """One JSON document that validates against `schema`.

    Args:
        prompt: the text to work on.
        schema: a parsed JSON Schema; True allows any JSON.
        model: as `--model`; None for the default.
        adapter: as `--adapter`.
        starter_adapter: let the starter have the adapter that comes with it.
        options: further fields of `Task`.

    Raises: ConstraintError, CutOff, InvalidDocument, ModelError, UsageError.
    """
    told = None if schema is True else schema
    task = Task(JsonSchema(schema), gen_messages(prompt, told), **options)
    session = open_session(model, adapter=adapter, starter_adapter=starter_adapter)
    return session.run(task).checked()


def open_session(
    model: str | None = None,
    *,
    draft_model: str | None = None,
    offline: bool = False,
    cache: bool = True,
    environ: Mapping[str, str] = os.environ,
    progress: bool = False,
    shard: bool = False,
    adapter: str | None = None,
    starter_adapter: bool = True,
) -> Session:
    """Find a model and begin to load it.

    Args:
        model: 'starter', a folder, a .gguf file or a hub id; None for the default.
        draft_model: a smaller model with the same tokenizer, to draft tokens; named as `model`.
        offline: never ask the hub.
        cache: keep tokenizers, vocabularies, grammars and prepared weights on disk.
        environ: the process's variables.
        progress: show downloads on stderr.
        shard: spread the model over the processes that were launched together. In the first of
            them that gives a session; the others serve it and end (SystemExit) when it is closed.
        adapter: a folder with a LoRA adapter, of mlx-lm or PEFT, that changes the model's weights.
        starter_adapter: let the starter have the adapter that comes with it. Another one given
            takes its place.

    Errors of the model are raised when the session first needs it.
    """
    from mlxjson.model import device

    device.prepare()  # before anything imports MLX, in whatever thread
    times: dict[str, float] = {"import_ms": since_start()}
    files = in_background(
        lambda: _resolve(model, offline, environ, progress, adapter, starter_adapter)
    )
    kept = open_cache(cache, environ)
    # Not in a thread: it is Python for the most part, and only one thread can run that. Beside
    # the one that loads the network, a third one makes all of them slower on two cores.
    speech = Later(lambda: _speech(files.result(), kept, times))
    if shard:
        network = Later(lambda: _sharded(files.result(), cache, environ))
        network.result()
    else:
        network = in_background(lambda: _network(files.result(), cache, times))
    session = Session(speech, network, times, kept)
    if draft_model is not None:
        session.drafter = in_background(
            lambda: _drafter(draft_model, speech.result(), offline, cache, environ, progress)
        )
    return session


def open_engine(
    model: str | None = None, *, offline: bool = False, environ: Mapping[str, str] = os.environ
) -> "Engine":
    """The compiler of grammars for a model's vocabulary, without the model's weights.

    Raises: ModelError.
    """
    files = _resolve(model, offline, environ, False)
    return _speech(files, open_cache(environ=environ), {}).engine


def _resolve(
    model: str | None,
    offline: bool,
    environ: Mapping[str, str],
    progress: bool,
    adapter: str | None = None,
    starter_adapter: bool = True,
) -> "ModelFiles":
    from mlxjson.model import resolve

    return resolve(
        model,
        offline=offline,
        environ=environ,
        progress=progress,
        adapter=adapter,
        with_starter_adapter=starter_adapter,
    )


def _speech(files: "ModelFiles", cache: Cache, times: dict[str, float]) -> Speech:
    from mlxjson.grammar import Engine
    from mlxjson.model import load_tokenizer

    with timed(times, "tokenizer_ms"):
        tokenizer = load_tokenizer(files, cache)
    with timed(times, "vocabulary_ms"):
        # The network may give more logits than there are tokens; the loop masks those, so that
        # nothing here has to wait for it.
        vocabulary = remembered_vocabulary(
            tokenizer.fingerprint(0), lambda: tokenizer.vocabulary(len(tokenizer.tokens)), cache
        )
        encode = partial(tokenizer.encode, special=False)
        engine = Engine(vocabulary, cache_dir=cache.folder, encode=encode)
        adapter = files.adapter.name if files.adapter else ""
        return Speech(files.reference, tokenizer, engine, files.identity, adapter, files)


def _network(files: "ModelFiles", cache: bool, times: dict[str, float]) -> "Network":
    from mlxjson.model import load_network

    with timed(times, "load_ms"):
        return load_network(files, use_cache=cache)


def _drafter(
    model: str,
    speech: Speech,
    offline: bool,
    cache: bool,
    environ: Mapping[str, str],
    progress: bool,
) -> "Network":
    """The network of the drafting model. Raises: UsageError where its tokens are others."""
    from mlxjson.model import load_network, load_tokenizer

    files = _resolve(model, offline, environ, progress)
    tokens = load_tokenizer(files).tokens
    network = load_network(files, use_cache=cache)
    if tokens != speech.tokenizer.tokens or not network.trimmable:
        raise UsageError(
            f"{model} can't draft for {speech.name}: it has another tokenizer or cache",
            hint="Choose a smaller model of the same family.",
        )
    return network


def _sharded(files: "ModelFiles", cache: bool, environ: Mapping[str, str]) -> "Network":
    """This process's share of the network; does not return where another process leads."""
    from mlxjson.model import load_network
    from mlxjson.model.ranks import ranks_of
    from mlxjson.model.shard import Leader, follow, sharding

    ranks = ranks_of(environ)
    if ranks.size == 1:
        raise UsageError("there is one process only: --shard is for mlx.launch")
    network = load_network(files, use_cache=cache, split=sharding(ranks))
    if ranks.is_first:
        return Leader(network, ranks)  # type: ignore[return-value]
    follow(network, ranks)
    raise SystemExit(0)
