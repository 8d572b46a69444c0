"""From a choice to the probabilities of its options: prompt, reasoning if there is any, scores."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlxjson.clock import since_start, timed
from mlxjson.constraint import Choice
from mlxjson.decode.continuations import Continuations
from mlxjson.decode.loop import Decoder, Switches
from mlxjson.decode.sample import Sampling
from mlxjson.decode.state import Progress
from mlxjson.errors import UsageError
from mlxjson.grammar import Matcher
from mlxjson.probabilities import Probabilities
from mlxjson.run import prompt_of, thoughts_for
from mlxjson.stats import Stats, peak_memory_mb
from mlxjson.task import OnText, Task
from mlxjson.thinking import Prompt

if TYPE_CHECKING:
    from mlxjson.session import Session


@dataclass(frozen=True, slots=True)
class Weights:
    """The options' probabilities, the figures of the run, and what a user should hear about it."""

    probabilities: dict[str, float]
    stats: Stats
    notes: tuple[str, ...]


def option_probabilities(
    session: "Session",
    task: Task,
    progress: Progress | None = None,
    on_thought: OnText | None = None,
) -> Weights:
    """How likely each option of a task's choice is.

    Raises: ConstraintError, UsageError (no choice, prompt too long), ModelError.
    """
    if not isinstance(task.constraint, Choice):
        raise UsageError("only the options of a choice have probabilities")
    times: dict[str, float] = {}
    engine = session.engine  # waits until it is there, which is not compile time
    with timed(times, "compile_ms"):
        source = session.prepared(task.constraint).enforcement().source
        assert source is not None  # a choice always has a grammar
        matcher = engine.compile(source).matcher()
    prompt, notes = prompt_of(session, task)
    with timed(times, "prefill_ms"):
        ids, thought = _reasoned(session, task, prompt, matcher.fork(), on_thought)
        scores = Continuations(session.network, ids, progress)
    found = Probabilities(
        task.constraint.options, session.vocabulary, scores.logits, jump=task.jump
    )
    with timed(times, "decode_ms"):
        probabilities = found.of(matcher)
    if found.open > 1e-4:
        notes.append(f"the probabilities are exact to within {found.open:.2g}")
    stats = Stats(
        finish="stop",
        prompt_tokens=len(prompt.ids),
        forward_passes=scores.passes,
        thinking_tokens=len(ids) - len(prompt.ids),
        device=session.network.device,
        model=session.name,
    )
    for name, value in {**session.times, **times}.items():
        setattr(stats, name, value)
    stats.first_byte_ms = stats.total_ms = since_start()
    stats.peak_memory_mb = peak_memory_mb()
    return Weights(probabilities, stats, (*notes, *thought))


def _reasoned(
    session: "Session",
    task: Task,
    prompt: Prompt,
    matcher: Matcher,
    on_thought: OnText | None,
) -> tuple[list[int], list[str]]:
    """The prompt with the reasoning behind it, and what is to be said about that."""
    _, thoughts = thoughts_for(session, task, prompt, on_thought)
    if thoughts.thinking is None:
        return prompt.ids, []
    decoder = Decoder(
        session.network,
        matcher,
        sampling=Sampling(task.temperature, task.top_p, task.top_k, task.seed),
        max_tokens=1,
        switches=Switches(jump=False),
        thinking=thoughts.thinking,
    )
    decoder.start(prompt.ids)
    next(decoder.run(), None)
    return decoder.context, thoughts.close()
