"""What `mlxjson bench` promises: figures that can be trusted, and three forms of them."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import Future
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from mlxjson.bench import quality
from mlxjson.bench.chart import bars
from mlxjson.bench.draw import check_drawable, png, svg
from mlxjson.bench.figures import figure, percentile
from mlxjson.bench.grades import grades, grades_text
from mlxjson.bench.meter import Metered
from mlxjson.bench.report import Report, Setting
from mlxjson.bench.samples import BUILT_IN
from mlxjson.bench.speed import EVERYTHING, JUMPING, MASKED, UNCONSTRAINED, Job, decode, measure
from mlxjson.bench.start import Started
from mlxjson.bench.tables import speed_text
from mlxjson.errors import UsageError
from mlxjson.grammar import EbnfSource, Engine
from mlxjson.session import Session, Speech
from mlxjson.stats import Stats
from mlxjson.task import Result, Task
from mlxjson.validate import prepare
from tests.command import PERSON, mlxjson
from tests.scripted import ScriptedNetwork, encode, vocabulary

GRAMMAR = 'root ::= "{\\"name\\": \\"" [a-z ]{3,20} "\\", \\"kind\\": \\"" ("red" | "rose") "\\"}"'
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"colour": {"enum": ["red", "rust"]}, "name": {"type": "string"}},
        "required": ["colour", "name"],
    }
)
PROMPT = encode("the name is abcabc and the other is abcabc")


def copying(ids: list[int]) -> np.ndarray:
    """Logits of a copyist, who continues the latest earlier occurrence of the last id."""
    logits = np.zeros(len(vocabulary().tokens) + 21, dtype=np.float32)
    logits[ord("a") : ord("f")] = 1
    for at in range(len(ids) - 2, -1, -1):
        if ids[at] == ids[-1]:
            logits[ids[at + 1]] += 5
            break
    return logits


@pytest.fixture(scope="module")
def session() -> Session:
    network: Future[Any] = Future()
    network.set_result(ScriptedNetwork(copying))
    speech: Future[Speech] = Future()
    speech.set_result(Speech("scripted", None, Engine(vocabulary(), encode=encode)))  # type: ignore[arg-type]
    return Session(speech, network, {})


@pytest.fixture(scope="module")
def job(session: Session) -> Job:
    return Job("one", PROMPT, session.engine.compile(EbnfSource(GRAMMAR, "test")).matcher)


def report(session: Session, job: Job, runs: int = 3) -> dict[str, Any]:
    measured = measure(session, [job], runs, 60, lambda _done, _all: None)
    times = dict.fromkeys((name for name in Stats().as_dict() if name.endswith("_ms")), 2.0)
    started = Started({name: figure([v]) for name, v in {**times, "peak_memory_mb": 9.0}.items()})
    setting = Setting("a & b", "cpu", "spaced", runs, 60, ["one"])
    return Report(setting, measured, started, started).as_dict()


def test_a_figure_is_the_median_and_the_median_distance_from_it() -> None:
    assert figure([1.0, 100.0, 2.0]).as_dict() == {"median": 2.0, "deviation": 1.0}
    assert figure([5.0]).as_dict() == {"median": 5.0, "deviation": 0.0}


def test_a_percentile_is_a_value_that_was_measured() -> None:
    values = [float(i) for i in range(1, 101)]
    assert percentile(values, 0.5) == 50
    assert percentile(values, 0.99) == 99
    assert percentile([3.0], 0.99) == 3
    assert percentile([], 0.5) == 0


def test_a_metered_matcher_changes_nothing_and_times_every_mask(session: Session, job: Job) -> None:
    plain = decode(session, job, MASKED, 60)
    metered = Metered(job.matcher())
    seen = decode(session, Job("metered", PROMPT, lambda: metered), MASKED, 60)
    assert seen.texts == plain.texts
    assert len(metered.masks_us) == seen.counters.forward_passes
    assert min(metered.masks_us) > 0


def test_levers_save_passes_and_change_no_text(session: Session, job: Job) -> None:
    masked, jumping, everything = (
        decode(session, job, variant, 60) for variant in (MASKED, JUMPING, EVERYTHING)
    )
    assert masked.texts == jumping.texts == everything.texts
    passes = [o.counters.forward_passes for o in (masked, jumping, everything)]
    assert passes[0] > passes[1] > passes[2]


def test_unconstrained_text_gets_as_many_tokens_as_the_masked_one(
    session: Session, job: Job
) -> None:
    found = {v["name"]: v for v in report(session, job)["variants"]}
    assert found["unconstrained"]["output_tokens"] == found["masked"]["output_tokens"]
    assert found["unconstrained"]["passes_per_token"] == 1.0
    assert decode(session, job, UNCONSTRAINED, 7).counters.output_tokens == 7


def test_the_report_holds_its_figures_and_is_json(session: Session, job: Job) -> None:
    found = json.loads(json.dumps(report(session, job)))
    assert [v["name"] for v in found["variants"]] == [
        *("unconstrained", "masked", "+ jump-forward", "+ drafting")
    ]
    for variant in found["variants"]:
        assert variant["tokens_per_s"]["median"] > 0
        assert 0 <= variant["forced_share"] + variant["accepted_share"] <= 1
    assert found["variants"][1]["against_masked"] == 1.0
    assert 0 < found["mask"]["fill_p50_us"] <= found["mask"]["fill_p99_us"]
    assert 0 < found["mask"]["step_share"] < 1
    assert len(found["same_output"]) == 4
    assert all(count == {"same": 1, "of": 1} for count in found["same_output"].values())


def test_a_pipe_gets_plain_text_and_a_terminal_colour_and_bars(session: Session, job: Job) -> None:
    found = report(session, job)
    plain, terminal = speed_text(found, terminal=False), speed_text(found, terminal=True)
    assert "\x1b" not in plain
    assert "█" not in plain
    assert "█" in terminal
    assert all(re.search(rf"^{re.escape(v['name'])} +\d+", plain, re.M) for v in found["variants"])


def test_the_picture_is_well_formed_and_its_bars_are_to_scale(session: Session, job: Job) -> None:
    found = report(session, job)
    tree = ElementTree.fromstring(svg(bars(found)))
    boxes = [e for e in tree.iter() if e.tag.endswith("rect") and e.get("height") == "24.0"]
    lengths = [float(box.get("width", "0")) for box in boxes[1::2]]
    speeds = [variant["tokens_per_s"]["median"] for variant in found["variants"]]
    for length, speed in zip(lengths, speeds, strict=True):
        assert length / max(lengths) == pytest.approx(speed / max(speeds), abs=0.01)
    assert any("a & b" in (e.text or "") for e in tree.iter())


def test_the_picture_as_png(session: Session, job: Job) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    picture = bars(report(session, job, runs=1))
    drawn = image.open(BytesIO(png(picture)))
    assert drawn.size == (2 * picture.width, 2 * picture.height)
    assert len(drawn.getcolors(100_000)) > 4


def test_a_file_that_cannot_be_drawn_is_refused_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(UsageError, match="can't draw"):
        check_drawable(Path("x.gif"))
    monkeypatch.setitem(__import__("sys").modules, "PIL", None)
    with pytest.raises(UsageError, match="Pillow"):
        check_drawable(Path("x.png"))
    check_drawable(Path("x.SVG"))


def test_built_in_schemas_are_schemas_and_have_a_description_a_field() -> None:
    for sample in BUILT_IN:
        prepare(sample.schema)
        fields = sample.schema["properties"].values()
        assert all("description" in field for field in fields if field.get("type") == "string")


class Answers:
    """A session that gives prepared answers."""

    def __init__(self, *texts: str) -> None:
        self._texts: Iterator[str] = iter(texts)
        self.tasks: list[Task] = []

    def run(self, task: Task) -> Result:
        self.tasks.append(task)
        text = next(self._texts)
        finish = "stop" if text else "length"
        return Result(text, finish, Stats(finish=finish, forward_passes=3, output_tokens=6))


ROWS = quality.examples(
    '{"text": "t", "schema": {}, "gold": {"name": "Ada", "age": 36, "tags": ["x", "y"]}}\n\n'
    '{"text": "u", "schema": {}, "gold": {"name": "Bo", "rich": true, "weight": 1.5}}\n',
    "rows.jsonl",
)


def test_answers_are_compared_leaf_by_leaf() -> None:
    right = '{"name": " ADA ", "age": 36.0, "tags": ["x", "z"]}'
    wrong = '{"name": "Bo", "rich": 1, "weight": 1.5}'
    score = quality.measure(Answers(right, wrong), ROWS, "spaced")  # type: ignore[arg-type]
    assert score.asked == {"string": 4, "integer": 1, "boolean": 1, "number": 1}
    assert score.right == {"string": 3, "integer": 1, "number": 1, "boolean": 0}
    assert (score.documents, score.whole, score.cut_off) == (2, 0, 0)


def test_a_cut_off_document_has_nothing_right() -> None:
    score = quality.measure(Answers("", ""), ROWS, "spaced")  # type: ignore[arg-type]
    assert score.right.total() == 0
    assert score.cut_off == 2


def test_a_row_without_an_answer_is_named() -> None:
    with pytest.raises(UsageError, match="a row needs") as caught:
        quality.examples('{"text": "t", "schema": {}, "gold": 1}\n\n{"text": "t"}', "rows.jsonl")
    assert caught.value.where == "rows.jsonl, line 3"


def test_quality_covers_both_layouts_and_every_lever() -> None:
    answers = Answers(*['{"name": "Ada", "age": 36, "tags": ["x", "y"]}'] * 8)
    entries = grades(answers, ROWS[:1], 99, lambda _done, _all: None)  # type: ignore[arg-type]
    settings = [(str(task.constraint.layout), task.jump, task.draft) for task in answers.tasks]  # type: ignore[union-attr]
    assert settings == [
        (layout, jump, draft)
        for layout in ("spaced", "compact")
        for jump, draft in ((True, None), (False, None), (True, 0), (False, 0))
    ]
    assert all(entry["documents_right"] == 1 for entry in entries)
    text = grades_text(entries, terminal=False)
    assert text.count("100.0%") == 8
    assert text.count("3 of 3") == 8


@pytest.mark.parametrize(
    "arguments",
    [
        ("--plot", "speed.gif"),
        ("--runs", "0"),
        ("--quality", "nowhere.jsonl"),
        ("--quality", PERSON, "--plot", "x.svg"),
        ("-f", "nowhere.txt"),
        ("--schema", "{"),
    ],
    ids=" ".join,
)
def test_what_cannot_be_measured_is_exit_2(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = mlxjson("bench", *arguments, home=tmp_path)
    assert done.code == 2
    assert done.out == b""
    assert 1 <= len(done.lines) <= 2


@pytest.mark.slow
def test_bench_on_the_starter(tmp_path: Path) -> None:
    picture = tmp_path / "speed.svg"
    done = mlxjson(
        *("bench", "--schema", SCHEMA, "A red rose named Ada.", "--json"),
        *("--runs", "1", "--max-tokens", "20", "--plot", str(picture)),
        home=tmp_path,
        timeout=900,
    )
    assert done.code == 0, done.lines
    found = SimpleNamespace(**json.loads(done.out))
    assert found.device == "cpu"
    passes = [variant["passes_per_token"] for variant in found.variants]
    assert passes[0] == 1.0 >= passes[1] > passes[2] >= passes[3]
    assert found.same_output["without drafting"] == {"same": 1, "of": 1}
    assert found.start["cached"]["first_byte_ms"]["median"] > 0
    assert found.start["cached"]["peak_memory_mb"]["median"] > 100
    ElementTree.parse(picture)
