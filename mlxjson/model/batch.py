"""mlx-lm's continuous batching, with the choice of ids handed out.

mlx-lm's BatchGenerator keeps the caches of many sequences in one: it pads and merges prompts,
lets sequences join and leave between steps, and asks the model for all of them at once. Its own
hooks see one sequence at a time (`logits_processors`), or all of them without their names
(`samplers`), and it looks for the end of a sequence only after it has sampled once more. So the
step is replaced: one call gets the logits of all sequences with their uids, and gives their ids.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

from . import device, lm

if TYPE_CHECKING:
    import mlx.core as mx

# The ids of these uids, (n,), from their logits, (n, width).
Choose = Callable[[list[int], "mx.array"], "mx.array"]

# A sequence leaves when it is told to, not by itself.
_ENDLESS = 1 << 62
# Freed memory is given back to the system so often: doing it at every prompt, as mlx-lm does,
# makes a GPU wait for it.
_STEPS_BETWEEN_CLEARINGS = 128


class Generator:
    """Sequences that are extended together, one id a step.

    Args:
        model: an instance of mlx-lm's model class.
        choose: gives the next ids; called once a step, with the uids of the rows of the logits.
        most: the most sequences at once.
        prompts: the most prompts that are run together.
        chunk: the most ids of a prompt that are run at once.
    """

    def __init__(
        self, model: Any, choose: Choose, most: int, *, prompts: int = 8, chunk: int = 2048
    ) -> None:
        self._generator = _classes().generator(model, choose, most, (min(prompts, most), chunk))
        self._steps = 0

    def insert(self, ids: Sequence[int], cache: list[Any] | None, cached: Sequence[int]) -> int:
        """Let a sequence join.

        Args:
            ids: what is to be run, at least one id.
            cache: of what was run before; it is copied from, not changed. None: nothing was.
            cached: the ids it holds.

        Returns: the uid of the sequence.
        """
        (uid,) = self._generator.insert(
            [list(ids)],
            max_tokens=[_ENDLESS],
            caches=[cache] if cache is not None else None,
            all_tokens=[list(cached)],
        )
        return int(uid)

    def step(self) -> None:
        """Extend every sequence that is ready by an id, and bring the others nearer to it."""
        import mlx.core as mx

        device.adapt()
        self._generator.next()
        self._steps += 1
        if self._steps % _STEPS_BETWEEN_CLEARINGS == 0:
            mx.clear_cache()

    def remove(self, uids: Sequence[int]) -> None:
        """Let sequences leave, and free their memory."""
        if uids:
            self._generator.remove(list(uids))

    def close(self) -> None:
        """Give back what was set on the device."""
        self._generator.close()


class _Classes:
    """Subclasses of mlx-lm's three classes; made late, because mlx-lm is loaded late."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self.steps = self._steps()
        self.prompts = self._prompts()

    def generator(self, model: Any, choose: Choose, most: int, prompts: tuple[int, int]) -> Any:
        import mlx.core as mx

        together, chunk = prompts
        generator = self._module.BatchGenerator(
            model,
            completion_batch_size=most,
            prefill_batch_size=together,
            prefill_step_size=chunk,
            # The model and the caches made elsewhere live on the default stream.
            stream=mx.default_stream(mx.default_device()),
        )
        generator._prompt_batch = self.prompts.empty(model, choose, prefill_step_size=chunk)
        generator._generation_batch = self.steps.empty(model, choose)
        generator._generation_batch._next_tokens = None  # not an empty array of another type
        return generator

    def _steps(self) -> Any:
        keep_rows = self._keep_rows

        class Steps(self._module.GenerationBatch):  # type: ignore[name-defined, misc]
            """Sequences past their prompts. `fallback_sampler` is the function that chooses."""

            def _step(self) -> tuple[list[int], list[None]]:
                import mlx.core as mx

                fields: Any = self
                inputs = fields._current_tokens = fields._next_tokens
                logits = fields.model(inputs[:, None], cache=fields.prompt_cache)[:, -1, :]
                mx.async_eval(logits)
                fields._next_tokens = fields.fallback_sampler(fields.uids, logits)
                mx.async_eval(fields._next_tokens)
                ids: list[int] = inputs.tolist()
                for known, token_id in zip(fields.tokens, ids, strict=True):
                    known.append(token_id)
                fields._next_logprobs = [None] * len(ids)
                return ids, [None] * len(ids)

            def filter(self, keep: list[int]) -> None:
                keep_rows(self, super().filter, keep)

        return Steps

    def _prompts(self) -> Any:
        steps, keep_rows = self.steps, self._keep_rows

        class Prompts(self._module.PromptProcessingBatch):  # type: ignore[name-defined, misc]
            """Sequences inside their prompts."""

            def prompt(self, tokens: list[list[int]]) -> None:
                """Run the next ids of each; the device is not waited for."""
                if tokens:
                    _run_prompts(self, tokens)

            def split(self, indices: list[int]) -> Any:
                """Take sequences out; all of them without copying their caches."""
                if len(indices) < len(self.uids):
                    return super().split(indices)
                moved = self._copy_of_lists()
                super().filter([])
                return moved

            def _copy_of_lists(self) -> Any:
                fields: Any = self
                moved = self.__class__.__new__(self.__class__)
                for name, value in vars(fields).items():
                    setattr(moved, name, list(value) if isinstance(value, list) else value)
                return moved

            def filter(self, keep: list[int]) -> None:
                keep_rows(self, super().filter, keep)

            def generate(self, tokens: list[list[int]]) -> Any:
                """Past the prompt, with the last id of each (and only that) still to be run.

                They are run in the next step, with the sequences that are there already.
                """
                import mlx.core as mx

                fields: Any = self
                begun = steps.empty(fields.model, fields.fallback_sampler)
                for name in _SHARED:
                    setattr(begun, name, getattr(fields, name))
                begun._next_tokens = mx.array([ids[-1] for ids in tokens], dtype=mx.int32)
                count = len(fields.uids)
                begun._next_logprobs, begun._token_context = [None] * count, [None] * count
                begun._num_tokens = [0] * count
                begun._matchers = [stops.matcher() for stops in fields.stop_sequences]
                return begun

        return Prompts

    def _keep_rows(self, batch: Any, plain: Callable[[list[int]], None], keep: list[int]) -> None:
        """What `filter` does, without waiting for the device once a layer.

        Each of mlx-lm's caches asks how much of its padding is left over. It is the same in all.
        """
        caches = batch.prompt_cache
        if not keep or any(type(layer) is not self._kind for layer in caches):
            plain(keep)
            return
        batch.prompt_cache = []
        plain(keep)
        batch.prompt_cache = caches
        _keep_rows_of(caches, keep)

    @property
    def _kind(self) -> type:
        return lm.module("cache").BatchKVCache  # type: ignore[no-any-return]


# What a batch of prompts and one of sequences past them both have, by the same names.
_SHARED = (
    *("uids", "prompt_cache", "tokens", "samplers", "logits_processors"),
    *("stop_sequences", "max_tokens"),
)


def _run_prompts(batch: Any, tokens: list[list[int]]) -> None:
    """Run ids of different number, (n,) lists, padded at the right for the time of the pass."""
    import mlx.core as mx

    longest = max(map(len, tokens))
    padding = [longest - len(ids) for ids in tokens]
    for known, ids in zip(batch.tokens, tokens, strict=True):
        known.extend(ids)
    if any(padding):
        for layer in batch.prompt_cache:
            layer.prepare(lengths=[len(ids) for ids in tokens], right_padding=padding)
    padded = [ids + [0] * (longest - len(ids)) for ids in tokens]
    batch.model(mx.array(padded, dtype=mx.int32), cache=batch.prompt_cache)
    if any(padding):
        for layer in batch.prompt_cache:
            layer.finalize()
    mx.async_eval([layer.state for layer in batch.prompt_cache])


def _keep_rows_of(caches: list[Any], keep: list[int]) -> None:
    """Keep rows of BatchKVCache layers, and cut off padding that all the kept ones have."""
    import mlx.core as mx

    rows = mx.array(keep)
    left: list[int] = caches[0].left_padding[rows].tolist()
    spare = min(left)
    for layer in caches:
        layer.left_padding = layer.left_padding[rows] - spare
        layer.offset = layer.offset[rows]
        layer._idx -= spare
        if layer.keys is not None:
            layer.keys = layer.keys[rows][..., spare:, :]
            layer.values = layer.values[rows][..., spare:, :]


@cache
def _classes() -> _Classes:
    return _Classes(_load())


def _load() -> ModuleType:
    """mlx_lm/generate.py without the tokenizers, the hub and the command line it imports."""
    device.prepare()
    lm.package()
    spec = importlib.util.find_spec("mlx_lm.generate")
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("mlx-lm has no generator", name="mlx_lm.generate")
    module = importlib.util.module_from_spec(spec)
    with _standing_in():
        spec.loader.exec_module(module)
    return module


@contextmanager
def _standing_in() -> Iterator[None]:
    """Empty modules in place of those that only mlx-lm's other half needs, for a moment."""
    absent: dict[str, dict[str, Any]] = {
        "transformers": {"PreTrainedTokenizer": object},
        "mlx_lm.tokenizer_utils": {"TokenizerWrapper": object},
        "mlx_lm.utils": {
            "does_model_support_input_embeddings": None,
            "load": None,
            "maybe_set_recommended_wired_limit": _raise_wired_limit,
        },
    }
    added = []
    for name, members in absent.items():
        if name not in sys.modules:
            sys.modules[name] = ModuleType(name)
            vars(sys.modules[name]).update(members)
            added.append(name)
    try:
        yield
    finally:
        for name in added:
            del sys.modules[name]


def _raise_wired_limit() -> int | None:
    """Let Metal keep the model in memory, as mlx-lm does; the limit before, None elsewhere."""
    import mlx.core as mx

    if not mx.metal.is_available():
        return None
    most = mx.device_info()["max_recommended_working_set_size"]
    return int(mx.set_wired_limit(int(most)))
