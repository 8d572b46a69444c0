"""Models that reason first, through the real command line: folders of scripted weights.

Each case runs on a tiny tokenizer and on Qwen3's, with the template that leaves the tag to the
model (Qwen3's own, where its tokenizer is used) or one that writes it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.command import Outcome, mlxjson
from tests.thinkers import GEMMA, HARMONY
from tests.tools.thinking_model import (
    END,
    LEAVES_IT,
    OPEN,
    STOP,
    TOKENIZERS,
    WRITES_IT,
    make_thinking_model,
)

pytestmark = pytest.mark.slow

WORDS = ["3", " is", " more", " than", " two"]
THOUGHT = "3 is more than two"
# The answer, whatever the forced text before the number is cut into.
ANSWER = [['":', " ", "1", "2", "}"], ['": ', "1"], ["\n\n", '{"']]
SCHEMA = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}'


@dataclass(frozen=True, slots=True)
class Speaker:
    """Makes models that speak one tokenizer's tokens."""

    folder: Path
    home: Path
    tokenizers: Path | None

    @property
    def lead(self) -> int:
        """How many ids the two line breaks before an answer are."""
        return 1 if self.tokenizers else 2

    def model(self, name: str, *chains: Sequence[str], writes_tag: bool) -> str:
        own = None if self.tokenizers and not writes_tag else LEAVES_IT
        template = WRITES_IT if writes_tag else own
        folder = self.folder / name
        if not folder.exists():
            make_thinking_model(
                folder, *chains, *ANSWER, template=template, tokenizers=self.tokenizers
            )
        return str(folder)

    def gen(self, model: str, *options: str, schema: str = SCHEMA) -> Outcome:
        asked = ("gen", "-m", model, "-s", schema, "Which is more, 3 or two?", *options)
        return mlxjson(*asked, "--stats=json", home=self.home)


@pytest.fixture(scope="module", params=["tiny", "qwen3"])
def speaker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Speaker:
    if request.param == "qwen3" and not TOKENIZERS.exists():
        pytest.skip(f"{TOKENIZERS} is not there")
    tokenizers = TOKENIZERS if request.param == "qwen3" else None
    folder = tmp_path_factory.mktemp(str(request.param))
    return Speaker(folder, tmp_path_factory.mktemp("home"), tokenizers)


def thinking_tokens(outcome: Outcome) -> int:
    figures = next(line for line in outcome.lines if line.startswith('{"finish"'))
    return int(json.loads(figures)["thinking_tokens"])


def shown(outcome: Outcome) -> str:
    """What stands on stderr before the figures."""
    text, _, _ = outcome.err.decode().partition('{"finish"')
    return text


def test_a_prompt_with_the_tag_written_by_the_template(speaker: Speaker) -> None:
    model = speaker.model("writes", ["\n", *WORDS, END], writes_tag=True)
    outcome = speaker.gen(model, "--show-thinking")
    assert (outcome.code, outcome.text) == (0, '{"n": 12}\n'), outcome.err
    assert shown(outcome) == f"{THOUGHT}\n"
    assert thinking_tokens(outcome) == len(WORDS) + 1 + speaker.lead  # the end tag, line breaks


def test_a_tag_that_the_model_writes_itself(speaker: Speaker) -> None:
    model = speaker.model("emits", ["\n", OPEN, *WORDS, END], writes_tag=False)
    outcome = speaker.gen(model, "--show-thinking")
    assert (outcome.code, outcome.text) == (0, '{"n": 12}\n'), outcome.err
    assert shown(outcome) == f"{THOUGHT}\n"
    assert thinking_tokens(outcome) == len(WORDS) + 2 + speaker.lead
    hidden = speaker.gen(model)
    assert (hidden.out, shown(hidden)) == (outcome.out, "")


def test_no_tag_at_all(speaker: Speaker) -> None:
    model = speaker.model("answers", ["\n", '{"'], writes_tag=False)
    outcome = speaker.gen(model, "--show-thinking")
    assert (outcome.code, outcome.text) == (0, '{"n": 12}\n'), outcome.err
    assert (shown(outcome), thinking_tokens(outcome)) == ("", 0)


@pytest.mark.parametrize("name", ["writes", "emits"])
def test_reasoning_that_is_switched_off(speaker: Speaker, name: str) -> None:
    chain = ["\n", *([OPEN] if name == "emits" else []), *WORDS, END]
    model = speaker.model(name, chain, writes_tag=name == "writes")
    outcome = speaker.gen(model, "--think", "off", "--show-thinking")
    assert (outcome.code, outcome.text) == (0, '{"n": 12}\n'), outcome.err
    assert (shown(outcome), thinking_tokens(outcome)) == ("", 0)


def test_the_text_of_a_tag_inside_a_json_string(speaker: Speaker) -> None:
    """In the answer the tags are text: they end nothing, and open nothing."""
    model = speaker.model("writes", ["\n", *WORDS, END], writes_tag=True)
    text = "a</think>b<think>c"
    schema = json.dumps(
        {"type": "object", "properties": {"n": {"enum": [text]}}, "required": ["n"]}
    )
    outcome = speaker.gen(model, "--show-thinking", schema=schema)
    assert (outcome.code, json.loads(outcome.text)) == (0, {"n": text}), outcome.err
    assert shown(outcome) == f"{THOUGHT}\n"
    assert thinking_tokens(outcome) == len(WORDS) + 1 + speaker.lead


def test_tags_that_the_model_writes_into_a_string(speaker: Speaker) -> None:
    """The model likes nothing better than the end tag, also inside of the string."""
    chains = [
        ["\n", *WORDS, END],
        [" ", '"', END, OPEN, "x", '"}'],
        ['": ', '"'],
        ['":', ' "', END],
    ]
    model = speaker.model("tags", *chains, writes_tag=True)
    schema = '{"type": "object", "properties": {"n": {"type": "string", "maxLength": 40}}, '
    outcome = speaker.gen(model, "--show-thinking", schema=schema + '"required": ["n"]}')
    assert outcome.code == 0, outcome.err
    assert END in json.loads(outcome.text)["n"]
    assert shown(outcome) == f"{THOUGHT}\n"
    assert thinking_tokens(outcome) == len(WORDS) + 1 + speaker.lead


@pytest.mark.parametrize("budget", [0, 1, 6])
def test_an_exhausted_budget(speaker: Speaker, budget: int) -> None:
    model = speaker.model("endless", ["\n", *WORDS, WORDS[1]], writes_tag=True)
    outcome = speaker.gen(model, "--show-thinking", "--think-budget", str(budget))
    assert (outcome.code, outcome.text) == (0, '{"n": 12}\n'), outcome.err
    written = "".join([*WORDS, *WORDS[1:]][:budget])
    note = f"mlxjson: the reasoning was ended at its budget of {budget} tokens\n"
    assert shown(outcome) == (f"{written}\n" if written else "") + note
    assert thinking_tokens(outcome) == budget + 2 + speaker.lead


def test_a_model_that_stops_while_it_reasons(speaker: Speaker) -> None:
    model = speaker.model("stops", ["\n", *WORDS, STOP], writes_tag=True)
    outcome = speaker.gen(model, "--show-thinking")
    assert (outcome.code, outcome.text) == (0, '{"n": 12}\n'), outcome.err
    assert shown(outcome) == f"{THOUGHT}\n"


@pytest.mark.parametrize("switch", ["--no-jump", "--no-draft"])
def test_reasoning_is_the_same_without_jumps_and_drafts(speaker: Speaker, switch: str) -> None:
    model = speaker.model("emits", ["\n", OPEN, *WORDS, END], writes_tag=False)
    plain, other = speaker.gen(model), speaker.gen(model, switch)
    assert other.code == 0
    assert thinking_tokens(other) == thinking_tokens(plain)


def test_rows_reason_side_by_side(speaker: Speaker, tmp_path: Path) -> None:
    model = speaker.model("emits", ["\n", OPEN, *WORDS, END], writes_tag=False)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f'{{"text": "question {n}"}}\n' for n in range(4)))
    asked = ("gen", "-m", model, "-s", SCHEMA, "--input", str(rows), "--batch", "3")
    outcome = mlxjson(*asked, home=speaker.home)
    assert outcome.code == 0, outcome.err
    made = [json.loads(line) for line in outcome.text.splitlines()]
    assert [row["result"] for row in made] == [{"n": 12}] * 4
    assert {row["tokens"]["thinking_tokens"] for row in made} == {len(WORDS) + 2 + speaker.lead}


def test_the_other_commands_reason_as_well(speaker: Speaker) -> None:
    model = speaker.model("emits", ["\n", OPEN, *WORDS, END], writes_tag=False)
    for command in (("choice", "?", "-c", "3", "-c", "two"), ("regex", "[ab]{2}", "?")):
        outcome = mlxjson(*command, "-m", model, "--show-thinking", home=speaker.home)
        assert outcome.code == 0, outcome.err
        assert outcome.err.decode() == f"{THOUGHT}\n"
        assert json.loads(outcome.text) in ("3", "two", "aa", "ab", "ba", "bb")


# Other families, on the tiny tokenizer with their tags

FAMILIES = {
    "gpt-oss": (HARMONY, ["<|message|>", *WORDS, "<|end|>"],
                ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>")),
    "gemma": (GEMMA, ["\n", *WORDS, "<channel|>"],
              ("<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|think|>")),
    "magistral": (LEAVES_IT + "{# [THINK] [/THINK] #}", ["[THINK]", *WORDS, "[/THINK]"],
                  ("[THINK]", "[/THINK]")),
}  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_families_with_other_tags(family: str, tmp_path: Path) -> None:
    template, chain, tags = FAMILIES[family]
    make_thinking_model(tmp_path / "model", chain, *ANSWER, template=template, tags=tags)
    asked = ("gen", "-m", "model", "-s", SCHEMA, "?", "--show-thinking", "--stats=json")
    on, off = (
        mlxjson(*asked, "--think", think, home=tmp_path, cwd=tmp_path) for think in ("on", "off")
    )
    assert (on.code, on.text) == (0, '{"n": 12}\n'), on.err
    assert shown(on) == f"{THOUGHT}\n"
    assert thinking_tokens(on) > len(WORDS)
    assert (off.code, off.text) == (0, '{"n": 12}\n'), off.err
    assert (shown(off), thinking_tokens(off)) == ("", 0)
