"""The schema objects of OpenAPI 3.0 and Swagger 2.0 as JSON Schema of draft 4, which they extend.

OpenAPI 3.1 takes JSON Schema as it is.
"""

from typing import Any

DIALECT = "http://json-schema.org/draft-04/schema#"

# Not of JSON Schema; or, for a request or a document, without effect on what is valid.
_DROPPED = ("nullable", "x-nullable", "discriminator", "xml", "externalDocs", "example")


def plain(schema: dict[str, Any]) -> dict[str, Any]:
    """One schema object, without what is inside its parts."""
    if "$ref" in schema:
        return {"$ref": schema["$ref"]}  # its siblings are ignored, says OpenAPI 3.0
    made = {key: value for key, value in schema.items() if key not in _DROPPED}
    if schema.get("nullable") is True or schema.get("x-nullable") is True:
        return _nullable(made)
    return made


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """Null as well: `nullable` acts only beside `type` (a clarification of OpenAPI 3.0.3).

    Beside a combination it is meant as null or the combination, so it is taken as that.
    """
    if isinstance(schema.get("type"), str):
        made = {**schema, "type": [schema["type"], "null"]}
        return {**made, "enum": [*made["enum"], None]} if _lacks_null(made) else made
    described: dict[str, Any] = {k: schema[k] for k in ("title", "description") if k in schema}
    rest = {key: value for key, value in schema.items() if key not in described}
    return {**described, "anyOf": [rest, {"type": "null"}]}


def _lacks_null(schema: dict[str, Any]) -> bool:
    return isinstance(schema.get("enum"), list) and None not in schema["enum"]
