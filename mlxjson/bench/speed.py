"""The decode loop with each lever on and off, in alternation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from mlxjson.bench.meter import Metered
from mlxjson.bench.samples import Sample
from mlxjson.clock import timed
from mlxjson.constraint import JsonSchema, Layout
from mlxjson.decode.loop import Counters, Decoder, Switches
from mlxjson.decode.matcher import Matcher, Unconstrained
from mlxjson.decode.sample import Sampling
from mlxjson.enforcement import enforcement
from mlxjson.prompt import gen_messages
from mlxjson.session import Session
from mlxjson.task import DRAFT_LENGTH
from mlxjson.text import TextStream

OnRound = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Variant:
    """Which levers are on."""

    name: str
    masked: bool = True
    jump: bool = False
    draft: int = 0


UNCONSTRAINED = Variant("unconstrained", masked=False)
MASKED = Variant("masked")
JUMPING = Variant("+ jump-forward", jump=True)
EVERYTHING = Variant("+ drafting", jump=True, draft=DRAFT_LENGTH)
VARIANTS = (UNCONSTRAINED, MASKED, JUMPING, EVERYTHING)
DRAFTING_ALONE = Variant("drafting alone", draft=DRAFT_LENGTH)


@dataclass(frozen=True, slots=True)
class Job:
    """A sample ready to run: the ids of its prompt, and its matchers."""

    name: str
    prompt: list[int]
    matcher: Callable[[], Matcher]


@dataclass(slots=True)
class Outcome:
    """One generation, or the sum of several. Times are in milliseconds."""

    counters: Counters = field(default_factory=Counters)
    prefill_ms: float = 0.0
    decode_ms: float = 0.0
    texts: list[str] = field(default_factory=list)

    def add(self, other: "Outcome") -> None:
        """Sum up."""
        for count in fields(Counters):
            total = getattr(self.counters, count.name) + getattr(other.counters, count.name)
            setattr(self.counters, count.name, total)
        self.prefill_ms += other.prefill_ms
        self.decode_ms += other.decode_ms
        self.texts += other.texts

    @property
    def tokens_per_s(self) -> float:
        """Output tokens per second of decoding."""
        return self.counters.output_tokens / max(1e-6, self.decode_ms) * 1000

    @property
    def prefill_tokens_per_s(self) -> float:
        """Prompt tokens per second of prefill."""
        return self.counters.prompt_tokens / max(1e-6, self.prefill_ms) * 1000

    @property
    def step_ms(self) -> float:
        """Milliseconds per forward pass, with all that goes with it."""
        return self.decode_ms / max(1, self.counters.forward_passes)


@dataclass(slots=True)
class Measured:
    """All rounds of every variant, and what only one run each shows."""

    rounds: dict[Variant, list[Outcome]]
    drafting_alone: Outcome
    masks_us: list[float]
    mask_share: float


def jobs(session: Session, samples: Sequence[Sample], layout: Layout) -> list[Job]:
    """Raises: ConstraintError, for a schema that can't be enforced."""
    return [_job(session, sample, layout) for sample in samples]


def _job(session: Session, sample: Sample, layout: Layout) -> Job:
    told = None if sample.schema is True else sample.schema
    prompt = session.prompt_ids(gen_messages(sample.text, told))
    enforced = enforcement(JsonSchema(sample.schema, layout))
    assert enforced.source is not None
    compiled = session.engine.compile(enforced.source, trusted=enforced.trusted)
    return Job(sample.name, prompt, compiled.matcher)


class Endless(Unconstrained):
    """Allows everything and never ends, so that exactly as many tokens come as are asked for."""

    def __init__(self, known: int) -> None:
        super().__init__(known, ())

    @property
    def may_end(self) -> bool:
        return False


def decode(session: Session, job: Job, variant: Variant, max_tokens: int) -> Outcome:
    """One greedy generation. Unconstrained it goes on to `max_tokens` whatever the model says."""
    matcher = job.matcher() if variant.masked else Endless(len(session.vocabulary.tokens))
    return run(session, job, matcher, Switches(variant.jump, variant.draft), max_tokens)


def run(
    session: Session, job: Job, matcher: Matcher, switches: Switches, max_tokens: int
) -> Outcome:
    """One greedy generation under `matcher`."""
    decoder = Decoder(
        session.network,
        matcher,
        sampling=Sampling(),
        max_tokens=max_tokens,
        switches=switches,
        lookup=session.lookup,
    )
    times: dict[str, float] = {}
    with timed(times, "prefill_ms"):
        ids = list(decoder.start(job.prompt))
    with timed(times, "decode_ms"):
        for group in decoder.run():
            ids += group
    stream = TextStream(session.vocabulary.tokens)
    text = stream.feed(ids) + stream.close()
    return Outcome(decoder.counters, **times, texts=[text])


def measure(
    session: Session, work: Sequence[Job], runs: int, max_tokens: int, on_round: OnRound
) -> Measured:
    """Every variant on every job, `runs` times in alternation after a warm-up.

    Args:
        on_round: called with (rounds done, rounds in all).
    """
    lengths: dict[str, int] = {}
    for job in work:
        # The same runs as later ones: a GPU compiles its kernels for each new shape.
        lengths[job.name] = decode(session, job, MASKED, max_tokens).counters.output_tokens
        for variant in VARIANTS:
            decode(session, job, variant, _limit(variant, lengths[job.name], max_tokens))
    rounds: dict[Variant, list[Outcome]] = {variant: [] for variant in VARIANTS}
    for done in range(runs):
        on_round(done, runs)
        for variant, outcome in _round(session, work, lengths, max_tokens).items():
            rounds[variant].append(outcome)
    on_round(runs, runs)
    alone = total(decode(session, job, DRAFTING_ALONE, max_tokens) for job in work)
    return Measured(rounds, alone, *_masks(session, work, max_tokens))


def _round(
    session: Session, work: Sequence[Job], lengths: dict[str, int], max_tokens: int
) -> dict[Variant, Outcome]:
    sums = {variant: Outcome() for variant in VARIANTS}
    for job in work:
        for variant, so_far in sums.items():
            limit = _limit(variant, lengths[job.name], max_tokens)
            so_far.add(decode(session, job, variant, limit))
    return sums


def _limit(variant: Variant, masked_length: int, max_tokens: int) -> int:
    """Unconstrained text gets as many tokens as the masked one took."""
    return max_tokens if variant.masked else masked_length


def total(outcomes: Any) -> Outcome:
    """The sum of outcomes."""
    whole = Outcome()
    for outcome in outcomes:
        whole.add(outcome)
    return whole


def _masks(session: Session, work: Sequence[Job], max_tokens: int) -> tuple[list[float], float]:
    """What each mask took in microseconds, and the masks' share of the time of all steps."""
    spent: list[float] = []
    decode_ms = 0.0
    for job in work:
        metered = Metered(job.matcher())
        decode_ms += run(session, job, metered, Switches(jump=False), max_tokens).decode_ms
        spent += metered.masks_us
    return spent, sum(spent) / 1000 / max(1e-6, decode_ms)
