"""The answer of a server: OpenAI's objects `chat.completion` and `text_completion`."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from mlxjson.confidence import envelope
from mlxjson.constraint import JsonObject, JsonSchema
from mlxjson.request.plan import Plan
from mlxjson.task import Result
from mlxjson.text import on_one_line

if TYPE_CHECKING:
    from mlxjson.confidence import TokenScore


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of the tasks of one body."""

    results: Sequence[Result]
    plan: Plan
    model: str

    def text(self, *, as_response: bool, raw: bool, environ: Mapping[str, str]) -> str | None:
        """The answer as a server gives it, or one line a choice; None where nothing may be written.

        A response says itself that a choice was cut off; what is invalid is never written.
        """
        if as_response:
            is_invalid = any(result.finish == "invalid" for result in self.results)
            return None if is_invalid else json.dumps(self.response(environ), ensure_ascii=False)
        if first_failure(self.results) is not None:
            return None
        is_text = not isinstance(self.plan.constraint, JsonSchema | JsonObject)
        return "\n".join(_line(result, is_text, raw) for result in self.results)

    def response(self, environ: Mapping[str, str]) -> dict[str, Any]:
        """The object.

        `created` is in seconds since 1970, taken from SOURCE_DATE_EPOCH where that is set, so that
        the same run can give the same bytes; `id` depends on what was written only.
        """
        chat = self.plan.is_chat
        choices = [_choice(number, result, chat) for number, result in enumerate(self.results)]
        digest = hashlib.sha256(json.dumps([self.model, choices]).encode()).hexdigest()[:24]
        return {
            "id": f"{'chatcmpl' if chat else 'cmpl'}-{digest}",
            "object": "chat.completion" if chat else "text_completion",
            "created": _created(environ),
            "model": self.model,
            "choices": choices,
            "usage": _usage(self.results),
        }


def first_failure(results: Sequence[Result]) -> Result | None:
    """The first result that is cut off or invalid."""
    for result in results:
        if result.finish != "stop":
            return result
    return None


def _line(result: Result, is_text: bool, raw: bool) -> str:
    """One choice among several: a JSON document, or a text as a JSON string.

    How sure the model was stands beside it where that is asked for.
    """
    text = result.text
    if raw:
        value = text if is_text else json.loads(text)
        return value if isinstance(value, str) else text
    shown = json.dumps(text, ensure_ascii=False) if is_text else on_one_line(text)
    if result.confidence is None and result.logprobs is None:
        return shown
    return envelope(shown, result.confidence, result.logprobs)


def _choice(number: int, result: Result, is_chat: bool) -> dict[str, Any]:
    finish = "length" if result.finish == "length" and result.stopped is None else "stop"
    message = {"role": "assistant", "content": result.text, "refusal": None}
    said = {"message": message} if is_chat else {"text": result.text}
    scores = None
    if result.logprobs is not None:
        scores = _of_chat(result.logprobs) if is_chat else _of_completion(result.logprobs)
    choice = {"index": number, **said, "logprobs": scores, "finish_reason": finish}
    # A field of ours: no server has one for it.
    known = {} if result.confidence is None else {"confidence": result.confidence}
    return {**choice, **known}


def _of_chat(scores: Sequence["TokenScore"]) -> dict[str, Any]:
    return {"content": [{"top_logprobs": [], **each.as_dict()} for each in scores], "refusal": None}


def _of_completion(scores: Sequence["TokenScore"]) -> dict[str, Any]:
    """The older shape: a list for each kind of figure. Offsets are in characters."""
    written = [each.as_dict() for each in scores]
    ends = accumulate((each.token for each in scores), initial=b"")
    return {
        "tokens": [each["token"] for each in written],
        "token_logprobs": [each["logprob"] for each in written],
        "top_logprobs": [
            {top["token"]: top["logprob"] for top in each.get("top_logprobs", ())}
            for each in written
        ],
        "text_offset": [len(text.decode(errors="ignore")) for text in list(ends)[:-1]],
    }


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
