"""What a row may say, and what is said of one that is wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlxjson.batch.rows import Row, read_files, read_lines, text_files, without_doubles
from mlxjson.batch.tasks import Defaults, RowFault
from mlxjson.constraint import Choice, Ebnf, JsonSchema, Lark, Layout, Regex
from mlxjson.errors import UsageError


def task(fields: Any, **defaults: Any) -> Any:
    return Defaults(**defaults).task(Row(1, 1, fields))


def prompt(fields: Any, **defaults: Any) -> str:
    messages = task(fields, template=False, **defaults).messages
    assert isinstance(messages, str)
    return messages


def fault(fields: Any, **defaults: Any) -> RowFault:
    with pytest.raises(RowFault) as caught:
        task(fields, **defaults)
    return caught.value


def test_rows_are_lines_and_are_called_by_their_id_or_their_number() -> None:
    lines = [b'\xef\xbb\xbf{"id": "a", "text": "x"}\n', b"\n", b'{"text": "y"}\n', b'{"id": 2.5}']
    rows = list(read_lines(lines))
    assert [(row.number, row.id) for row in rows] == [(1, "a"), (3, 3), (4, 2.5)]
    assert not any(row.fault for row in rows)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"text": }', "line 1, column 10: not JSON"),
        (b"\xff\xfe", "line 1: not UTF-8 text (byte 0)"),
        (b"[1, 2]", "line 1: a row must be an object"),
        (b'{"id": {}, "text": "x"}', "'id' must be a string or a number"),
        (b'{"id": true, "text": "x"}', "'id' must be a string or a number"),
        (b'{"id": NaN, "text": "x"}', "'id' must be a string or a number"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_row_that_cannot_be_read_says_where(line: bytes, said: str) -> None:
    row = next(read_lines([line]))
    assert said in row.fault
    assert row.id == 1


def test_an_id_that_comes_twice_is_a_fault_of_the_second_row() -> None:
    rows = read_lines([b'{"id": 1}', b'{"id": "1"}', b'{"id": 1}'])
    faults = [row.fault for row in without_doubles(rows)]
    assert faults == ["", "", "the id was given before, in row 1"]


def test_a_folder_or_a_glob_gives_a_row_a_file(tmp_path: Path) -> None:
    for name, data in {"b.txt": b"two", "a.txt": b"one", "c.md": b"\xff", ".hidden": b""}.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "sub").mkdir()
    rows = list(read_files(text_files(str(tmp_path)) or []))
    assert [row.id for row in rows] == [str(tmp_path / n) for n in ("a.txt", "b.txt", "c.md")]
    assert [row.fields.get("text") for row in rows] == ["one", "two", None]
    assert rows[2].fault == "not UTF-8 text (byte 0)"
    assert len(text_files(str(tmp_path / "*.txt")) or []) == 2
    assert text_files(str(tmp_path / "a.txt")) is None
    for nothing in ("*.jpg", "missing", "sub"):
        with pytest.raises(UsageError):
            text_files(str(tmp_path / nothing))


def test_the_instruction_stands_before_the_document_or_around_it() -> None:
    assert prompt({"text": "doc"}) == "doc"
    assert prompt({"text": "doc"}, instruction="Who?") == "Who?\n\ndoc"
    assert prompt({"text": "{text}"}, instruction="In <{text}>, who?") == "In <{text}>, who?"
    assert prompt({"prompt": "What?"}, instruction="Who?") == "What?"
    assert prompt({"prompt": "What?", "text": "doc"}, instruction="Who?") == "What?\n\ndoc"
    assert prompt({"body": "doc"}, text_field="body") == "doc"


def test_a_row_brings_its_own_constraint_and_limits(tmp_path: Path) -> None:
    own = {"type": "integer"}
    text = {"text": "x"}
    assert task({**text, "schema": own}).constraint == JsonSchema(own)
    assert task({**text, "schema": False}).constraint == JsonSchema(False)
    assert task({**text, "choices": ["a", "b", "a"]}).constraint == Choice(("a", "b"))
    assert task({**text, "regex": "a+"}).constraint == Regex("a+")
    assert isinstance(task({**text, "grammar": 'root ::= "a"'}).constraint, Ebnf)
    assert isinstance(task({**text, "grammar": 'start: "a"'}).constraint, Lark)
    made = task({**text, "max_tokens": 7, "temp": 0.5, "seed": 3, "system": "Be brief."})
    assert (made.max_tokens, made.temperature, made.seed) == (7, 0.5, 3)
    assert made.messages[0]["content"].startswith("Be brief.")
    (tmp_path / "s.json").write_text(json.dumps(own))
    named = task({**text, "schema": "s.json"}, schema_dir=tmp_path)
    assert named.constraint == JsonSchema(own)
    compact = JsonSchema(True, Layout.COMPACT)
    assert task({**text, "schema": own}, constraint=compact).constraint.layout is Layout.COMPACT


def test_a_schema_is_read_from_its_folder_and_from_nowhere_else(tmp_path: Path) -> None:
    folder = tmp_path / "schemas"
    (folder / "deep").mkdir(parents=True)
    (tmp_path / "secret.json").write_text("{}")
    (folder / "deep" / "fine.json").write_text("{}")
    (folder / "link.json").symlink_to(tmp_path / "secret.json")
    (folder / "broken.json").write_text("{")
    (folder / "bytes.json").write_bytes(b"\xff")
    row = {"text": "x"}
    assert task({**row, "schema": "deep/fine.json"}, schema_dir=folder).constraint.schema == {}
    names = ("../secret.json", str(tmp_path / "secret.json"), "link.json", "deep/../../secret.json")
    for name in (*names, "none.json", "broken.json", "bytes.json", "a\0b", ".", ""):
        assert fault({**row, "schema": name}, schema_dir=folder).pointer == "/schema"
    assert "--schema-dir" in fault({**row, "schema": "fine.json"}).message


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({}, ""),
        ({"text": 1}, "/text"),
        ({"text": "\ud800"}, "/text"),
        ({"text": "x", "prompt": []}, "/prompt"),
        ({"text": "x", "system": 1}, "/system"),
        ({"text": "x", "schema": 1}, "/schema"),
        ({"text": "x", "choices": []}, "/choices"),
        ({"text": "x", "choices": "ab"}, "/choices"),
        ({"text": "x", "regex": 1}, "/regex"),
        ({"text": "x", "grammar": {}}, "/grammar"),
        ({"text": "x", "schema": {}, "regex": "a"}, "/regex"),
        ({"text": "x", "max_tokens": -1}, "/max_tokens"),
        ({"text": "x", "max_tokens": 1.5}, "/max_tokens"),
        ({"text": "x", "temp": "hot"}, "/temp"),
        ({"text": "x", "seed": True}, "/seed"),
    ],
)
def test_a_fault_points_at_its_field(fields: Any, pointer: str) -> None:
    assert fault(fields).pointer == pointer
