"""What the decode loop promises, on a scripted network and the real matcher."""

import random
import re

import mlx.core as mx
import numpy as np
import pytest

from mlxjson.decode.drafter import ModelDrafter
from mlxjson.decode.loop import Counters, Decoder, Finish, Switches
from mlxjson.decode.matcher import Unconstrained
from mlxjson.decode.sample import Sampling, sampler
from mlxjson.decode.thinking import Thinking
from mlxjson.errors import MlxjsonError
from mlxjson.grammar import EbnfSource, Engine
from mlxjson.thinking import Stance, Tags
from tests.scripted import (
    STOP,
    TOKENS,
    WIDTH,
    ScriptedNetwork,
    always,
    encode,
    random_logits,
    vocabulary,
)

PROMPT = encode("copy: the name is abcabc and the number is 1212, null or true")

GRAMMARS = [
    'root ::= "a"',
    'root ::= ""',
    'root ::= "a" | "ab"',
    "root ::= [0-9]{1,12}",
    "root ::= [a-c]*",
    'root ::= "{\\"name\\": \\"" [a-z ]{0,20} "\\", \\"number\\": " [0-9]{1,4} "}"',
    'root ::= "[" item ("," item){0,5} "]"\nitem ::= "null" | "true" | "\\"" [a-z]{1,6} "\\""',
    'root ::= "é" | "éa" | "\U0001f600"',
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(vocabulary(), encode=encode)


def decode(
    engine: Engine,
    grammar: str,
    network: ScriptedNetwork,
    *,
    jump: bool = True,
    draft: int = 0,
    max_tokens: int = 60,
    sampling: Sampling = Sampling(),  # noqa: B008
) -> tuple[list[int], Decoder]:
    matcher = engine.compile(EbnfSource(grammar, "test")).matcher()
    decoder = Decoder(
        network, matcher, sampling=sampling, max_tokens=max_tokens, switches=Switches(jump, draft)
    )
    ids = list(decoder.start(PROMPT))
    for group in decoder.run():
        ids += group
    return ids, decoder


def reference(engine: Engine, grammar: str, max_tokens: int = 60) -> list[int]:
    """The slow obvious way: whole context every time, one id a step, no tricks."""
    matcher = engine.compile(EbnfSource(grammar, "test")).matcher()
    out: list[int] = []
    while len(out) < max_tokens:
        row = np.zeros((len(TOKENS) + 31) // 32, dtype=np.int32)
        matcher.fill(row)
        logits = random_logits([*PROMPT, *out])
        allowed = [i for i in range(len(TOKENS)) if (int(row[i // 32]) >> (i % 32)) & 1]
        best = max(allowed, key=lambda i: logits[i])
        assert matcher.accept(best)
        if matcher.finished:
            break
        out.append(best)
    return out


def text(ids: list[int]) -> bytes:
    return b"".join(TOKENS[i] for i in ids)


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_without_tricks_the_ids_are_those_of_the_plain_reference(
    engine: Engine, grammar: str
) -> None:
    ids, _ = decode(engine, grammar, ScriptedNetwork(), jump=False)
    assert ids == reference(engine, grammar)


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("jump", [True, False])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=1.0, top_p=0.9, seed=7)])
def test_drafting_changes_no_id(
    engine: Engine, grammar: str, jump: bool, sampling: Sampling
) -> None:
    def ids(draft: int) -> list[int]:
        network = ScriptedNetwork()
        return decode(engine, grammar, network, jump=jump, draft=draft, sampling=sampling)[0]

    assert ids(0) == ids(1) == ids(8) == ids(40)


def copying(ids: list[int]) -> np.ndarray:
    """Logits that continue the latest earlier occurrence of the last id, as a copyist would."""
    logits = random_logits(ids) * 0.01
    for at in range(len(ids) - 2, -1, -1):
        if ids[at] == ids[-1]:
            logits[ids[at + 1]] += 5
            break
    return logits


def test_drafts_of_a_copying_model_are_accepted_and_save_passes(engine: Engine) -> None:
    grammar = 'root ::= "\\"" [a-z: ]{30,40} "\\""'
    plain, slow = decode(engine, grammar, ScriptedNetwork(copying), draft=0)
    drafted, fast = decode(engine, grammar, ScriptedNetwork(copying), draft=8)
    assert drafted == plain
    assert fast.counters.accepted_tokens > 10
    assert fast.counters.forward_passes < slow.counters.forward_passes / 2


def test_a_cache_that_cannot_be_trimmed_never_drafts(engine: Engine) -> None:
    grammar = GRAMMARS[5]
    _, decoder = decode(engine, grammar, ScriptedNetwork(copying, trims=False), draft=8)
    assert decoder.counters.drafted_tokens == 0
    assert decoder.finish is Finish.STOP


def test_what_is_forced_costs_no_pass(engine: Engine) -> None:
    network = ScriptedNetwork()
    ids, decoder = decode(engine, 'root ::= "zero" | "zoo"', network, max_tokens=20)
    assert text(ids) in (b"zero", b"zoo")
    assert decoder.counters.forward_passes == 1
    assert decoder.finish is Finish.STOP


def test_a_single_sentence_takes_no_pass_at_all(engine: Engine) -> None:
    network = ScriptedNetwork()
    ids, decoder = decode(engine, 'root ::= "always this"', network)
    assert text(ids) == b"always this"
    assert network.passes == 0
    assert decoder.finish is Finish.STOP


def test_may_end_is_not_must_end(engine: Engine) -> None:
    ids, _ = decode(engine, 'root ::= "a" | "ab"', ScriptedNetwork(always(b"a", b"b")))
    assert text(ids) == b"ab"
    ids, _ = decode(engine, "root ::= [0-9]{1,4}", ScriptedNetwork(always(b"7")))
    assert text(ids) == b"7777"


def test_a_forbidden_favourite_is_never_given_out(engine: Engine) -> None:
    ids, _ = decode(engine, "root ::= [a-c]{3}", ScriptedNetwork(always(b"z", WIDTH - 1, b"b")))
    assert text(ids) == b"bbb"


def test_the_limit_is_kept_also_by_forced_text(engine: Engine) -> None:
    for limit in range(9):
        ids, decoder = decode(engine, 'root ::= "abcdefgh"', ScriptedNetwork(), max_tokens=limit)
        assert len(ids) == decoder.counters.output_tokens == limit
        assert decoder.finish is (Finish.STOP if limit == 8 else Finish.LENGTH)


@pytest.mark.parametrize("draft", [0, 8])
def test_the_id_at_the_limit_is_the_one_that_was_sampled(engine: Engine, draft: int) -> None:
    whole, _ = decode(engine, "root ::= [a-z]{30}", ScriptedNetwork(copying), draft=draft)
    for limit in range(1, 30):
        ids, decoder = decode(
            engine, "root ::= [a-z]{30}", ScriptedNetwork(copying), max_tokens=limit, draft=draft
        )
        assert ids == whole[:limit]
        assert decoder.finish is (Finish.LENGTH if text(ids) != text(whole) else Finish.STOP)


def test_the_limit_is_kept_by_drafts_that_force_text_between_choices(engine: Engine) -> None:
    grammar = 'root ::= ("p" [a-c] "q" [a-c] "r-s-t" [a-c] "; "){12}'
    for limit in range(1, 60):
        network = ScriptedNetwork(always(b"a"))
        ids, _ = decode(engine, grammar, network, max_tokens=limit, draft=8)
        assert len(ids) <= limit


def test_at_the_limit_a_document_is_complete_only_if_the_model_ends_it(engine: Engine) -> None:
    _, going_on = decode(engine, "root ::= [0-9]+", ScriptedNetwork(always(b"7")), max_tokens=3)
    assert going_on.finish is Finish.LENGTH
    ends = ScriptedNetwork(lambda ids: always(STOP if ids[-1] == ord("7") else b"7")(ids))
    _, ended = decode(engine, "root ::= [0-9]+", ends, max_tokens=1)
    assert ended.finish is Finish.STOP


def test_counters_add_up(engine: Engine) -> None:
    for grammar in GRAMMARS:
        network = ScriptedNetwork(copying)
        ids, decoder = decode(engine, grammar, network, draft=8)
        counters: Counters = decoder.counters
        assert counters.output_tokens == len(ids)
        assert counters.prompt_tokens == len(PROMPT)
        assert counters.accepted_tokens <= counters.drafted_tokens
        assert counters.forced_tokens + counters.accepted_tokens <= len(ids)


def test_rewinding_gives_another_continuation_of_the_same_beginning(engine: Engine) -> None:
    for trims in (True, False):
        network = ScriptedNetwork(trims=trims)
        ids, decoder = decode(engine, "root ::= [a-z]{6} | [0-9]{6}", network)
        kept = decoder.rewind(2)
        assert kept == 2
        again = [*ids[:kept], *(i for group in decoder.run() for i in group)]
        assert again[:2] == ids[:2]
        assert again[2] != ids[2]
        assert decoder.finish is Finish.STOP


def test_a_document_without_choices_cannot_be_rewound(engine: Engine) -> None:
    _, decoder = decode(engine, 'root ::= "abc"', ScriptedNetwork())
    assert decoder.rewind(0) is None


def test_a_model_that_gives_no_finite_logit_is_an_error_not_token_zero(engine: Engine) -> None:
    broken = ScriptedNetwork(lambda _ids: np.full(WIDTH, -np.inf, dtype=np.float32))
    with pytest.raises(MlxjsonError, match="refuses"):
        decode(engine, "root ::= [a-z]{6}", broken)


def test_unconstrained_generation_ends_at_a_stop_id_and_never_uses_padding() -> None:
    network = ScriptedNetwork(
        lambda ids: always(STOP if len(ids) > len(PROMPT) + 4 else WIDTH - 1, b"q")(ids)
    )
    decoder = Decoder(
        network,
        Unconstrained(len(TOKENS), {STOP}),
        sampling=Sampling(),
        max_tokens=20,
        switches=Switches(),
    )
    ids = [*decoder.start(PROMPT), *(i for group in decoder.run() for i in group)]
    assert text(ids) == b"qqqqq"
    assert decoder.finish is Finish.STOP


def test_random_grammars_and_switches_agree(engine: Engine) -> None:
    rng = random.Random(5)
    for _ in range(60):
        words = ["".join(rng.choice("abc1 ") for _ in range(rng.randint(1, 9))) for _ in range(4)]
        grammar = "root ::= " + " | ".join(f'"{w}" tail' for w in words) + "\ntail ::= [a-c]{0,5}"
        one, _ = decode(engine, grammar, ScriptedNetwork(copying), draft=rng.randint(1, 12))
        two, _ = decode(engine, grammar, ScriptedNetwork(copying))
        assert one == two


def test_sampling_with_top_k_one_is_greedy() -> None:
    from mlxjson.decode.sample import sampler

    logits = mx.array(np.random.default_rng(0).normal(size=(5, 50)).astype(np.float32))
    drawn = sampler(Sampling(temperature=1.5, top_k=1))(logits, range(5))
    assert drawn.tolist() == mx.argmax(logits, axis=-1).tolist()


def test_nucleus_sampling_stays_in_the_nucleus() -> None:
    from mlxjson.decode.sample import sampler

    logits = mx.array(np.log(np.array([[0.5, 0.3, 0.15, 0.05]], dtype=np.float32)))
    draw = sampler(Sampling(temperature=1.0, top_p=0.7, seed=3))
    drawn = {int(draw(logits, [position])[0]) for position in range(300)}
    assert drawn == {0, 1}


def test_a_drafting_model_changes_no_id_and_saves_passes(engine: Engine) -> None:
    def with_drafter(network: ScriptedNetwork, drafter: ScriptedNetwork) -> tuple[list[int], int]:
        matcher = engine.compile(EbnfSource("root ::= [a-z: ]{40}", "test")).matcher()
        decoder = Decoder(
            network,
            matcher,
            sampling=Sampling(),
            max_tokens=60,
            switches=Switches(draft=6),
            lookup=lambda: ModelDrafter(drafter),
        )
        ids = [*decoder.start(PROMPT), *(i for group in decoder.run() for i in group)]
        return ids, decoder.counters.forward_passes

    plain, slow = decode(engine, "root ::= [a-z: ]{40}", ScriptedNetwork(copying))
    twin, fast = with_drafter(ScriptedNetwork(copying), ScriptedNetwork(copying))
    other, _ = with_drafter(ScriptedNetwork(copying), ScriptedNetwork())
    assert twin == other == plain
    assert fast < slow.counters.forward_passes / 2


TAGS = Tags(
    begin=(ord("<"), ord("[")), end=(ord("]"),), cut=(ord("\n"), ord("]")), lead=(ord("="),)
)


def reasoned(
    engine: Engine, stance: Stance, script: bytes, *, budget: int = 9, stops: bool = False
) -> tuple[bytes, bytes, Decoder]:
    """What is thought and what is answered by a network that likes `script`, byte by byte."""

    def prefer(ids: list[int]) -> np.ndarray:
        at = len(ids) - len(PROMPT)
        liked = script[at : at + 1] if 0 <= at < len(script) else b"b"
        return always(STOP if stops and liked == b"$" else liked)(ids)

    thinking = Thinking(TAGS, stance, budget=budget, stop_ids=frozenset({STOP}))
    decoder = Decoder(
        ScriptedNetwork(prefer),
        engine.compile(EbnfSource('root ::= "q" [a-c]{2} "!"', "test")).matcher(),
        sampling=Sampling(),
        max_tokens=20,
        switches=Switches(),
        thinking=thinking,
    )
    ids = [*decoder.start(PROMPT), *(i for group in decoder.run() for i in group)]
    return text(thinking.ids), text(ids), decoder


def is_answer(answer: bytes) -> bool:
    return re.fullmatch(rb"q[abc]{2}!", answer) is not None


def test_the_rest_of_a_tag_and_what_leads_to_the_answer_are_written_for_the_model(
    engine: Engine,
) -> None:
    thought, answer, decoder = reasoned(engine, Stance.FREE, b"<.hm]...")
    assert thought == b"<[hm]="
    assert is_answer(answer)
    assert decoder.counters.thinking_tokens == 6
    # One pass each for "<", "h", "m" and "]", and two for the answer's middle.
    assert decoder.counters.forward_passes == 6


def test_reasoning_that_is_open_needs_no_tag(engine: Engine) -> None:
    thought, answer, _ = reasoned(engine, Stance.OPEN, b"hm]")
    assert thought == b"hm]="
    assert is_answer(answer)


def test_a_stop_id_while_reasoning_is_never_given_out_or_run(engine: Engine) -> None:
    thought, answer, decoder = reasoned(engine, Stance.OPEN, b"hm$", stops=True)
    assert thought == b"hm]="
    assert is_answer(answer)
    assert decoder.finish is Finish.STOP


def test_an_answer_ends_freedom_to_reason(engine: Engine) -> None:
    thought, answer, _ = reasoned(engine, Stance.FREE, b"q<[")
    assert thought == b""
    assert is_answer(answer)


@pytest.mark.parametrize("stance", [Stance.OPEN, Stance.FREE])
@pytest.mark.parametrize("budget", [0, 1, 2])
def test_no_more_is_thought_than_the_budget_allows(
    engine: Engine, stance: Stance, budget: int
) -> None:
    script = b"<." + b"x" * 30 if stance is Stance.FREE else b"x" * 30
    thought, answer, _ = reasoned(engine, stance, script, budget=budget)
    assert thought == (b"<[" if stance is Stance.FREE else b"") + b"x" * budget + b"\n]="
    assert is_answer(answer)


@pytest.mark.parametrize(
    "how",
    [
        Sampling(temperature=1e-300),
        Sampling(temperature=1.0, top_p=0.0),
        Sampling(temperature=float("inf"), top_k=1),
    ],
)
def test_extreme_sampling_never_leaves_what_is_allowed(how: Sampling) -> None:
    logits = mx.array([[-mx.inf, 1.0, 40.0, 2.0]])
    assert [int(sampler(how)(logits, [at])[0]) for at in range(20)] == [2] * 20
