"""The format of chat completions: prompts to messages, and responses to replies.

Compatible endpoints differ in details, so nothing in a response is taken for granted.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companyos.evaluation.agents.turn import Usage

from .endpoint import Exchange, ModelReply, Prompt
from .settings import Prices

Message = dict[str, Any]

#: Fields in which endpoints return a model's reasoning.
_REASONING: Final = ("reasoning_content", "reasoning")


def messages_of(prompt: Prompt) -> list[Message]:
    """Return the messages of a request."""
    messages = [_message("system", prompt.system_prompt), _message("user", prompt.task)]
    for number, exchange in enumerate(prompt.exchanges):
        messages += _messages_of(exchange, number)
    return messages


def reply_of(answer: object, prices: Prices | None) -> ModelReply | None:
    """Return the reply in a chat completion; None if the response is not a chat completion."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(answer, Mapping) or not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        return None
    calls = [call for call in message.get("tool_calls") or () if isinstance(call, Mapping)]
    content = _text(message.get("content"))
    return ModelReply(
        message={**_message("assistant", content), **({"tool_calls": calls} if calls else {})},
        calls=calls,
        content=content,
        reasoning=next((_text(message[field]) for field in _REASONING if message.get(field)), ""),
        usage=_usage(answer.get("usage"), prices),
        stop_reason=str(choice.get("finish_reason") or ""),
    )


def _messages_of(exchange: Exchange, number: int) -> Iterator[Message]:
    calls = exchange.reply.calls
    if not calls:
        yield dict(exchange.reply.message)
        yield from (_message("user", result) for result in exchange.results)
        return
    ids = [str(call.get("id") or f"call_{number}_{index}") for index, call in enumerate(calls)]
    repeated = [_repeated(call, name) for call, name in zip(calls, ids, strict=True)]
    yield {**exchange.reply.message, "tool_calls": repeated}
    for name, result in zip(ids, exchange.results, strict=True):
        yield {"role": "tool", "tool_call_id": name, "content": result}


def _repeated(call: Mapping[str, Any], name: str) -> Message:
    """Return a call to send back, with arguments that are valid JSON, which some templates require."""
    function = call.get("function")
    called = function if isinstance(function, Mapping) else {}
    arguments = called.get("arguments")
    return {
        "id": name,
        "type": "function",
        "function": {
            "name": str(called.get("name") or "unnamed"),
            "arguments": arguments if _is_object(arguments) else json.dumps({"not_json": arguments}),
        },
    }


def _is_object(arguments: object) -> bool:
    try:
        return isinstance(arguments, str) and isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _usage(usage: object, prices: Prices | None) -> Usage:
    """Return the usage of a request; zeros if the endpoint does not say."""
    if not isinstance(usage, Mapping):
        return Usage()
    details = usage.get("prompt_tokens_details")
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    cached = _count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
    cost = prices.cost_usd(prompt=prompt, completion=completion, cached=cached) if prices else None
    return Usage(prompt, completion, cached, cost)


def _count(count: object) -> int:
    return count if isinstance(count, int) and count > 0 else 0


def _text(content: object) -> str:
    """Return a message's text; some endpoints send it in parts."""
    if isinstance(content, Sequence) and not isinstance(content, str):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}
