"""Chat templates give the text that transformers gives, and can do no harm."""

import json
from pathlib import Path
from typing import Any

import pytest

from mlxjson.errors import ModelError
from mlxjson.model import ChatTemplate, load_tokenizer, resolve

from .tiny_model import CHATML, make_tiny_model

TEMPLATES = Path(__file__).parent / "templates"
QWEN3 = Path(__file__).parents[2] / "shared" / "tokenizers" / "qwen3.tokenizer_config.json"
NAMES = ["chatml", "gemma", "llama3", "loops", "mistral", "phi3", "qwen3"]
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
# Templates that refuse a system message or leave it out.
WITHOUT_SYSTEM = {"gemma"}

SYSTEM = {"role": "system", "content": "Answer in JSON: {\"a\": <b> & 'c'}"}
USER = {"role": "user", "content": "  Who is Zoë? \n"}
ANSWER = {"role": "assistant", "content": "<think>\nhm\n</think>\n\nA person."}
CONVERSATIONS = {
    "user": [USER],
    "system": [SYSTEM, USER],
    "turns": [USER, ANSWER, USER],
    "system and turns": [SYSTEM, USER, ANSWER, USER],
    "answered": [USER, ANSWER],
}


def source(name: str) -> str:
    if name != "qwen3":
        return (TEMPLATES / f"{name}.jinja").read_text()
    if not QWEN3.exists():
        pytest.skip(f"{QWEN3} is not there")
    text: str = json.loads(QWEN3.read_text())["chat_template"]
    return text


def reference(template: str, messages: list[dict[str, str]], **options: Any) -> str:
    from transformers.utils.chat_template_utils import render_jinja_template

    (text,), _ = render_jinja_template([messages], chat_template=template, **TOKENS, **options)
    return str(text)


@pytest.mark.parametrize("add_generation_prompt", [True, False])
@pytest.mark.parametrize("conversation", CONVERSATIONS)
@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_that_of_transformers(
    name: str, conversation: str, add_generation_prompt: bool
) -> None:
    messages = CONVERSATIONS[conversation]
    if name in WITHOUT_SYSTEM and messages[0] is SYSTEM:
        pytest.skip("this template refuses system messages: see the next test")
    ours = ChatTemplate(source(name), TOKENS).render(
        messages, add_generation_prompt=add_generation_prompt
    )
    assert ours == reference(source(name), messages, add_generation_prompt=add_generation_prompt)


@pytest.mark.parametrize("thinking", [True, False])
def test_thinking_is_switched_as_in_transformers(thinking: bool) -> None:
    options = {"add_generation_prompt": True, "enable_thinking": thinking}
    ours = ChatTemplate(source("qwen3"), TOKENS).render([SYSTEM, USER], **options)
    assert ours == reference(source("qwen3"), [SYSTEM, USER], **options)
    assert ours.endswith("</think>\n\n") != thinking


def test_a_template_without_a_system_role_gets_it_before_the_first_user_message() -> None:
    template = ChatTemplate(source("gemma"), TOKENS)
    folded = {"role": "user", "content": f"{SYSTEM['content']}\n\n{USER['content']}"}
    assert template.render([SYSTEM, USER]) == template.render([folded])
    assert template.render([SYSTEM, USER, ANSWER, USER]) == template.render([folded, ANSWER, USER])


def test_a_template_that_drops_the_system_message_gets_it_too() -> None:
    users_only = ChatTemplate(
        "{% for m in messages if m.role == 'user' %}<{{ m.content }}>{% endfor %}"
    )
    assert users_only.render([SYSTEM, USER]) == f"<{SYSTEM['content']}\n\n{USER['content']}>"


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("chatml", "<|im_end|>\n"),
        ("gemma", "<end_of_turn>\n"),
        ("llama3", "<|eot_id|>"),
        ("mistral", "</s>"),
        ("phi3", "<|end|>\n</s>"),
        ("qwen3", "<|im_end|>\n"),
    ],
)
def test_what_ends_an_answer_is_read_from_the_template(name: str, after: str) -> None:
    assert ChatTemplate(source(name), TOKENS).after_answer() == after


def test_the_end_of_a_turn_is_a_stop_id_though_no_config_names_it(tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path / "model", template=CHATML, config={"eos_token_id": 0})
    (folder / "generation_config.json").unlink()
    config = folder / "tokenizer_config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"eos_token": "<|endoftext|>"}))
    assert load_tokenizer(resolve(str(folder))).stop_ids == {0, 2}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"tokenizer_config.json": {"chat_template": "C"}}, "C"),
        ({"tokenizer_config.json": {"chat_template": [{"name": "default", "template": "D"}]}}, "D"),
        ({"chat_template.json": {"chat_template": "J"}}, "J"),
        ({"chat_template.jinja": "F", "chat_template.json": {"chat_template": "J"}}, "F"),
        ({"tokenizer_config.json": {}}, None),
    ],
)
def test_the_template_is_found_where_models_keep_it(
    tmp_path: Path, files: dict[str, Any], expected: str | None
) -> None:
    folder = make_tiny_model(tmp_path / "model", template="T" if len(files) == 2 else None)
    for name, content in files.items():
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))
    template = load_tokenizer(resolve(str(folder))).template
    assert (template and template.source) == expected


@pytest.mark.parametrize(
    "harmful",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ messages.append(1) }}",
        "{{ cycler.__init__.__globals__.os.system('true') }}",
        "{{ range(10**9) | list }}",
        "{{ 1 / 0 }}",
        "{{ messages[7].content.x }}",
        "{% for %}",
        "{{ raise_exception('no') }}",
    ],
)
def test_a_harmful_or_broken_template_is_an_error_of_the_model(harmful: str) -> None:
    with pytest.raises(ModelError) as caught:
        ChatTemplate(harmful).render([USER])
    assert str(caught.value).count("\n") <= 1
