"""What the batch engine promises, on a scripted network and mlx-lm's own generator."""

import gc
import random
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlxjson.batch.engine import BatchLane
from mlxjson.batch.lanes import SingleLane
from mlxjson.batch.records import Outcome
from mlxjson.batch.rows import Row
from mlxjson.batch.tasks import Defaults
from mlxjson.constraint import Free, JsonSchema
from mlxjson.decode import mask
from mlxjson.grammar import Matcher
from mlxjson.session import Session
from mlxjson.thinking import Prompt, Stance, Tags, Think
from tests.batch_helpers import run_batch, session_of, texts
from tests.scripted import STOP, WIDTH, always, random_logits
from tests.scripted_batch import BatchModel
from tests.tiny_model import make_tiny_model

OPTIONS: dict[str, Any] = {"stream": False, "max_tokens": 30, "draft": 0}

SCHEMAS: list[Any] = [
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    {"type": "array", "items": {"enum": ["red", "blue"]}, "maxItems": 3},
    {"enum": [True, None, "word"]},
    {"type": "string", "maxLength": 6},
]


def rows_of(*fields: dict[str, Any]) -> list[Row]:
    return [Row(i, i, given) for i, given in enumerate(fields, 1)]


def run(
    session: Session, rows: list[Row], width: int, defaults: Defaults | None = None
) -> dict[int, Outcome]:
    made = defaults or Defaults(Free(), options=OPTIONS)
    lane = SingleLane(session, made) if width == 1 else BatchLane(session, made, width)
    outcomes = [outcome for group in lane(rows) for outcome in group]
    assert len(outcomes) == len(rows)
    by_number = sorted(outcomes, key=lambda outcome: outcome.row.number)
    return {outcome.row.number: outcome for outcome in by_number}


def essence(outcome: Outcome) -> tuple[Any, ...]:
    """What must be the same whether a row is run alone or in a batch."""
    stats = outcome.stats
    counts = stats and (stats.prompt_tokens, stats.output_tokens, stats.forced_tokens)
    return outcome.text, outcome.fault, stats and stats.finish, counts, stats and stats.retries


def assert_as_single(
    rows: list[Row], width: int, prefer: Callable[..., Any] = random_logits, **defaults: Any
) -> BatchModel:
    made = Defaults(Free(), options=OPTIONS | defaults)
    model = BatchModel(prefer)
    batched = run(session_of(model), rows, width, made)
    single = run(session_of(BatchModel(prefer)), rows, 1, made)
    for number, outcome in single.items():
        assert essence(batched[number]) == essence(outcome), number
    return model


def test_four_rows_with_four_schemas() -> None:
    rows = rows_of(*({"text": f"row {i}", "schema": s} for i, s in enumerate(SCHEMAS)))
    model = assert_as_single(rows, 4)
    assert max(model.widths) >= 3  # the longest prompt takes a pass more, and joins later


def test_rows_without_a_constraint_are_what_they_are_without_the_others() -> None:
    free = {"text": "free", "max_tokens": 12}
    mixed = rows_of(free, {"text": "x", "regex": "[a-c]{3,9}"}, {**free, "text": "too"})
    alone = {row.number: row for row in mixed if row.number != 2}
    together = run(session_of(BatchModel()), mixed, 3)
    without = run(session_of(BatchModel()), list(alone.values()), 3)
    for number in alone:
        assert essence(together[number]) == essence(without[number])


def test_masking_leaves_the_logits_of_other_rows_as_they_are_bit_for_bit() -> None:
    import mlx.core as mx

    logits = mx.array(np.random.default_rng(1).normal(size=(3, WIDTH)).astype(np.float32))
    rows = mask.empty_rows(3, WIDTH)
    rows[[0, 2]] = -1
    rows[1, 0] = 5
    masked = np.array(mask.apply(logits, rows))
    assert masked[[0, 2]].tobytes() == np.array(logits)[[0, 2]].tobytes()
    assert np.isfinite(masked[1]).sum() == 2


def test_a_row_in_the_middle_ends_first_and_another_takes_its_place() -> None:
    lengths = [20, 2, 15, 9, 1, 12, 3]
    rows = rows_of(*({"text": f"t{n}", "regex": f"[a-z]{{{n}}}"} for n in lengths))
    model = assert_as_single(rows, 3)
    assert set(model.widths) <= {1, 2, 3}


def test_a_row_cut_at_its_limit_ends_with_the_id_that_was_sampled() -> None:
    for limit in range(9):
        given = {"text": "x", "schema": SCHEMAS[0], "max_tokens": limit}
        rows = rows_of(given, {"text": "y", "regex": "[a-z]{10}"}, {**given, "text": "z"})
        assert_as_single(rows, 3)
    cut = run(session_of(BatchModel()), rows_of({"text": "x", "regex": "[a-z]{90}"}), 2)[1]
    assert cut.fault is not None
    assert (cut.fault.code, cut.stats and cut.stats.output_tokens) == (4, 30)


def test_a_row_that_is_satisfied_by_its_prompt_never_joins() -> None:
    model = BatchModel()
    done = run(session_of(model), rows_of({"text": "x", "schema": {"const": [1, "b"]}}), 4)[1]
    assert done.text == '[1, "b"]'
    assert model.passes == 0


def test_a_model_that_always_prefers_a_forbidden_id() -> None:
    rows = rows_of(*({"text": f"t{i}", "regex": "[a-c]{3}"} for i in range(5)))
    model = BatchModel(always(b"z", WIDTH - 1, b"b"))
    assert [o.text for o in run(session_of(model), rows, 2).values()] == ["bbb"] * 5


def test_padding_is_never_chosen_not_even_by_a_free_row() -> None:
    model = BatchModel(lambda ids: always(STOP if len(ids) > 9 else WIDTH - 1, b"q")(ids))
    rows = rows_of({"text": "free"}, {"text": "x", "regex": "[a-z]+", "max_tokens": 8})
    texts = {number: o.text for number, o in run(session_of(model), rows, 2).items()}
    assert texts[1].strip("q") == ""


def test_a_row_that_ended_is_not_in_the_next_pass() -> None:
    rows = rows_of({"text": "a", "regex": "[a-z]{2}"}, {"text": "b", "regex": "[a-z]{6}"})
    model = BatchModel(always(b"q"))
    run(session_of(model), rows, 2)
    assert model.widths == [2, 2, 1, 1, 1, 1]
    overlapping = BatchModel(always(b"q"), device="cuda")
    run(session_of(overlapping), rows, 2)
    assert overlapping.widths == [2, 2, 2, 1, 1, 1, 1]


def test_forced_text_is_the_same_as_where_it_is_jumped_over() -> None:
    schema = {
        "type": "object",
        "properties": {"first name": {"enum": ["Ann", "Bo"]}, "is old": {"type": "boolean"}},
        "required": ["first name", "is old"],
    }
    rows = rows_of(*({"text": f"t{i}", "schema": schema} for i in range(5)))
    assert_as_single(rows, 3)
    assert_as_single(rows, 3, jump=False)


def test_sampling_depends_on_the_seed_of_the_row_and_on_nothing_else() -> None:
    rows = rows_of(
        *({"text": "same", "regex": "[a-z]{12}", "temp": 1.0, "seed": s} for s in (1, 2, 1)),
        {"text": "same", "regex": "[a-z]{12}"},
    )
    assert_as_single(rows, 4)
    outcomes = run(session_of(BatchModel()), rows, 4)
    assert outcomes[1].text == outcomes[3].text
    assert len({outcome.text for outcome in outcomes.values()}) == 3


def test_what_the_grammar_cannot_say_is_tried_again_like_a_single_row() -> None:
    schema = {
        "type": "array",
        "items": {"type": "string", "pattern": "^[ab]$"},
        "minItems": 2,
        "maxItems": 2,
        "uniqueItems": True,
    }
    unique = {
        "type": "array",
        "items": {"type": "string", "maxLength": 2},
        "minItems": 2,
        "maxItems": 3,
        "uniqueItems": True,
    }
    rows = rows_of(*({"text": f"t{i}", "schema": s} for i, s in enumerate([schema, unique] * 4)))
    assert_as_single(rows, 3, prefer=always(b'"', b"a", b'", "', b"b", b"]"))


def test_prompts_that_begin_alike_are_run_once() -> None:
    head = "An instruction that is long enough to be worth keeping, for all rows. "
    rows = rows_of(*({"text": f"{head}{i}", "regex": "[a-z]{4}"} for i in range(8)))
    assert_as_single(rows, 4)
    model = BatchModel()
    outcomes = run(session_of(model), rows, 4)
    assert model.ids_run < 0.3 * sum(o.stats.prompt_tokens for o in outcomes.values() if o.stats)


def test_long_prompts_are_run_in_pieces_beside_rows_that_grow() -> None:
    sizes = [5, 300, 40, 129, 128, 127, 1]
    rows = rows_of(*({"text": "ab"[i % 2] * n, "regex": "[a-z]{9}"} for i, n in enumerate(sizes)))
    assert_as_single(rows, 3)


def test_an_error_of_one_row_ends_that_row_alone() -> None:
    def prefer(ids: Any) -> Any:
        return np.full(WIDTH, -np.inf) if ord("!") in ids else random_logits(ids)

    model = BatchModel(prefer, width=WIDTH)
    rows = rows_of(
        {"text": "a", "regex": "[a-z]{5}"},
        {"text": "!", "regex": "[a-z]{5}"},
        {"text": "b", "regex": "[a-z]{5}"},
    )
    outcomes = run(session_of(model), rows, 3)
    assert [o.ok for o in outcomes.values()] == [True, False, True]
    assert outcomes[2].fault is not None
    assert outcomes[2].fault.code == 1


def matchers_alive() -> int:
    gc.collect()
    return sum(isinstance(thing, Matcher) for thing in gc.get_objects())


def test_matchers_are_released_on_every_path() -> None:
    session = session_of(BatchModel())
    before = matchers_alive()
    rows = rows_of(
        {"text": "a", "regex": "[a-z]{5}"},
        {"text": "b", "regex": "[a-z]{99}"},
        {"text": 1},
        {"text": "c", "schema": {"const": 1}},
        {"text": "d", "regex": "[a-z]{9}"},
    )
    run(session, rows, 2)
    assert matchers_alive() == before
    lane = BatchLane(session, Defaults(Free(), options=OPTIONS), 2)
    left_early: Iterator[Any] = lane(rows)
    next(left_early)
    left_early.close()  # type: ignore[attr-defined]
    del left_early
    assert matchers_alive() == before


def schedule(rng: random.Random) -> tuple[list[Row], int]:
    """Rows of random schemas, lengths and limits, and how many run at once."""
    kinds: list[Callable[[], dict[str, Any]]] = [
        lambda: {"schema": rng.choice(SCHEMAS)},
        lambda: {"regex": f"[a-{rng.choice('bcz')}]{{{rng.randint(0, 3)},{rng.randint(3, 12)}}}"},
        lambda: {"choices": ["".join(rng.choices("ab ", k=rng.randint(1, 6))) for _ in range(4)]},
        lambda: {"grammar": 'root ::= "" | "ab" root'},
        lambda: {},
    ]
    rows = []
    for number in range(1, rng.randint(1, 9) + 1):
        text = rng.choice(["", "a shared beginning, long enough to be kept: "]) + "x" * rng.choice(
            [1, 3, 20, 150]
        )
        fields = {
            "text": f"{text}{number}",
            **rng.choice(kinds)(),
            "max_tokens": rng.randint(0, 14),
        }
        if rng.random() < 0.2:
            fields |= {"temp": 1.0, "seed": rng.randint(0, 9)}
        rows.append(Row(number, number, fields))
    return rows, rng.randint(2, 5)


def compare_schedules(seeds: range) -> None:
    alone = session_of(BatchModel())
    kinds = ((1, 16, "cpu"), (2, 128, "cpu"), (8, 64, "cuda"), (2, 32, "cuda"))
    batched = [session_of(BatchModel(prompts=n, chunk=c, device=d)) for n, c, d in kinds]
    for seed in seeds:
        rows, width = schedule(random.Random(seed))
        together = run(batched[seed % len(batched)], rows, width)
        for number, outcome in run(alone, rows, 1).items():
            assert essence(together[number]) == essence(outcome), (seed, number)


def test_random_schedules_give_what_single_runs_give() -> None:
    compare_schedules(range(40))


@pytest.mark.slow
def test_many_random_schedules_give_what_single_runs_give() -> None:
    compare_schedules(range(40, 500))


def test_a_batch_writes_rows_in_order_or_as_they_finish() -> None:
    lengths = [9, 1, 5, 2]
    rows = [{"id": n, "text": "x", "regex": f"[a-z]{{{n}}}"} for n in lengths]
    session = session_of(BatchModel(always(b"q")))
    ordered = run_batch(session, rows, width=4)
    assert [row["id"] for row in ordered.rows] == lengths
    loose = run_batch(session, rows, width=4, unordered=True)
    assert [row["id"] for row in loose.rows] == sorted(lengths)


def test_a_model_whose_cache_cannot_be_merged_is_run_row_by_row() -> None:
    ran = run_batch(
        session_of(BatchModel(can_batch=False)),
        texts(3),
        width=4,
        defaults={"options": {"draft": 0}},
    )
    assert [row["ok"] for row in ran.rows] == [True] * 3


def test_the_generator_is_loaded_without_transformers_and_the_hub() -> None:
    import subprocess
    import sys

    script = (
        "import sys; from mlxjson.model.batch import _classes; _classes();"
        "bad = {'transformers', 'torch', 'huggingface_hub', 'mlx_lm.utils', 'mlx_lm.generate'};"
        "sys.exit(str(bad & set(sys.modules)) if bad & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("as_on", ["cpu", "cuda"])
def test_a_real_model_writes_in_a_batch_what_it_writes_alone(tmp_path: Path, as_on: str) -> None:
    from mlxjson.api import open_session

    session = open_session(str(make_tiny_model(tmp_path / "tiny")), cache=False)
    session._network = Future()
    session._network.set_result(replace(open_network(tmp_path / "tiny"), device=as_on))
    head = "Some words that all of these documents begin with, so that they share a cache. "
    rows = rows_of(
        *(
            {"text": head * (i % 2) + "x" * size, "regex": f"[a-z ]{{{4 + i}}}|[0-9]{{{3 + i}}}"}
            for i, size in enumerate([1, 60, 7, 30, 2, 90, 11, 5])
        )
    )
    single, batched = run(session, rows, 1), run(session, rows, 3)
    for number in single:
        assert essence(batched[number]) == essence(single[number])


def open_network(folder: Path) -> Any:
    from mlxjson.model import load_network, resolve

    return load_network(resolve(str(folder)), use_cache=False)


def test_json_documents_of_a_batch_validate() -> None:
    rows = rows_of(*({"text": f"row {i}"} for i in range(6)))
    made = Defaults(JsonSchema(SCHEMAS[0]), options={**OPTIONS, "max_tokens": 60})
    for outcome in run(session_of(BatchModel()), rows, 3, made).values():
        assert outcome.ok or (outcome.fault and outcome.fault.code == 4)


TAGS = Tags(
    begin=(ord("<"), ord("[")), end=(ord("]"),), cut=(ord("\n"), ord("]")), lead=(ord("="),)
)


@pytest.mark.parametrize("stance", [Stance.OPEN, Stance.FREE])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
@pytest.mark.parametrize("device", ["cpu", "gpu"])
def test_rows_reason_side_by_side_as_they_do_alone(
    stance: Stance, temperature: float, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prompt(session: Session, messages: Any, think: Think) -> Prompt:
        text = messages if isinstance(messages, str) else messages[-1]["content"]
        return Prompt(list(text.encode()), stance, TAGS)

    def prefer(ids: Any) -> np.ndarray:
        """Likes to begin, to end and to stop reasoning, and is else at random."""
        logits = random_logits(ids)
        logits[[ord("<"), ord("]"), STOP]] += 2
        return logits

    monkeypatch.setattr(Session, "prompt", prompt)
    rows = rows_of(*({"text": f"{'row' * i} {i}", "schema": SCHEMAS[i % 4]} for i in range(12)))
    for budget in (0, 1, 6):
        options = {"think_budget": budget, "temperature": temperature, "retries": 2}
        made = Defaults(Free(), options=OPTIONS | options)
        model = BatchModel(prefer)
        model.device = device  # where it is a GPU, masks are filled beside the pass
        batched = run(session_of(model), rows, 4, made)
        single = run(session_of(BatchModel(prefer)), rows, 1, made)
        assert max(model.widths) >= 3
        for number, outcome in single.items():
            assert essence(batched[number]) == essence(outcome)
            thought = [o.stats and o.stats.thinking_tokens for o in (outcome, batched[number])]
            assert thought[0] == thought[1]
        if stance is Stance.OPEN:
            assert all(o.stats is not None and o.stats.thinking_tokens for o in single.values())
