"""Twenty-five request bodies of the kinds that people send to servers, and what each asks for."""

from dataclasses import dataclass, field
from typing import Any

from mlxjson.constraint import (
    Choice,
    Constraint,
    Ebnf,
    Free,
    JsonObject,
    JsonSchema,
    Lark,
    Layout,
    Regex,
)

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
COLOURS = ["red", "green", "blue"]
SQL = 'root ::= "SELECT " [a-z]+ " FROM " [a-z]+'
MOVE = 'start: ("left" | "right") " " NUMBER\nNUMBER: /[0-9]+/'


@dataclass(frozen=True, slots=True)
class Case:
    """A body, its constraint, fields of its first task, and words that its notes have."""

    name: str
    body: dict[str, Any]
    constraint: Constraint
    task: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    choices: int = 1


def chat(text: str, **fields: Any) -> dict[str, Any]:
    return {"model": "some-model", "messages": [{"role": "user", "content": text}], **fields}


def schema_format(schema: Any = PERSON, **more: Any) -> dict[str, Any]:
    named = {"name": "person", "schema": schema, **more}
    return {"type": "json_schema", "json_schema": named}


CASES = [
    Case(
        "OpenAI structured output of a person",
        {
            "model": "gpt-4o-2024-08-06",
            "messages": [
                {"role": "system", "content": "Extract the person."},
                {"role": "user", "content": "Ada Lovelace, 36"},
            ],
            "response_format": schema_format(strict=True, description="One person"),
            "temperature": 0.2,
            "max_tokens": 200,
        },
        JsonSchema(PERSON),
        {"temperature": 0.2, "max_tokens": 200},
    ),
    Case(
        "what openai-python sends for a Pydantic model",
        chat(
            "When and where is the science fair?",
            response_format=schema_format(
                {
                    "title": "CalendarEvent",
                    "type": "object",
                    "properties": {
                        "name": {"title": "Name", "type": "string"},
                        "participants": {"items": {"type": "string"}, "type": "array"},
                    },
                    "required": ["name", "participants"],
                    "additionalProperties": False,
                },
                strict=True,
            ),
            stream=False,
        ),
        JsonSchema(
            {
                "title": "CalendarEvent",
                "type": "object",
                "properties": {
                    "name": {"title": "Name", "type": "string"},
                    "participants": {"items": {"type": "string"}, "type": "array"},
                },
                "required": ["name", "participants"],
                "additionalProperties": False,
            }
        ),
    ),
    Case(
        "JSON mode",
        chat("List two fruits as JSON.", response_format={"type": "json_object"}, seed=42),
        JsonObject(),
        {"seed": 42},
    ),
    Case(
        "JSON mode without free white space",
        chat("x", response_format={"type": "json_object", "any_whitespace": False}),
        JsonObject(Layout.SPACED),
    ),
    Case(
        "a schema with free white space",
        chat("x", response_format={**schema_format(), "any_whitespace": True}),
        JsonSchema(PERSON, Layout.FLEXIBLE),
    ),
    Case(
        "the switch inside json_schema",
        chat("x", response_format=schema_format(any_whitespace=True)),
        JsonSchema(PERSON, Layout.FLEXIBLE),
    ),
    Case(
        "JSON mode with a schema, as llama.cpp and Together take it",
        chat("x", response_format={"type": "json_object", "schema": PERSON}),
        JsonSchema(PERSON),
    ),
    Case(
        "plain chat",
        chat("Tell me a joke.", temperature=1, top_p=0.9, max_completion_tokens=64),
        Free(),
        {"temperature": 1, "top_p": 0.9, "max_tokens": 64},
    ),
    Case(
        "response_format text",
        chat("Hello", response_format={"type": "text"}, max_tokens=5),
        Free(),
        {"max_tokens": 5},
    ),
    Case(
        "completion with stop strings",
        {"model": "m", "prompt": "Q: What is 2+2?\nA:", "stop": ["\n", "Q:"], "max_tokens": 16},
        Free(),
        {"messages": "Q: What is 2+2?\nA:", "stop": ("\n", "Q:")},
    ),
    Case(
        "vLLM guided_json",
        chat("x", guided_json=PERSON, guided_decoding_backend=None, top_k=-1),
        JsonSchema(PERSON),
        {"top_k": 0},
    ),
    Case(
        "vLLM guided_json as text",
        chat("x", guided_json='{"type": "integer", "minimum": 1}'),
        JsonSchema({"type": "integer", "minimum": 1}),
    ),
    Case(
        "vLLM guided_choice for sentiment",
        chat("Classify: vLLM is wonderful!", guided_choice=["positive", "negative"]),
        Choice(("positive", "negative")),
    ),
    Case(
        "vLLM guided_regex for an address",
        chat("Alan Turing's e-mail?", guided_regex=r"\w+@\w+\.com\n", stop=["\n"]),
        Regex(r"\w+@\w+\.com\n"),
        {"stop": ("\n",)},
    ),
    Case(
        "vLLM guided_grammar in EBNF",
        chat("Show the names of all users.", guided_grammar=SQL),
        Ebnf(SQL, "guided_grammar"),
    ),
    Case(
        "vLLM guided_grammar in Lark",
        chat("Turn right.", guided_grammar=MOVE),
        Lark(MOVE, "guided_grammar"),
    ),
    Case(
        "vLLM structured_outputs choice",
        chat("x", structured_outputs={"choice": COLOURS}),
        Choice(tuple(COLOURS)),
    ),
    Case(
        "vLLM structured_outputs json, compact white space",
        chat("x", structured_outputs={"json": PERSON, "disable_any_whitespace": True}),
        JsonSchema(PERSON, Layout.SPACED),
    ),
    Case(
        "vLLM structured_outputs json_object",
        chat("x", structured_outputs={"json_object": True}),
        JsonObject(),
    ),
    Case(
        "several constraints: the grammar wins",
        chat(
            "x",
            guided_choice=COLOURS,
            guided_regex="a+",
            structured_outputs={"regex": "b+"},
            response_format=schema_format(),
            guided_grammar=SQL,
        ),
        Ebnf(SQL, "guided_grammar"),
        notes=(
            "guided_grammar decides; not used: "
            "response_format, structured_outputs, guided_regex, guided_choice",
        ),
    ),
    Case(
        "several constraints: JSON mode beats guided_json and guided_regex",
        chat("x", response_format={"type": "json_object"}, guided_regex="a+", guided_json=PERSON),
        JsonObject(),
        notes=("response_format decides; not used: guided_json, guided_regex",),
    ),
    Case(
        "three choices, a bias, and log-probabilities",
        chat(
            "Pick one",
            guided_choice=COLOURS,
            n=3,
            temperature=0.8,
            seed=7,
            logit_bias={"11": -100, "12": 2.5},
            logprobs=True,
            top_logprobs=2,
        ),
        Choice(tuple(COLOURS)),
        {"bias": {11: -100, 12: 2.5}, "seed": 7},
        notes=("logprobs are only shown in a --response",),
        choices=3,
    ),
    Case(
        "a conversation with parts, a developer and a tool",
        {
            "messages": [
                {"role": "developer", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "Weather?"}]},
                {"role": "assistant", "content": None, "tool_calls": []},
                {"role": "tool", "tool_call_id": "1", "content": "12 degrees"},
            ],
            "response_format": {"type": "json_object"},
        },
        JsonObject(),
        {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Weather?"},
                {"role": "assistant", "content": ""},
                {"role": "tool", "content": "12 degrees"},
            ]
        },
        notes=("/messages/3/tool_call_id",),
    ),
    Case(
        "fields that are not known",
        chat(
            "x",
            response_format=schema_format(),
            frequency_penalty=0,
            presence_penalty=0.5,
            tools=[],
            reasoning_effort="low",
        ),
        JsonSchema(PERSON),
        notes=("/presence_penalty, /reasoning_effort",),
    ),
    Case(
        "a loose schema that strict servers refuse",
        chat(
            "x",
            response_format=schema_format(
                {"type": "array", "items": {"type": "string"}, "uniqueItems": True}, strict=False
            ),
        ),
        JsonSchema({"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    ),
]
