"""Request bodies: which constraint they ask for, what is said of wrong ones, what comes back."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlxjson.constraint import Ebnf, JsonSchema, Layout
from mlxjson.errors import ConstraintError, CutOff, UsageError
from mlxjson.request import Plan, Settings, plan, read_body
from mlxjson.stops import Stops
from tests.command import Outcome, mlxjson
from tests.request_bodies import CASES, COLOURS, PERSON, Case, chat, schema_format
from tests.tiny_model import make_tiny_model


def planned(body: Any, **settings: Any) -> Plan:
    return plan(read_body(body, "body.json"), Settings(**settings), "body.json")


def refused(body: Any) -> str:
    with pytest.raises(UsageError) as caught:
        planned(body)
    return str(caught.value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_body_asks_for_its_constraint(case: Case) -> None:
    made = planned(case.body)
    assert made.constraint == case.constraint
    assert len(made.tasks) == case.choices
    for name, value in case.task.items():
        assert getattr(made.tasks[0], name) == value
    assert all(any(words in note for note in made.notes) for words in case.notes)
    assert len(made.notes) == len(case.notes), made.notes


def test_there_are_twenty_five_bodies() -> None:
    assert len({case.name for case in CASES}) == 25


# Precedence and settings

ORDER = [
    ("guided_grammar", 'root ::= "a"'),
    ("response_format", schema_format()),
    ("structured_outputs", {"regex": "a"}),
    ("guided_json", PERSON),
    ("structural_tag", None),
    ("guided_regex", "a+"),
    ("guided_choice", COLOURS),
]


@pytest.mark.parametrize("first", range(len(ORDER)))
def test_the_first_of_several_constraints_decides_and_the_others_are_named(first: int) -> None:
    given = {name: value for name, value in reversed(ORDER[first:]) if value is not None}
    made = planned(chat("x", **given))
    rest = [name for name, _ in ORDER[first:] if name in given]
    alone = planned(chat("x", **{rest[0]: given[rest[0]]}))
    assert made.constraint == alone.constraint
    said = [f"{rest[0]} decides; not used: {', '.join(rest[1:])}"] if len(rest) > 1 else []
    assert list(made.notes) == said


def test_options_of_the_command_line_go_before_the_body() -> None:
    body = chat("x", temperature=1, max_tokens=5, response_format=schema_format())
    options = {"temperature": 0.5, "max_tokens": 9}
    task = planned(body, options=options, given=frozenset({"temperature"})).tasks[0]
    assert (task.temperature, task.max_tokens) == (0.5, 5)
    space = chat("x", response_format=schema_format(any_whitespace=True))
    made = planned(space, layout=Layout.COMPACT, given=frozenset({"layout"}))
    assert made.constraint == JsonSchema(PERSON, Layout.COMPACT)
    assert planned(body, layout=Layout.COMPACT).constraint == JsonSchema(PERSON, Layout.COMPACT)


def test_messages_are_given_as_they_are_unless_the_user_wants_the_schema_told() -> None:
    body = chat("Ada", response_format=schema_format())
    assert planned(body).tasks[0].messages == [{"role": "user", "content": "Ada"}]
    told = planned(body, told=True).tasks[0]
    assert [message["role"] for message in told.messages] == ["system", "user"]
    assert '"age"' in told.messages[0]["content"]
    assert told.untold == planned(body).tasks[0].messages


def test_a_fallback_tells_the_schema_after_the_systems_own_words() -> None:
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Ada"}]
    body = {"messages": messages, "response_format": schema_format()}
    assert planned(body).tasks[0].fallback is None
    fallback = planned(body, degrade=True).tasks[0].fallback
    assert fallback is not None
    assert fallback[0]["content"].startswith("Be kind.\n\n")
    assert '"age"' in fallback[0]["content"]
    assert fallback[1] == messages[1]
    assert planned(chat("x", guided_regex="a"), degrade=True).tasks[0].fallback is None


@pytest.mark.parametrize(
    ("body", "top"),
    [
        (chat("x", logprobs=True), 0),
        (chat("x", logprobs=True, top_logprobs=3), 3),
        (chat("x", logprobs=False, top_logprobs=3), None),
        ({"prompt": "x", "logprobs": 0}, 0),
        ({"prompt": "x", "logprobs": 2}, 2),
        ({"prompt": "x"}, None),
    ],
)
def test_log_probabilities_are_kept_for_a_response_that_shows_them(
    body: Any, top: int | None
) -> None:
    task = planned(body, scores=True).tasks[0]
    assert (task.logprobs, task.top_logprobs) == (top is not None, top or 0)
    assert not planned(body).tasks[0].logprobs


def test_choices_have_seeds_of_their_own() -> None:
    made = planned(chat("x", n=3, seed=5, temperature=1))
    assert [task.seed for task in made.tasks] == [5, 6, 7]
    assert "all choices are the same" in planned(chat("x", n=2)).notes[0]


# Faults

FAULTS: list[tuple[Any, str, str]] = [
    ([], "the body", "valid dictionary"),
    ({}, "", "neither 'messages' nor 'prompt'"),
    ({"messages": [{"role": "user", "content": "x"}], "prompt": "x"}, "", "both"),
    ({"messages": []}, "/messages", "at least 1"),
    ({"messages": "x"}, "/messages", "list"),
    ({"messages": [{"content": "x"}]}, "/messages/0/role", "required"),
    ({"messages": [{"role": "boss", "content": "x"}]}, "/messages/0/role", "'user'"),
    ({"messages": [{"role": "user", "content": 5}]}, "/messages/0/content", "string or a valid"),
    (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
        "/messages/0/content/0",
        "only text",
    ),
    ({"prompt": ["a", "b"]}, "/prompt", "at most 1"),
    (chat("x", temperature="0.5"), "/temperature", "number"),
    (chat("x", temperature=True), "/temperature", "number"),
    (chat("x", temperature=-1), "/temperature", "greater than or equal to 0"),
    (chat("x", top_p=1.5), "/top_p", "less than or equal to 1"),
    (chat("x", top_k=2.5), "/top_k", "integer"),
    (chat("x", max_tokens="10"), "/max_tokens", "integer"),
    (chat("x", n=0), "/n", "greater than or equal to 1"),
    (chat("x", seed="a"), "/seed", "integer"),
    (chat("x", stop=5), "/stop", "string or a valid list"),
    (chat("x", stop=["a", 5]), "/stop/1", "string"),
    (chat("x", stop=[""]), "/stop/0", "at least 1 character"),
    (chat("x", logit_bias={"a": 1}), "/logit_bias/a", "number"),
    (chat("x", logit_bias={"1": "a"}), "/logit_bias/1", "number"),
    (chat("x", logit_bias={"1": 101}), "/logit_bias/1", "less than or equal to 100"),
    (chat("x", guided_choice=[]), "/guided_choice", "at least 1"),
    (chat("x", guided_choice=["a", None]), "/guided_choice/1", "string"),
    (chat("x", guided_regex=5), "/guided_regex", "string"),
    (chat("x", guided_json=5), "/guided_json", "dictionary"),
    (chat("x", guided_json="{"), "/guided_json", "line 1, column 2"),
    (chat("x", response_format="json"), "/response_format", "dictionary"),
    (chat("x", response_format={}), "/response_format", "'type'"),
    (chat("x", response_format={"type": "yaml"}), "/response_format", "'json_object'"),
    (chat("x", response_format={"type": "json_schema"}), "/response_format/json_schema", "requ"),
    (
        chat("x", response_format={"type": "json_schema", "json_schema": {"name": "a"}}),
        "/response_format/json_schema/schema",
        "required",
    ),
    (chat("x", response_format=schema_format([1])), "/response_format/json_schema/schema", "dict"),
    (chat("x", structured_outputs={"json": {}, "regex": "a"}), "/structured_outputs", "both"),
    (chat("x", structured_outputs={"choice": "a"}), "/structured_outputs/choice", "list"),
    (chat("x", structural_tag={"triggers": ["<"]}), "/structural_tag", "supported"),
]


@pytest.mark.parametrize(("body", "pointer", "says"), FAULTS, ids=str)
def test_what_is_wrong_is_named_by_its_pointer(body: Any, pointer: str, says: str) -> None:
    said = refused(body)
    assert pointer in said
    assert says in said.replace(pointer, "", 1)
    assert len(said.splitlines()) <= 2


def test_fields_that_ask_for_nothing_are_not_worth_a_note() -> None:
    neutral = {"frequency_penalty": 0, "tools": [], "x": None, "user": "me", "stream": True}
    assert planned(chat("x", **neutral)).notes == ()
    unknown = planned(chat("x", nonsense=1, response_format={"type": "text", "odd": 2})).notes
    assert unknown == ("fields that are not known, so not used: /nonsense, /response_format/odd",)


# Structural tags

CITY = {"enum": ["Oslo", "Rome"]}
WEATHER = {"type": "object", "properties": {"city": CITY}, "required": ["city"]}
DIGIT = {"type": "integer", "maximum": 9, "minimum": 0}
TAG = {
    "type": "structural_tag",
    "structures": [
        {"begin": "<fn=weather>", "schema": WEATHER, "end": "</fn>"},
        {"begin": "<fn=time>", "schema": DIGIT, "end": "</fn>"},
    ],
    "triggers": ["<fn="],
}  # fmt: skip


def accepts(constraint: Ebnf, text: str) -> bool:
    from mlxjson.grammar import EbnfSource
    from tests.grammar_helpers import longest_match, small_engine

    matcher = small_engine().compile(EbnfSource(constraint.source), trusted=False).matcher()
    return all(map(matcher.accept, longest_match(text))) and matcher.may_end


@pytest.mark.parametrize(
    ("text", "is_in"),
    [
        ("", True),
        ("free < text <fn", True),
        ('<fn=weather>{"city": "Oslo"}</fn>', True),
        ('so: <fn=time>5</fn> and <fn=weather>{"city": "Rome"}</fn>, done', True),
        ("<fn=", False),
        ("<fn=other>5</fn>", False),
        ("<fn=time>x</fn>", False),
        ("<fn=time>5", False),
        ('<fn=weather>{"city": "Paris"}</fn>', False),
    ],
)
def test_a_structural_tag_binds_what_its_triggers_open(text: str, is_in: bool) -> None:
    constraint = planned(chat("x", response_format=TAG)).constraint
    assert isinstance(constraint, Ebnf)
    assert accepts(constraint, text) is is_in


def test_structural_tags_come_in_other_spellings() -> None:
    tags = [{"type": "tag", "begin": s["begin"], "end": s["end"],
             "content": {"type": "json_schema", "json_schema": s["schema"]}}
            for s in TAG["structures"]]  # fmt: skip
    new = {"type": "triggered_tags", "tags": tags, "triggers": TAG["triggers"]}
    same = planned(chat("x", response_format=TAG)).constraint
    for fields in (
        {"response_format": {"type": "structural_tag", "format": new}},
        {"structural_tag": json.dumps(TAG)},
        {"structured_outputs": {"structural_tag": TAG}},
    ):
        assert planned(chat("x", **fields)).constraint == same


def test_what_a_grammar_can_not_enforce_has_no_place_in_a_tag() -> None:
    schema = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
    tag = {"structures": [{"begin": "<", "schema": schema, "end": ">"}], "triggers": ["<"]}
    with pytest.raises(ConstraintError, match="uniqueItems"):
        planned(chat("x", structural_tag=tag))


# Stop strings


@pytest.mark.parametrize(
    ("pieces", "stops", "text", "found"),
    [
        (["abc"], ["x"], "abc", None),
        (["abc"], ["b"], "a", "b"),
        (["a", "b", "c"], ["bc"], "a", "bc"),
        (["a\n", "\nb"], ["\n\n"], "a", "\n\n"),
        (["aab"], ["ab", "b"], "a", "ab"),
        (["<", "<", "x"], ["<<y"], "<<x", None),
        (["ab", "ab", "ac"], ["abac"], "ab", "abac"),
        (["", ""], ["a"], "", None),
        (["é", "☕x"], ["☕"], "é", "☕"),
    ],
)
def test_a_stop_string_ends_the_text_before_it(
    pieces: list[str], stops: list[str], text: str, found: str | None
) -> None:
    watch = Stops(stops)
    assert "".join([*map(watch.feed, pieces), watch.close()]) == text
    assert watch.found == found


def test_what_may_become_a_stop_string_is_held_back() -> None:
    watch = Stops(["END"])
    assert watch.feed("text E") == "text "
    assert watch.feed("N") == ""
    assert watch.feed("T") == "ENT"


# Through the command line, on a random model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_tiny_model(tmp_path_factory.mktemp("tiny")))


def run(model: str, home: Path, body: Any, *arguments: str, **variables: str) -> Outcome:
    data = json.dumps(body).encode()
    options = ("--request", "-", "-m", model, *arguments)
    return mlxjson("gen", *options, home=home, stdin=data, variables=variables)


SHORT = {"type": "object", "properties": {"a": {"enum": [1, 2, 3]}}, "required": ["a"]}


def test_a_body_gives_its_content(model: str, tmp_path: Path) -> None:
    outcome = run(model, tmp_path, chat("x", response_format=schema_format(SHORT)))
    assert outcome.code == 0, outcome.err.decode()
    assert json.loads(outcome.text)["a"] in (1, 2, 3)
    assert outcome.err == b""


@pytest.mark.slow
def test_several_choices_are_several_lines(model: str, tmp_path: Path) -> None:
    body = chat("x", guided_choice=COLOURS, n=4, temperature=5)
    outcome = run(model, tmp_path, body)
    assert outcome.code == 0
    lines = [json.loads(line) for line in outcome.text.splitlines()]
    assert len(lines) == 4
    assert set(lines) <= set(COLOURS)
    assert run(model, tmp_path, body).out == outcome.out


@pytest.mark.slow
def test_a_response_is_what_a_client_expects(model: str, tmp_path: Path) -> None:
    body = chat("x", response_format=schema_format(SHORT), n=2, temperature=1)
    outcome = run(model, tmp_path, body, "--response", SOURCE_DATE_EPOCH="1700000000")
    assert outcome.code == 0, outcome.err.decode()
    made = json.loads(outcome.text)
    assert (made["object"], made["created"]) == ("chat.completion", 1_700_000_000)
    assert made["id"].startswith("chatcmpl-")
    assert made["model"] == model
    assert [choice["index"] for choice in made["choices"]] == [0, 1]
    for choice in made["choices"]:
        assert choice["finish_reason"] == "stop"
        assert choice["message"]["role"] == "assistant"
        assert json.loads(choice["message"]["content"])["a"] in (1, 2, 3)
    usage = made["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["completion_tokens"] > 0
    again = run(model, tmp_path, body, "--response", SOURCE_DATE_EPOCH="1700000000")
    assert again.out == outcome.out


@pytest.mark.slow
def test_a_response_has_the_log_probabilities_that_were_asked_for(
    model: str, tmp_path: Path
) -> None:
    body = {"guided_choice": COLOURS, "logprobs": True, "top_logprobs": 2}
    made = json.loads(run(model, tmp_path, chat("x", **body), "--response").text)
    choice = made["choices"][0]
    scores = choice["logprobs"]["content"]
    assert "".join(score["token"] for score in scores) == choice["message"]["content"]
    assert all(score["logprob"] <= 0 and len(score["top_logprobs"]) <= 2 for score in scores)
    body = {"prompt": "x", "guided_choice": COLOURS, "logprobs": 1}
    choice = json.loads(run(model, tmp_path, body, "--response").text)["choices"][0]
    assert "".join(choice["logprobs"]["tokens"]) == choice["text"]
    assert choice["logprobs"]["text_offset"][0] == 0
    assert len({len(figures) for figures in choice["logprobs"].values()}) == 1


def test_a_response_says_that_it_was_cut_off_and_so_does_the_exit_code(
    model: str, tmp_path: Path
) -> None:
    body = {"prompt": "x", "guided_regex": "[a-z]{50}", "max_tokens": 3}
    outcome = run(model, tmp_path, body, "--response")
    assert outcome.code == 4
    choice = json.loads(outcome.text)["choices"][0]
    assert choice["finish_reason"] == "length"
    assert len(choice["text"]) <= 12


@pytest.mark.slow
def test_a_stop_string_ends_free_text_and_cuts_off_a_document(model: str, tmp_path: Path) -> None:
    body = {"prompt": "x", "guided_regex": "a{3}ba{3}", "stop": "b"}
    outcome = run(model, tmp_path, body, "-r")
    assert outcome.code == 4
    assert 'the stop string "b"' in outcome.err.decode()
    whole = {"prompt": "x", "guided_regex": "(a{3}b)?a{3}b", "stop": ["b"]}
    assert run(model, tmp_path, whole, "-r").code == 4
    fits = {"prompt": "x", "guided_regex": "a{3}(ba)?", "stop": ["b"], "logit_bias": {}}
    outcome = run(model, tmp_path, fits, "-r")
    assert (outcome.code, outcome.out) == (0, b"aaa\n")
    grammar = {"prompt": "x", "guided_grammar": 'root ::= "aaa" "b"', "stop": ["b"]}
    assert run(model, tmp_path, grammar).code == 4


@pytest.mark.slow
def test_a_bias_decides_between_what_is_allowed(model: str, tmp_path: Path) -> None:
    from mlxjson.model import load_tokenizer, resolve

    tokenizer = load_tokenizer(resolve(model))
    ids = {letter: tokenizer.encode(letter, special=False)[0] for letter in "xyz"}
    for letter, token_id in ids.items():
        body = {"prompt": "p", "guided_regex": "[xyz]{3}", "logit_bias": {str(token_id): 100}}
        assert run(model, tmp_path, body, "-r").text == letter * 3 + "\n"
    outcome = run(model, tmp_path, {"prompt": "p", "logit_bias": {"999999": 1}})
    assert outcome.code == 2
    assert "no token 999999" in outcome.err.decode()


@pytest.mark.slow
def test_the_user_hears_about_the_body_once_unless_quiet(model: str, tmp_path: Path) -> None:
    body = chat("x", guided_choice=["a"], guided_regex="b", nonsense=1)
    outcome = run(model, tmp_path, body)
    assert outcome.code == 0
    assert outcome.lines == [
        "mlxjson: guided_regex decides; not used: guided_choice",
        "mlxjson: fields that are not known, so not used: /nonsense",
    ]
    assert run(model, tmp_path, body, "-q").err == b""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("a prompt",), "a prompt and --request"),
        (("--schema", "person"), "--schema and --request"),
        (("--object",), "--object and --request"),
        (("-f", "x.txt"), "--file and --request"),
        (("--system", "x"), "--system and --request"),
        (("--input", "x.jsonl"), "--input and --request"),
    ],
)
def test_a_body_says_all_itself(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    outcome = mlxjson("gen", "--request", "-", *arguments, home=tmp_path, stdin=b"{}")
    assert outcome.code == 2
    assert says in outcome.err.decode()


@pytest.mark.slow
def test_a_body_that_is_wrong_is_a_matter_of_usage(tmp_path: Path) -> None:
    for data, says in ((b'{"prompt": 5}', "/prompt"), (b"{", "line 1, column 2"), (b"5", "body")):
        outcome = mlxjson("gen", "--request", "-", home=tmp_path, stdin=data)
        assert outcome.code == 2
        assert says in outcome.err.decode()
        assert len(outcome.lines) <= 2
    outcome = mlxjson("gen", "--response", "x", home=tmp_path)
    assert outcome.code == 2
    assert "--request" in outcome.err.decode()


def test_cut_off_by_a_stop_string_is_said_of_the_result() -> None:
    from mlxjson.stats import Stats
    from mlxjson.task import Result
    from mlxjson.validate.failure import Failure

    cut = Result("{", "length", Stats(), failure=Failure("", "json", "x"), stopped="\n")
    with pytest.raises(CutOff, match="stop string"):
        cut.checked()
