"""Compare the table of nodes with jsonschema on random schemas and values.

    python -m tests.schema_fuzz [COUNT] [SEED]

Small schemas over few names and values, so that keywords meet. Prints every schema for which the
table accepts an invalid value with nothing left open (unsound) or refuses a valid one (narrow).
"""

import json
import random
import sys
from collections import Counter
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator

from mlxjson.errors import ConstraintError
from mlxjson.schema.front import Unsatisfiable, build
from mlxjson.schema.member import accepts

NAMES = ["a", "b", "ab", "c"]
PATTERNS = ["^a", "b$", "^.$", "[bc]"]
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]


class Draw:
    """Random schemas and values from one seed."""

    def __init__(self, seed: int, old: bool = False) -> None:
        self.random = random.Random(seed)
        self.keywords = OLD_KEYWORDS if old else KEYWORDS
        self.targets: list[str] = []

    def value(self, depth: int = 2) -> Any:
        """A small JSON value."""
        r = self.random
        kinds = ["null", "boolean", "integer", "number", "string", "array", "object"]
        kind = r.choice(kinds if depth else kinds[:5])
        if kind == "null":
            return None
        if kind == "boolean":
            return r.random() < 0.5
        if kind == "integer":
            return r.choice([0, 1, 2, 3, 4, 6])
        if kind == "number":
            return r.choice([0.5, 1.0, 1.5, 2.5, 3.0])
        if kind == "string":
            return r.choice([*NAMES, "", "abc", "bca"])
        if kind == "array":
            return [self.value(depth - 1) for _ in range(r.choice([0, 1, 1, 2, 2, 3]))]
        return {name: self.value(depth - 1) for name in r.sample(NAMES, r.choice([0, 1, 1, 2, 3]))}

    def schema(self, depth: int = 3) -> Any:
        """A schema with a few keywords."""
        r = self.random
        if depth == 0 or r.random() < 0.08:
            return r.choice(
                [True, False, {"type": r.choice(TYPES)}, {"const": self.value(1)}, {"minimum": 2},
                 self.reference(), {"maxLength": 1}]
            )  # fmt: skip
        made: dict[str, Any] = {}
        for _ in range(r.choice([1, 1, 2, 2, 3, 4])):
            made.update(self.keyword(depth - 1))
        return made

    def keyword(self, depth: int) -> dict[str, Any]:  # noqa: PLR0912
        """One keyword, or a few that belong together."""
        r = self.random
        name = r.choice(self.keywords)
        # Only below a child may the whole schema come again, or it would never end.
        below = name in ("items", "properties", "additionalProperties", "prefixItems")

        def sub(depth: int) -> Any:
            return {"$ref": "#"} if below and r.random() < 0.06 else self.schema(depth)

        if name == "type":
            return {name: r.choice([r.choice(TYPES), r.sample(TYPES, 2)])}
        if name == "enum":
            return {name: [self.value() for _ in range(r.choice([1, 2, 4]))]}
        if name == "const":
            return {name: self.value()}
        if name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
            return {name: r.choice([0, 1, 1.5, 2, 3])}
        if name == "multipleOf":
            return {name: r.choice([0.5, 1, 1.5, 2, 3])}
        if name in ("minLength", "maxLength", "minItems", "maxItems", "minProperties",
                    "maxProperties"):  # fmt: skip
            return {name: r.choice([0, 1, 1, 2, 2, 3])}
        if name == "pattern":
            return {name: r.choice(PATTERNS)}
        if name == "uniqueItems":
            return {name: True}
        if name in ("items", "additionalProperties", "not", "unevaluatedItems",
                    "unevaluatedProperties", "propertyNames"):  # fmt: skip
            return {name: sub(depth)}
        if name == "contains":
            more = {"minContains": r.choice([0, 1, 2])} if r.random() < 0.3 else {}
            most = {"maxContains": r.choice([0, 1, 2])} if r.random() < 0.3 else {}
            return {name: sub(depth), **more, **most}
        if name == "items array":
            more = {"additionalItems": sub(depth)} if r.random() < 0.5 else {}
            return {"items": [sub(depth) for _ in range(r.choice([1, 2]))], **more}
        if name == "dependencies":
            return {name: {r.choice(NAMES): r.choice([sub(depth), r.sample(NAMES, 1)])}}
        if name == "prefixItems":
            return {name: [sub(depth) for _ in range(r.choice([1, 2]))]}
        if name in ("allOf", "anyOf", "oneOf"):
            return {name: [sub(depth) for _ in range(r.choice([1, 2, 2, 3]))]}
        if name in ("properties", "dependentSchemas"):
            return {name: {key: sub(depth) for key in r.sample(NAMES, r.choice([1, 2]))}}
        if name == "patternProperties":
            return {name: {key: sub(depth) for key in r.sample(PATTERNS, r.choice([1, 2]))}}
        if name == "required":
            return {name: r.sample(NAMES, r.choice([1, 2]))}
        if name == "dependentRequired":
            return {name: {r.choice(NAMES): r.sample(NAMES, 1)}}
        if name == "if":
            made = {name: sub(depth)}
            if r.random() < 0.8:
                made["then"] = sub(depth)
            if r.random() < 0.6:
                made["else"] = sub(depth)
            return made
        return self.reference()

    def reference(self) -> dict[str, Any]:
        """A reference to what was drawn before, so that none leads back to itself."""
        return {"$ref": self.random.choice(self.targets)} if self.targets else {"type": "array"}


KEYWORDS = [
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "multipleOf", "minLength",
    "maxLength", "pattern", "items", "prefixItems", "contains", "minItems", "maxItems",
    "uniqueItems", "properties", "properties", "patternProperties", "additionalProperties",
    "required", "propertyNames", "minProperties", "maxProperties", "allOf", "anyOf", "oneOf", "not",
    "if", "dependentSchemas", "dependentRequired", "unevaluatedItems", "unevaluatedProperties",
    "$ref",
]  # fmt: skip


_NEW = {"prefixItems", "dependentSchemas", "dependentRequired", "unevaluatedItems",
        "unevaluatedProperties"}  # fmt: skip
OLD_KEYWORDS = [word for word in KEYWORDS if word not in _NEW] + ["items array", "dependencies"]


def constants(schema: Any) -> list[Any]:
    """The values of every enum and const, which are the values worth trying."""
    if isinstance(schema, dict):
        own = list(schema["enum"]) if isinstance(schema.get("enum"), list) else []
        own += [schema["const"]] if "const" in schema else []
        return own + [value for part in schema.values() for value in constants(part)]
    return [v for part in schema for v in constants(part)] if isinstance(schema, list) else []


def run(seed: int, count: Counter[str]) -> None:
    """Compare one schema on many values."""
    old = seed % 4 == 3
    draw = Draw(seed, old)
    definitions = {}
    for name in "xy":
        definitions[name] = draw.schema(2)
        draw.targets.append(f"#/$defs/{name}")
    schema = draw.schema()
    if isinstance(schema, bool):
        return
    schema["$defs"] = definitions
    values = [draw.value(3) for _ in range(40)] + constants(schema)
    if old:
        schema["$schema"] = "http://json-schema.org/draft-07/schema#"
    validator = (Draft7Validator if old else Draft202012Validator)(schema)
    try:
        wanted = [validator.is_valid(value) for value in values]
    except RecursionError:
        count["recursion"] += 1
        return
    try:
        program = build(schema)
    except Unsatisfiable:
        count["unsatisfiable"] += 1
        if any(wanted):
            count["WRONGLY UNSATISFIABLE"] += 1
            print("unsatisfiable", seed, json.dumps(schema), values[wanted.index(True)])
        return
    except ConstraintError as error:
        count["error"] += 1
        print("error", seed, str(error)[:150])
        return
    count["schemas"] += 1
    count["open"] += bool(program.findings)
    for value, valid in zip(values, wanted, strict=True):
        got = accepts(program, value)
        count["values"] += 1
        if got and not valid and not program.findings:
            count["UNSOUND"] += 1
            print("UNSOUND", seed, json.dumps(schema), json.dumps(value))
            return
        if valid and not got:
            count["NARROW"] += 1
            print("narrow", seed, json.dumps(schema), json.dumps(value))
            return
        count["passed"] += got and not valid


def main() -> None:
    """Compare COUNT schemas from SEED on."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    count: Counter[str] = Counter()
    for seed in range(first, first + number):
        run(seed, count)
    print(dict(count))


if __name__ == "__main__":
    main()
