"""The fields of a request body, with the names and the meaning that servers give them."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

Text = Annotated[StrictStr, Field(min_length=1)]
Probability = Annotated[float, Field(gt=0, le=1)]


class Fields(BaseModel):
    """Values are never converted; fields that are not known are kept, to be named."""

    model_config = ConfigDict(extra="allow", strict=True, protected_namespaces=())


class Part(Fields):
    """One part of a message."""

    type: str
    text: str | None = None


class Message(Fields):
    """One message. `content` is null where the assistant only called a tool."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None
    name: str | None = None


class NamedSchema(Fields):
    """What stands under `json_schema`."""

    schema_: dict[str, Any] | bool = Field(alias="schema")
    name: str | None = None
    description: str | None = None
    strict: bool | None = None
    any_whitespace: bool | None = None


class TextFormat(Fields):
    """Anything."""

    type: Literal["text"]


class ObjectFormat(Fields):
    """Any JSON object, or one of `schema`."""

    type: Literal["json_object"]
    schema_: dict[str, Any] | bool | None = Field(default=None, alias="schema")
    any_whitespace: bool | None = None


class SchemaFormat(Fields):
    """A document of a schema."""

    type: Literal["json_schema"]
    json_schema: NamedSchema
    any_whitespace: bool | None = None


class TagFormat(Fields):
    """Free text with parts of a fixed form in it."""

    type: Literal["structural_tag"]
    structures: list[dict[str, Any]] | None = None
    triggers: list[str] | None = None
    format: dict[str, Any] | None = None


class StructuredOutputs(Fields):
    """vLLM's constraint: exactly one of them."""

    json_: dict[str, Any] | bool | Text | None = Field(default=None, alias="json")
    regex: Text | None = None
    choice: Annotated[list[Text], Field(min_length=1)] | None = None
    grammar: Text | None = None
    json_object: bool | None = None
    structural_tag: dict[str, Any] | Text | None = None
    disable_any_whitespace: bool | None = None


class StreamOptions(Fields):
    """Says nothing about the result."""


Format = Annotated[
    TextFormat | ObjectFormat | SchemaFormat | TagFormat, Field(discriminator="type")
]


class Body(Fields):
    """A request. Fields from `user` on say nothing about the result."""

    model: str | None = None
    messages: Annotated[list[Message], Field(min_length=1)] | None = None
    prompt: str | Annotated[list[str], Field(min_length=1, max_length=1)] | None = None

    response_format: Format | None = None
    structured_outputs: StructuredOutputs | None = None
    guided_json: dict[str, Any] | bool | Text | None = None
    guided_grammar: Text | None = None
    guided_regex: Text | None = None
    guided_choice: Annotated[list[Text], Field(min_length=1)] | None = None
    structural_tag: dict[str, Any] | Text | None = None

    max_tokens: Annotated[StrictInt, Field(ge=0)] | None = None
    max_completion_tokens: Annotated[StrictInt, Field(ge=0)] | None = None
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    top_p: Probability | None = None
    top_k: Annotated[StrictInt, Field(ge=-1)] | None = None
    seed: StrictInt | None = None
    stop: Text | list[Text] | None = None
    n: Annotated[StrictInt, Field(ge=1, le=128)] | None = None
    logit_bias: dict[str, Annotated[float, Field(ge=-100, le=100)]] | None = None
    logprobs: bool | Annotated[StrictInt, Field(ge=0, le=20)] | None = None
    top_logprobs: Annotated[StrictInt, Field(ge=0, le=20)] | None = None

    user: str | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    metadata: dict[str, Any] | None = None
    store: bool | None = None
