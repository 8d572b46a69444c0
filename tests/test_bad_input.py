# ruff: noqa: E501 (a table reads better in wide lines)
"""What bad input gets: an exit code, at most two lines on stderr, nothing on stdout but JSON."""

import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.command import PERSON, ROOT, Outcome, mlxjson

ENDLESS = '{"$ref": "#/$defs/a", "$defs": {"a": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"]}}}'
TWO_CHOICES = ("-c", "yes", "-c", "no")


@dataclass(frozen=True, slots=True)
class Case:
    """One command line; `{tmp}` stands for a folder with the files below."""

    name: str
    code: int | tuple[int, ...]
    says: str
    arguments: tuple[str, ...]
    stdin: bytes | None = None
    variables: dict[str, str] = field(default_factory=dict)


def gen(name: str, code: int | tuple[int, ...], says: str, *arguments: str, **more: object) -> Case:
    return Case(name, code, says, ("gen", *arguments), **more)  # type: ignore[arg-type]


def schema(name: str, code: int, says: str, text: str) -> Case:
    return gen(name, code, says, "--schema", text, "x")


def deep(count: int, opening: str, closing: str, middle: str = "") -> str:
    return opening * count + middle + closing * count


CASES = [
    # Files and options
    gen("missing schema", 2, "no-such.json", "--schema", "no-such.json", "x"),
    gen("schema is a folder", 2, "directory", "--schema", "{tmp}", "x"),
    gen("schema name too long", 2, "long", "--schema", "a" * 5000, "x"),
    gen("missing prompt file", 2, "no-such.txt", "-f", "no-such.txt"),
    gen("prompt file not UTF-8", 2, "UTF-8", "-f", "{tmp}/latin1.txt"),
    gen("schema not UTF-8", 2, "UTF-8", "--schema", "{tmp}/latin1.txt", "x"),
    gen("unknown option", 2, "No such option", "--nope", "x"),
    gen("option without value", 2, "requires an argument", "x", "--schema"),
    gen("max-tokens not a number", 2, "max-tokens", "--max-tokens", "many", "x"),
    gen("max-tokens negative", 2, "max-tokens", "--max-tokens", "-3", "x"),
    gen("top-p above one", 2, "top-p", "--top-p", "1.5", "x"),
    gen("unknown layout", 2, "layout", "--layout", "wide", "x"),
    gen("schema and object", 2, "both", "--schema", PERSON, "--object", "x"),
    gen("empty prompt", 2, "prompt is empty", ""),
    gen("blank prompt", 2, "prompt is empty", "  \n "),
    gen("no prompt", 2, "prompt is empty"),
    gen("empty stdin", 2, "prompt is empty", stdin=b""),
    gen("binary on stdin", 2, "UTF-8", "x", stdin=bytes(range(128, 256))),
    gen("stdin twice", 2, "both", "--schema", "-", "-f", "-", stdin=b"{}"),
    gen("a number of 5,000 digits", 2, "max-tokens", "--max-tokens", "9" * 5000, "x"),
    gen("prompt cache is a folder", 2, "state: Is a directory$", "--prompt-cache", "{tmp}", "-s", PERSON, "x"),
    gen("unknown statistics", 2, "--stats", "--stats=xml", "x"),
    Case("unknown command", 2, "No such command", ("generate", "x")),
    # Schemas that are not JSON, or no schemas
    schema("broken JSON", 2, "line 1, column", '{"type": '),
    gen("broken JSON in a file", 2, "line 3, column 1", "--schema", "{tmp}/broken.json", "x"),
    gen("broken JSON on stdin", 2, "standard input, line 1", "-s", "-", "x", stdin=b"{,}"),
    gen("empty schema file", 2, "line 1, column 1", "--schema", "{tmp}/empty.txt", "x"),
    schema("a number of 5,000 digits in a schema", 2, "4,300 digits", f'{{"minimum": {"9" * 5000}}}'),
    schema("schema is an array", 3, "schema", "[1, 2]"),
    schema("type is a number", 3, "type", '{"type": 5}'),
    schema("unknown type", 3, "strnig", '{"properties": {"a": {"type": "strnig"}}}'),
    schema("properties is a list", 3, "properties", '{"properties": []}'),
    schema("required is a string", 3, "required", '{"required": "a"}'),
    schema("enum is a string", 3, "enum", '{"enum": "a"}'),
    schema("minimum is a string", 3, "minimum", '{"type": "integer", "minimum": "5"}'),
    schema("reference to nowhere", 3, r"\$ref|#/\$defs/none", '{"$ref": "#/$defs/none"}'),
    schema("remote reference", 3, "example.org", '{"$ref": "http://example.org/a.json"}'),
    # Nothing can satisfy them
    schema("empty enum", 3, "enum", '{"enum": []}'),
    schema("false", 3, "false", "false"),
    schema("minimum above maximum", 3, "minimum 5 and maximum 3", '{"type": "integer", "minimum": 5, "maximum": 3}'),
    schema("more items than can be written", 3, "minItems", '{"type": "array", "minItems": 2147483648}'),
    schema("more matches than can be written", 3, "minContains", '{"type": "array", "contains": {"const": 1}, "minContains": 4294967297}'),
    schema("more keys than can be written", 3, "minProperties", '{"type": "object", "minProperties": 4294967297}'),
    schema("count in a pattern too large", 3, "repetition", '{"type": "string", "pattern": "^a{3000000000,}$"}'),
    gen("null on stdin for a schema", 3, "standard input: .*not null", "-s", "-", "x", stdin=b"null"),
    schema("length bounds crossed", 3, "", '{"type": "string", "minLength": 5, "maxLength": 3}'),
    schema("required but false", 3, "", '{"properties": {"a": false}, "required": ["a"], "type": "object"}'),
    schema("types that exclude each other", 3, "", '{"allOf": [{"type": "string"}, {"type": "null"}]}'),
    schema("requires itself for ever", 3, "", ENDLESS),
    schema("refers to itself only", 3, "", '{"$ref": "#"}'),
    # Patterns
    schema("pattern that is none", 3, "position|pattern", '{"type": "string", "pattern": "(a"}'),
    gen("pattern too deep", (2, 3), "deep|tokens", "x", "-s", json.dumps({"type": "string", "pattern": deep(40_000, "(", ")", "a")})),
    gen("schema too deep", 2, "deep", "x", "-s", "-", stdin=deep(100_000, '{"items":', "}", "{}").encode()),
    Case("regex that is none", 3, "position", ("regex", "(a", "x")),
    Case("look-ahead", 3, "position 1.*look|look.*position", ("regex", "a(?=b)", "x")),
    Case("back-reference", 3, "reference", ("regex", r"(a)\1", "x")),
    Case("word boundary", 3, "bound", ("regex", r"\ba", "x")),
    Case("regex too deep", 3, "", ("regex", deep(40_000, "(", ")", "a"), "x")),
    Case("repetition too large", 3, "", ("regex", "a{4294967297}", "x")),
    Case("regex that nothing matches", 3, "no text", ("regex", r"a\Ab", "x")),
    # Grammars
    Case("missing grammar", 2, "no-such.ebnf", ("grammar", "no-such.ebnf", "x")),
    Case("broken EBNF", 3, r"broken\.ebnf:\d:", ("grammar", "{tmp}/broken.ebnf", "x")),
    Case("broken Lark", 3, r"broken\.lark:1:", ("grammar", "{tmp}/broken.lark", "x")),
    Case("endless grammar", 3, "", ("grammar", "-", "x"), b'root ::= "a" root'),
    Case("endless branch", 3, "", ("grammar", "-", "x"), b'root ::= "x" | "a" b\nb ::= "a" b'),
    Case("grammar without root", 3, "root", ("grammar", "-", "x"), b'start ::= "a"'),
    Case("undefined rule", 3, "other", ("grammar", "-", "x"), b"root ::= other"),
    Case("empty grammar", 3, "", ("grammar", "-", "--ebnf", "x"), b""),
    Case("grammar too deep", 3, "", ("grammar", "-", "x"), b"root ::= " + b"(" * 40_000 + b'"a"' + b")" * 40_000),
    # Choices
    Case("nothing to choose from", 2, "choose", ("choice", "x")),
    Case("missing choices file", 2, "no-such", ("choice", "x", "--choices-file", "no-such")),
    Case("empty choices file", 2, "choose", ("choice", "x", "--choices-file", "{tmp}/empty.txt")),
    # Models
    gen("folder without a model", 6, "config.json", "-m", "{tmp}", "x"),
    gen("missing model folder", 6, "no-such", "-m", "./no-such", "x"),
    gen("missing GGUF", 6, "no-such.gguf", "-m", "no-such.gguf", "x"),
    gen("not a GGUF", 6, "GGUF", "-m", "{tmp}/not.gguf", "x"),
    gen("truncated GGUF", 6, "truncated|cut|short|end", "-m", "{tmp}/truncated.gguf", "x"),
    gen("model without tokenizer", 6, "tokenizer", "-m", "{tmp}/no-tokenizer", "x"),
    gen("truncated safetensors", 6, "truncated|cut|short|safetensors", "-m", "{tmp}/truncated", "x"),
    gen("hub id, offline", 6, "offline", "-m", "nobody/nothing", "--offline", "x"),
    gen("hub unreachable", 6, "reach|connect", "-m", "nobody/nothing", "x", variables={"HF_ENDPOINT": "http://127.0.0.1:9"}),
    gen("model from the environment", 6, "no-such", "x", variables={"MLXJSON_MODEL": "./no-such"}),
    # Limits
    gen("no token at all", 4, "cut off", "--schema", PERSON, "--max-tokens", "0", "Ada"),
    gen("one token", 4, "cut off", "--schema", PERSON, "--max-tokens", "1", "Ada"),
    gen("too few tokens", 4, "cut off", "--schema", PERSON, "--max-tokens", "12", "--no-stream", "Ada"),
    gen("prompt longer than the context", 2, "context", "-f", "{tmp}/long.txt"),
    gen("not fully enforceable", 3, "uniqueItems", "--strict", "-s", '{"type": "array", "items": {"type": "string"}, "uniqueItems": true}', "x"),
    gen("output folder is missing", 2, "no-such", "-s", PERSON, "-o", "{tmp}/no-such/out.json", "Ada"),
    Case("full disk", 2, "space", ("choice", "x", *TWO_CHOICES, "-o", "/dev/full")),
]  # fmt: skip


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder of its own, kept through the session so that the cache is warm."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "latin1.txt").write_bytes("café".encode("latin-1"))
    (folder / "broken.json").write_text('{\n  "type": "object",\n}\n')
    (folder / "empty.txt").write_text("")
    (folder / "long.txt").write_text("word " * 9000)
    (folder / "broken.ebnf").write_text('root ::= a\na ::= "b" (\n')
    (folder / "broken.lark").write_text('start: "a" (\n')
    (folder / "not.gguf").write_bytes(b"hello, I am text")
    (folder / "truncated.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 4, 5))
    config = {"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 1}
    for name in ("no-tokenizer", "truncated"):
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(config))
        (folder / name / "model.safetensors").write_bytes(struct.pack("<Q", 900) + b'{"a": {')
    tokenizer = {"version": "1.0", "added_tokens": [], "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}}  # fmt: skip
    (folder / "truncated" / "tokenizer.json").write_text(json.dumps(tokenizer))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input(case: Case, home: Path, files: Path) -> None:
    arguments = [argument.replace("{tmp}", str(files)) for argument in case.arguments]
    outcome = mlxjson(*arguments, home=home, stdin=case.stdin, variables=case.variables)
    codes = case.code if isinstance(case.code, tuple) else (case.code,)
    assert outcome.code in codes, outcome.err.decode()
    assert_plain(outcome)
    assert re.search(case.says, outcome.err.decode()), outcome.err.decode()


def assert_plain(outcome: Outcome) -> None:
    """One or two lines for people, and nothing on stdout that looks complete but is not."""
    assert 1 <= len(outcome.lines) <= 2, outcome.lines
    assert all(len(line) < 1000 for line in outcome.lines)
    for noise in ("Traceback", ".cc:", "/project/cpp", "Error(", 'File "'):
        assert noise not in outcome.err.decode()
    assert not re.search(r"\d\d:\d\d:\d\d", outcome.err.decode())
    if outcome.code != 4:
        assert outcome.out == b""
    else:
        assert not is_json(outcome.text)


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_there_are_at_least_sixty_cases() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


Check = Callable[[Outcome], None]


@pytest.mark.slow
@pytest.mark.parametrize(
    "variables",
    [
        {"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": ""},
        {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"NO_COLOR": "1"},
        {"TERM": "dumb"},
        {"HOME": "/nonexistent"},
        {"HOME": ""},
        {"XDG_CACHE_HOME": "/dev/null/cache"},
    ],
    ids=str,
)
def test_odd_surroundings_change_nothing(variables: dict[str, str], home: Path) -> None:
    arguments = ("choice", "Pick a drink: café ☕", "-c", "thé é", "-c", "thé è")
    outcome = mlxjson(*arguments, home=home, variables=variables)
    assert outcome.code == 0, outcome.err.decode()
    assert outcome.text in ('"thé é"\n', '"thé è"\n')
    assert outcome.err == b""


def test_the_project_root_is_what_the_tests_think() -> None:
    assert (ROOT / "pyproject.toml").is_file()
