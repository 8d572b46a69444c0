"""How a model reasons is read off its chat template and its tokens, for each family."""

import json
from pathlib import Path

import pytest

from mlxjson.model import Tokenizer
from mlxjson.model.folder_tokenizer import read_folder_tokenizer
from mlxjson.model.reasoning import form_of, reasoning_prompt, tags_of
from mlxjson.thinking import Prompt, Stance, Think
from tests.thinkers import GEMMA, HARMONY
from tests.tiny_model import CHATML, SPECIAL, tokenizer_json

USER = [{"role": "user", "content": "hi <think> </think> <|channel|> <|end|> <channel|>"}]
TURN = "{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}"
SWITCHED = (
    "{% for m in messages %}" + TURN + "{% endfor %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"
)
OPENING = "{% for m in messages %}" + TURN + "{% endfor %}{{ '<|im_start|>assistant\n<think>\n' }}"
BARE = "{% for m in messages %}" + TURN + "{% endfor %}<|im_start|>assistant\n{# </think> #}"
V31 = (
    "{% for m in messages %}" + TURN + "{% endfor %}<|im_start|>assistant\n"
    "{% if thinking %}<think>{% else %}</think>{% endif %}"
)
TOKENS = {
    "think": ("<think>", "</think>"),
    "harmony": ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>"),
    "gemma": ("<|turn>", "<turn|>", "<|channel>", "<channel|>", "<|think|>"),
}


def tokenizer(folder: Path, template: str, family: str) -> Tokenizer:
    content = tokenizer_json()
    first = len(content["model"]["vocab"])
    for at, text in enumerate(TOKENS[family]):
        content["added_tokens"].append(
            content["added_tokens"][0] | {"id": first + at, "content": text, "special": False}
        )
    (folder / "tokenizer.json").write_text(json.dumps(content))
    config = {"eos_token": SPECIAL[2], "chat_template": template}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return Tokenizer(read_folder_tokenizer(folder))


def asked(tokenizer: Tokenizer, think: Think) -> tuple[str, Stance]:
    """What stands behind the message, and where that leaves the model."""
    prompt: Prompt = reasoning_prompt(tokenizer, USER, think)
    return tokenizer.text(prompt.ids).rpartition("<channel|>")[2], prompt.stance


EMPTY = "<think>\n\n</think>\n\n"
CASES = [
    (SWITCHED, "think", Think.AUTO, "", Stance.FREE),
    (SWITCHED, "think", Think.ON, "<think>\n", Stance.OPEN),
    (SWITCHED, "think", Think.OFF, EMPTY, Stance.LIVE),
    (OPENING, "think", Think.AUTO, "<think>\n", Stance.OPEN),
    (OPENING, "think", Think.ON, "<think>\n", Stance.OPEN),
    (OPENING, "think", Think.OFF, "<think>\n\n</think>\n\n", Stance.LIVE),
    (BARE, "think", Think.AUTO, "", Stance.FREE),
    (BARE, "think", Think.ON, "<think>\n", Stance.OPEN),
    (BARE, "think", Think.OFF, EMPTY, Stance.LIVE),
    (V31, "think", Think.AUTO, "</think>", Stance.LIVE),
    (V31, "think", Think.ON, "<think>", Stance.OPEN),
    (V31, "think", Think.OFF, "</think>", Stance.LIVE),
    (HARMONY, "harmony", Think.AUTO, "<|channel|>analysis<|message|>", Stance.OPEN),
    (HARMONY, "harmony", Think.ON, "<|channel|>analysis<|message|>", Stance.OPEN),
    (HARMONY, "harmony", Think.OFF, "<|channel|>final<|message|>", Stance.LIVE),
    (GEMMA, "gemma", Think.AUTO, "", Stance.FREE),
    (GEMMA, "gemma", Think.ON, "<|channel>thought\n", Stance.OPEN),
    (GEMMA, "gemma", Think.OFF, "", Stance.LIVE),
]


@pytest.mark.parametrize(("template", "family", "think", "behind", "stance"), CASES)
def test_a_prompt_leaves_the_model_where_it_is_wanted(
    tmp_path: Path, template: str, family: str, think: Think, behind: str, stance: Stance
) -> None:
    written, left = asked(tokenizer(tmp_path, template, family), think)
    assert left is stance
    assert written.endswith(behind)
    if not behind:
        assert "think>" not in written
        assert "channel" not in written


def test_tags_are_ids_of_their_own(tmp_path: Path) -> None:
    speaker = tokenizer(tmp_path, HARMONY, "harmony")
    form = form_of(speaker)
    assert form is not None
    tags = tags_of(speaker, form)
    assert tags.end == tags.cut == (speaker.token_id("<|end|>"),)
    assert speaker.text(tags.lead) == "<|start|>assistant<|channel|>final<|message|>"


def test_a_model_whose_template_knows_no_tags_does_not_reason(tmp_path: Path) -> None:
    assert form_of(tokenizer(tmp_path, CHATML, "think")) is None


def test_a_tag_without_a_token_of_its_own_is_no_tag(tmp_path: Path) -> None:
    assert form_of(tokenizer(tmp_path, SWITCHED, "gemma")) is None


@pytest.mark.parametrize("think", list(Think))
def test_a_model_that_does_not_reason_gets_the_same_prompt_always(
    tmp_path: Path, think: Think
) -> None:
    speaker = tokenizer(tmp_path, CHATML, "think")
    prompt = reasoning_prompt(speaker, USER, think)
    assert prompt.tags is None
    assert prompt.stance is Stance.LIVE
    assert speaker.template is not None
    assert prompt.ids == speaker.encode(speaker.template.render(USER), special=True)
