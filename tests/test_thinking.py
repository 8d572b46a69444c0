"""A model that reasons is bound only where its answer begins, and only the answer is the result."""

import json
from typing import Any

import pytest

from mlxjson.constraint import Choice, JsonSchema, Regex
from mlxjson.grammar import Engine
from mlxjson.model import ChatTemplate, Tokenizer
from mlxjson.session import Session
from mlxjson.task import Result, Task
from mlxjson.thinking import Stance, Think
from tests.thinkers import END_THINK, STOP, THINK, Thinker, engine_of, qwen3, session_of

MESSAGES = [{"role": "user", "content": "Who is Ada? Mind <think> and </think>."}]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
}
ANSWER = '{"name": "Ada", "age": 36}'
TAGGED = '{"name": "</think> <think>", "age": 36}'
DEEPSEEK = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'].split('</think>')[-1] }}"
    "<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return qwen3(tmp_path_factory.mktemp("qwen3"))


@pytest.fixture(scope="module")
def engine(tokenizer: Tokenizer) -> Engine:
    return engine_of(tokenizer)


class Thinks:
    """Runs a task on a scripted thinker; what it thinks is "It is Ada."."""

    def __init__(self, tokenizer: Tokenizer, engine: Engine) -> None:
        self.tokenizer = tokenizer
        self.engine = engine
        self.words = tokenizer.encode("It is Ada.", special=False)
        self.shown: list[str] = []

    def __call__(
        self,
        thoughts: list[int],
        answer: str = ANSWER,
        *,
        constraint: Any = None,
        trims: bool = True,
        context: int = 4096,
        **options: Any,
    ) -> Result:
        network = Thinker(self.tokenizer, thoughts, answer, trims=trims, context_length=context)
        session = session_of(self.tokenizer, self.engine, network)
        task = Task(constraint or JsonSchema(SCHEMA), MESSAGES, **options)
        network.prompt = tuple(session.prompt(MESSAGES, task.think).ids)
        self.network = network
        return session.run(task, None, None, self.shown.append)


@pytest.fixture
def thinks(tokenizer: Tokenizer, engine: Engine) -> Thinks:
    return Thinks(tokenizer, engine)


@pytest.fixture
def deepseek(tokenizer: Tokenizer) -> Any:
    """The tokenizer with a template that opens the reasoning itself."""
    kept = tokenizer.template
    tokenizer.template = ChatTemplate(DEEPSEEK)
    yield tokenizer
    tokenizer.template = kept


def test_a_tag_that_the_model_writes_puts_the_constraint_off(thinks: Thinks) -> None:
    result = thinks([THINK, *thinks.words, END_THINK])
    assert result.text == ANSWER
    assert result.thought.strip() == "It is Ada."
    assert result.stats.thinking_tokens == len(thinks.words) + 3  # two tags, two line breaks


def test_a_tag_that_the_template_wrote_puts_the_constraint_off(
    thinks: Thinks, deepseek: Any
) -> None:
    result = thinks([*thinks.words, END_THINK])
    assert result.text == ANSWER
    assert result.thought == "It is Ada."


def test_thinking_on_opens_the_tag_for_the_model(thinks: Thinks) -> None:
    result = thinks([*thinks.words, END_THINK], think=Think.ON)
    assert result.text == ANSWER
    assert result.thought == "It is Ada."


def test_without_a_tag_the_constraint_is_live_from_the_first_token(thinks: Thinks) -> None:
    result = thinks([])
    assert result.text == ANSWER
    assert (result.thought, result.stats.thinking_tokens) == ("", 0)


def test_thinking_off_is_what_the_template_makes_of_it(thinks: Thinks) -> None:
    result = thinks([THINK, *thinks.words, END_THINK], think=Think.OFF)
    assert result.text == ANSWER
    assert result.stats.thinking_tokens == 0
    assert thinks.network.prompt is not None
    assert thinks.network.prompt[-4:] == (THINK, 271, END_THINK, 271)


def test_thinking_off_closes_what_the_template_opened(thinks: Thinks, deepseek: Any) -> None:
    result = thinks([], think=Think.OFF)
    assert result.text == ANSWER
    assert thinks.network.prompt is not None
    assert list(thinks.network.prompt[-5:]).count(END_THINK) == 1


@pytest.mark.parametrize("think", list(Think))
@pytest.mark.parametrize("draft", [0, 8])
def test_a_tag_in_a_string_is_text(thinks: Thinks, think: Think, draft: int) -> None:
    thoughts = [] if think is Think.OFF else [THINK, *thinks.words, END_THINK]
    thoughts = thoughts[1:] if think is Think.ON else thoughts
    result = thinks(thoughts, TAGGED, think=think, draft=draft)
    assert result.text == TAGGED
    assert json.loads(result.text)["name"] == "</think> <think>"


def test_a_tag_in_the_prompt_opens_nothing(tokenizer: Tokenizer, engine: Engine) -> None:
    session = session_of(tokenizer, engine, None)
    for content in ("<think>", "</think>", "<think>\n\n</think>\n\n"):
        prompt = session.prompt([{"role": "user", "content": content}], Think.AUTO)
        assert prompt.stance is Stance.FREE


@pytest.mark.parametrize("budget", [0, 1, 3])
def test_at_the_budget_the_tag_is_written_for_the_model(thinks: Thinks, budget: int) -> None:
    endless = thinks.words * 40
    result = thinks(endless, think=Think.ON, think_budget=budget)
    assert result.text == ANSWER
    expected = thinks.tokenizer.text(endless[:budget])
    assert result.thought == expected
    assert "budget" in result.notes[0]
    # The cut is a line break and the tag, two more line breaks lead to the answer.
    assert result.stats.thinking_tokens == budget + 3


def test_a_model_that_ends_while_reasoning_still_answers(thinks: Thinks) -> None:
    result = thinks([*thinks.words, STOP], think=Think.ON)
    assert result.text == ANSWER
    assert result.thought == "It is Ada."
    assert result.finish == "stop"


def test_the_budget_leaves_room_for_the_answer_in_the_context(thinks: Thinks) -> None:
    endless = thinks.words * 40
    result = thinks(endless, think=Think.ON, think_budget=100_000, max_tokens=100, context=100)
    assert result.text == ANSWER
    assert result.stats.thinking_tokens > 20


def test_reasoning_is_no_part_of_max_tokens(thinks: Thinks) -> None:
    result = thinks([THINK, *thinks.words * 5, END_THINK], max_tokens=16)
    assert result.text == ANSWER
    assert result.stats.output_tokens <= 16


def test_nothing_is_forced_or_drafted_before_the_constraint_is_live(thinks: Thinks) -> None:
    constraint = Choice(("only this",))
    result = thinks([THINK, *thinks.words, END_THINK], "only this", constraint=constraint)
    assert result.text == "only this"
    # One pass for each id of the reasoning, none for what is forced behind it.
    assert result.stats.forward_passes == len(thinks.words) + 2
    assert result.stats.drafted_tokens == 0


@pytest.mark.parametrize("trims", [True, False])
def test_jumps_and_drafts_after_reasoning_change_nothing(thinks: Thinks, trims: bool) -> None:
    thoughts = [THINK, *thinks.words, END_THINK]
    plain = thinks(thoughts, jump=False, draft=0)
    quick = thinks(thoughts, jump=True, draft=8, trims=trims)
    assert plain.text == quick.text == ANSWER
    assert quick.stats.forward_passes < plain.stats.forward_passes
    assert quick.stats.thinking_tokens == plain.stats.thinking_tokens


@pytest.mark.parametrize("trims", [True, False])
def test_a_retry_keeps_the_reasoning(thinks: Thinks, trims: bool) -> None:
    unique = {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 2}
    result = thinks(
        [THINK, *thinks.words, END_THINK],
        '["b", "b"]',
        constraint=JsonSchema(unique),
        trims=trims,
        max_tokens=20,
    )
    assert result.stats.retries > 0
    assert result.thought.strip() == "It is Ada."
    assert thinks.shown.count("It") == 1


def test_an_answer_may_begin_with_anything_that_the_constraint_allows(thinks: Thinks) -> None:
    result = thinks([], "<thinking>", constraint=Regex("<thinking>|x"))
    assert result.text == "<thinking>"


def test_without_a_chat_template_nothing_is_known_of_reasoning(
    tokenizer: Tokenizer, engine: Engine
) -> None:
    session: Session = session_of(tokenizer, engine, None)
    assert session.prompt("2 + 2 = <think>", Think.AUTO).stance is Stance.LIVE


def test_a_model_that_cannot_reason_says_so_when_it_is_asked_to() -> None:
    from tests.batch_helpers import session_of as plain_session

    result = plain_session().run(Task(Regex("[ab]"), "?", think=Think.ON))
    assert result.finish == "stop"
    assert "--think on changes nothing" in result.notes[0]
