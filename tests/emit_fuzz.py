"""Random documents of random schemas, drawn through the mask as a model draws them.

    python -m tests.emit_fuzz [COUNT] [SEED]

Half of the schemas come from `schema_fuzz`, small and full of combinations, half are of the kind
people write: objects with typed properties, ranges, lengths, formats, enums. Prints every schema
whose audit says "exact" and whose grammar gives an invalid document.
"""

import json
import random
import sys
from collections import Counter
from decimal import Decimal
from typing import Any

from mlxjson.check import compiler, judge
from mlxjson.constraint import Layout
from mlxjson.errors import ConstraintError
from mlxjson.grammar import EbnfSource, Matcher, allowed_ids, empty_mask
from mlxjson.schema import SchemaGrammar, compile_schema
from mlxjson.schema.serialise import serialise
from mlxjson.validate import prepare
from tests.grammar_helpers import small, small_engine
from tests.schema_fuzz import Draw, constants

STEPS = 300  # how many tokens are drawn freely before the walk heads for the end
MOST_STEPS = 900
_CLOSING = [b'"', b"}", b'"}', b"]", b",", b"0", b"1", b"t", b"f", b"n"]
_FORMATS = ["date", "date-time", "time", "email", "uuid", "ipv4", "ipv6", "hostname", "uri",
            "json-pointer", "duration"]  # fmt: skip
_PATTERNS = ["^[a-z]{2,5}$", "^a|b$", "^[^x]*$", r"\d", "^(ab)+$", "^.{2,4}$", "é", '"', r"^\S+$"]


class Everyday:
    """Schemas of the kind people write."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def schema(self, depth: int = 3) -> dict[str, Any]:
        """A typed schema, now and then with an alternative."""
        r = self.random
        roll = r.random()
        if depth and roll < 0.45:
            return self._object(depth - 1)
        if depth and roll < 0.6:
            return self._array(depth - 1)
        if depth and roll < 0.68:
            kind = r.choice(["anyOf", "oneOf", "anyOf"])
            return {kind: [self.schema(depth - 1) for _ in range(r.choice([2, 3]))]}
        return r.choice([self._number, self._number, self._string, self._string, self._enum])()

    def _object(self, depth: int) -> dict[str, Any]:
        r = self.random
        names = r.sample(
            ["id", "name", "é", "a b", 'q"', "tags", "x", "kind", "size"], r.randint(0, 6)
        )
        made: dict[str, Any] = {"type": "object"}
        made["properties"] = {name: self.schema(depth) for name in names}
        made["required"] = r.sample([*names, "extra"], r.randint(0, len(names)))
        if r.random() < 0.4:
            made["additionalProperties"] = r.choice([False, True, self.schema(0)])
        if r.random() < 0.15:
            made["patternProperties"] = {r.choice(["^x", "s$", "^.$"]): self.schema(0)}
        if r.random() < 0.15:
            made["minProperties"] = r.randint(0, 3)
        if r.random() < 0.15:
            made["maxProperties"] = r.randint(1, 5)
        if r.random() < 0.1:
            made["propertyNames"] = {"enum": r.sample(["id", "name", "x", "y", "z"], 3)}
        return made

    def _array(self, depth: int) -> dict[str, Any]:
        r = self.random
        made: dict[str, Any] = {"type": "array", "items": self.schema(depth)}
        if r.random() < 0.4:
            made["minItems"] = r.randint(0, 3)
        if r.random() < 0.4:
            made["maxItems"] = made.get("minItems", 0) + r.randint(0, 3)
        if r.random() < 0.2:
            made["prefixItems"] = [self.schema(depth) for _ in range(r.randint(1, 3))]
        if r.random() < 0.2:
            made["uniqueItems"] = True
        if r.random() < 0.15:
            made["contains"] = self.schema(0)
        return made

    def _number(self) -> dict[str, Any]:
        r = self.random
        made: dict[str, Any] = {"type": r.choice(["integer", "number"])}
        unit = r.choice([1, 1, 0.1, 0.01, 0.25])
        low = round(r.randint(-300, 300) * unit, 2)
        if r.random() < 0.5:
            made[r.choice(["minimum", "exclusiveMinimum"])] = low
        if r.random() < 0.5:
            high = round(low + r.choice([1, 2, 7, 100, 1000]) * unit + 1, 2)
            made[r.choice(["maximum", "exclusiveMaximum"])] = high
        if r.random() < 0.25:
            made["multipleOf"] = r.choice([1, 2, 3, 7, 10, 60, 0.5, 0.1, 0.01, 0.25, 2.5])
        if r.random() < 0.1:
            made["not"] = {"enum": [low, round(low + 1, 2)]}
        return made

    def _string(self) -> dict[str, Any]:
        r = self.random
        made: dict[str, Any] = {"type": "string"}
        if r.random() < 0.4:
            made["minLength"] = r.randint(0, 5)
        if r.random() < 0.5:
            made["maxLength"] = made.get("minLength", 0) + r.choice([0, 1, 3, 12, 40])
        roll = r.random()
        if roll < 0.25:
            made["pattern"] = r.choice(_PATTERNS)
        elif roll < 0.45:
            made = {"type": "string", "format": r.choice(_FORMATS)}
        return made

    def _enum(self) -> dict[str, Any]:
        values: list[Any] = [
            "red",
            "é\n",
            'a"b',
            1,
            1.5,
            None,
            True,
            [1, 2],
            {"b": 1, "a": [2]},
            "",
        ]
        if self.random.random() < 0.2:
            return {"const": self.random.choice(values)}
        return {"enum": self.random.sample(values, self.random.randint(1, 5))}


def drawn(seed: int) -> Any:
    """The schema of a seed."""
    if seed % 2:
        return Everyday(seed).schema()
    draw = Draw(seed)
    definitions = {}
    for name in "xy":
        definitions[name] = draw.schema(2)
        draw.targets.append(f"#/$defs/{name}")
    schema = draw.schema()
    return schema if isinstance(schema, bool) else {**schema, "$defs": definitions}


def walk(matcher: Matcher, choose: random.Random) -> str | None:
    """A document drawn through the mask; None if it doesn't end soon."""
    vocabulary = small()
    stop = set(vocabulary.stop_ids)
    row = empty_mask(vocabulary.width)
    out = b""
    for step in range(MOST_STEPS):
        matcher.fill(row)
        ids = allowed_ids(row).tolist()
        ending = [i for i in ids if i in stop]
        if ending and (step > STEPS or choose.random() < 0.3 or len(ids) == len(ending)):
            return out.decode()
        ids = [i for i in ids if i not in stop]
        closing = [i for i in ids if vocabulary.tokens[i] in _CLOSING]
        # Strings and lists must come to an end now and then.
        hurry = step > STEPS or choose.random() < 0.3
        token = choose.choice(closing if closing and hurry else ids)
        assert matcher.accept(token)
        out += vocabulary.tokens[token]
    return None


def repeats_a_key(text: str) -> bool:
    """Whether some object has a key twice."""
    found = False

    def pairs(items: list[tuple[str, Any]]) -> None:
        nonlocal found
        found |= len({name for name, _ in items}) < len(items)

    json.loads(text, object_pairs_hook=pairs)
    return found


def compiled(schema: Any, layout: Layout, count: Counter[str]) -> SchemaGrammar | None:
    """The grammar of a schema; None if there is none, counted by reason."""
    try:
        return compile_schema(schema, layout, closed=True)
    except ConstraintError as error:
        count["unsatisfiable" if "no document" in error.message else "refused"] += 1
        return None


def run(seed: int, count: Counter[str], documents: int = 2) -> list[str]:
    """Draw documents of one schema; what is wrong with it."""
    schema = drawn(seed)
    layout = [Layout.SPACED, Layout.COMPACT, Layout.INDENT, Layout.FLEXIBLE][seed // 2 % 4]
    grammar = compiled(schema, layout, count)
    if grammar is None:
        return []
    count["schemas"] += 1
    count["exact"] += grammar.exact
    # What only keys that come twice could break must hold for documents without any.
    nearly = all(f.keyword == "(duplicate keys)" for f in grammar.findings)
    engine = small_engine().compile(EbnfSource(grammar.ebnf), trusted=True)
    validator = prepare(schema)
    choose = random.Random(seed)
    wrong = []
    for _ in range(documents):
        text = walk(engine.matcher(), choose)
        if text is None:
            count["endless"] += 1
            continue
        count["documents"] += 1
        json.loads(text)
        failure = validator.check(text)
        count["invalid"] += failure is not None
        if failure is not None and (grammar.exact or (nearly and not repeats_a_key(text))):
            wrong.append(
                f"{seed}: {text} fails {failure.keyword} at '{failure.pointer}' of {schema}"
            )
    return wrong


def compare(seed: int, count: Counter[str]) -> list[str]:
    """Judge documents drawn from a schema, its constants and small values as `check` does.

    What is drawn must be accepted, what is accepted valid where nothing is left open, and what is
    valid accepted.
    """
    schema = drawn(seed)
    grammar = compiled(schema, Layout.SPACED, count)
    if grammar is None:
        return []
    judged, validator = judge(schema, compiler(small_engine())), prepare(schema)
    findings = judged.grammar.findings if judged.grammar else []
    nearly = all(f.keyword == "(duplicate keys)" for f in findings)
    matcher = small_engine().compile(EbnfSource(grammar.ebnf), trusted=True).matcher()
    text = walk(matcher, random.Random(seed))
    fresh = [] if text is None or repeats_a_key(text) else [json.loads(text, parse_float=Decimal)]
    wrong = [f"{seed}: {text} is refused" for value in fresh if not judged.accepts(value)]
    draw = Draw(seed)
    for value in [*fresh, *(draw.value(3) for _ in range(10)), *constants(schema)]:
        written = serialise(value)
        valid, accepted = validator.check(written) is None, judged.accepts(value)
        count["values"] += 1
        if valid and not accepted:
            wrong.append(f"{seed}: {written} is valid and refused by {schema}")
        if accepted and not valid and nearly:
            wrong.append(f"{seed}: {written} is accepted and invalid for {schema}")
    return wrong


def main() -> None:
    """Draw COUNT schemas from SEED on."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    count: Counter[str] = Counter()
    for seed in range(first, first + number):
        for line in run(seed, count):
            print(line)
    print(dict(count))


if __name__ == "__main__":
    main()
