"""The answer of a server: OpenAI's objects `chat.completion` and `text_completion`."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from mlxjson.task import Result


def response(
    results: Sequence[Result], model: str, *, is_chat: bool, environ: Mapping[str, str]
) -> dict[str, Any]:
    """What came of the tasks of one body.

    `created` is in seconds since 1970, taken from SOURCE_DATE_EPOCH where that is set, so that
    the same run can give the same bytes; `id` depends on what was written only.
    """
    choices = [_choice(number, result, is_chat) for number, result in enumerate(results)]
    digest = hashlib.sha256(json.dumps([model, choices]).encode()).hexdigest()[:24]
    return {
        "id": f"{'chatcmpl' if is_chat else 'cmpl'}-{digest}",
        "object": "chat.completion" if is_chat else "text_completion",
        "created": _created(environ),
        "model": model,
        "choices": choices,
        "usage": _usage(results),
    }


def _choice(number: int, result: Result, is_chat: bool) -> dict[str, Any]:
    finish = "length" if result.finish == "length" and result.stopped is None else "stop"
    message = {"role": "assistant", "content": result.text, "refusal": None}
    said = {"message": message} if is_chat else {"text": result.text}
    return {"index": number, **said, "logprobs": None, "finish_reason": finish}


def _usage(results: Sequence[Result]) -> dict[str, int]:
    """The prompt counts once, however many choices there are."""
    prompt = results[0].stats.prompt_tokens
    completion = sum(result.stats.output_tokens for result in results)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _created(environ: Mapping[str, str]) -> int:
    fixed = environ.get("SOURCE_DATE_EPOCH", "")
    return int(fixed) if fixed.isascii() and fixed.isdigit() else int(time.time())
