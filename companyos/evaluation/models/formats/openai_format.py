"""The format of chat completions: prompts to messages, and responses to replies.

Compatible endpoints differ in details, so nothing in a response is taken for granted.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companyos.client.formats.relaxed_json import relaxed_arguments
from companyos.client.formats.tool_calls import call_of, calls_of, reasoning_of, text_of
from companyos.evaluation.agents.reported_usage import cost_of, count_of
from companyos.evaluation.agents.turn import Usage

from ..endpoint import Exchange, ModelReply, Picture, Prompt
from ..settings import Prices
from .call_ids import call_ids

Message = dict[str, Any]

#: Fields in which endpoints return a model's reasoning.
_REASONING: Final = ("reasoning_content", "reasoning", "thinking", "reasoning_details")


def messages_of(prompt: Prompt) -> list[Message]:
    """Return the messages of a request."""
    # A chat template makes something of an empty system prompt that it does not make of none.
    messages = [_message("system", prompt.system_prompt)] if prompt.system_prompt else []
    messages.append(_user_message(prompt.task, prompt.picture))
    for exchange, ids in zip(prompt.exchanges, call_ids(prompt.exchanges), strict=True):
        messages += _messages_of(exchange, ids)
    return messages


def completion_of(answer: object) -> object:
    """Return an answer of Ollama's own `/api/chat`, whose message is at its top, as a chat completion.

    Any other answer is returned as it is.

    Raises:
        ValueError: It is the first piece of one, and the others did not come.
    """
    message = answer.get("message") if isinstance(answer, Mapping) else None
    if not (isinstance(answer, Mapping) and isinstance(message, Mapping) and "done" in answer):
        return answer
    if not answer["done"]:
        raise ValueError("the stream ended before the answer did")
    usage = {"prompt_tokens": answer.get("prompt_eval_count"), "completion_tokens": answer.get("eval_count")}
    return {"choices": [{"message": message, "finish_reason": answer.get("done_reason")}], "usage": usage}


def reply_of(answer: object, prices: Prices | None) -> ModelReply | None:
    """Return the reply in a chat completion; None if the response is not a chat completion."""
    choices = answer.get("choices") if isinstance(answer, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(answer, Mapping) or not isinstance(choice, Mapping):
        return None
    message = choice.get("message")
    if message is None and choice.get("finish_reason"):
        message = {}  # A choice that was filtered out has a reason and no message.
    if not isinstance(message, Mapping):
        return None
    calls = [call for call in calls_of(message) if isinstance(call, Mapping)]
    content = _text(message.get("content"))
    reasoning = next((_text(message[field]) for field in _REASONING if message.get(field)), "")
    return ModelReply(
        message=_repeated_message(message, content),
        calls=calls,
        content=content,
        reasoning=reasoning or reasoning_of(message),
        refusal=_text(message.get("refusal")),
        usage=usage_of(answer.get("usage"), prices),
        stop_reason=str(choice.get("finish_reason") or ""),
    )


def usage_of(usage: object, prices: Prices | None) -> Usage:
    """Return the usage of a request; zeros if the endpoint does not say."""
    if not isinstance(usage, Mapping):
        return Usage()
    prompt, cached = count_of(usage.get("prompt_tokens")), _cached(usage)
    completion = _completion_tokens(usage, prompt)
    if prices is None:
        return Usage(prompt, completion, cached, cost_of(usage.get("cost")))
    return Usage(
        prompt, completion, cached, prices.cost_usd(prompt=prompt, completion=completion, cached=cached)
    )


def _cached(usage: Mapping[str, Any]) -> int:
    """Return the cached tokens: OpenAI's, DeepSeek's or Moonshot's field."""
    fields = (_detail(usage, "prompt", "cached_tokens"), usage.get("prompt_cache_hit_tokens"))
    return next(filter(None, map(count_of, (*fields, usage.get("cached_tokens")))), 0)


def _completion_tokens(usage: Mapping[str, Any], prompt: int) -> int:
    """Return the tokens received, with those of reasoning that xAI and Gemini count in the total only."""
    completion, total = count_of(usage.get("completion_tokens")), count_of(usage.get("total_tokens"))
    reasoning = count_of(_detail(usage, "completion", "reasoning_tokens"))
    if reasoning and total >= prompt + completion + reasoning:
        return completion + reasoning
    is_told = "completion_tokens" in usage and "prompt_tokens" in usage
    return max(completion, total - prompt) if is_told and not reasoning else completion


def _detail(usage: Mapping[str, Any], part: str, name: str) -> Any:
    details = usage.get(f"{part}_tokens_details")
    return details.get(name) if isinstance(details, Mapping) else None


def _messages_of(exchange: Exchange, ids: Sequence[str]) -> Iterator[Message]:
    calls, reply = exchange.reply.calls, dict(exchange.reply.message)
    if not calls:
        yield reply
        *earlier, last = exchange.results
        yield from (_message("user", result) for result in earlier)
        yield _user_message(last, exchange.picture)
        return
    if "function_call" in reply and "tool_calls" not in reply:
        yield reply
        name = str(calls[0].get("name") or "unnamed")
        yield from ({"role": "function", "name": name, "content": result} for result in exchange.results)
    else:
        yield {**reply, "tool_calls": [_repeated(call, name) for call, name in zip(calls, ids, strict=True)]}
        for name, result in zip(ids, exchange.results, strict=True):
            yield {"role": "tool", "tool_call_id": name, "content": result}
    if exchange.picture is not None:
        # The results of tools hold text only.
        yield _user_message("The window now:", exchange.picture)


def _repeated_message(message: Mapping[str, Any], content: str) -> Message:
    """Return a message to send back: as it came, because endpoints sign parts of it or miss their reasoning."""
    kept = {name: value for name, value in message.items() if value is not None and value != []}
    came = kept.get("content")
    is_repeatable = isinstance(came, str | list) and not calls_of({"content": came})
    return {**kept, "role": "assistant", "content": (is_repeatable and came) or content}


def _repeated(call: Mapping[str, Any], name: str) -> Message:
    """Return a call to send back: as it came, but with the parts that templates require."""
    function = call.get("function")
    if not isinstance(function, Mapping):
        action = call_of(call) or {}
        arguments = action.get("arguments") or {}
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        function, call = {"name": action.get("tool_name"), "arguments": text}, {}
    called = function
    arguments = called.get("arguments", "{}")
    known = arguments if _is_object(arguments) else _object_text(arguments)
    return {
        **call,
        "id": name,
        "type": "function",
        "function": {**called, "name": str(called.get("name") or "unnamed"), "arguments": known},
    }


def _is_object(arguments: object) -> bool:
    """Return whether arguments are an object or nothing, in any form that endpoints use."""
    if not isinstance(arguments, str):
        return arguments is None or isinstance(arguments, Mapping)
    try:
        return not arguments.strip() or isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _object_text(arguments: Any) -> str:
    """Return arguments that are no JSON object as one, because endpoints and templates refuse all else."""
    read = relaxed_arguments(arguments) if isinstance(arguments, str) else arguments
    return json.dumps(read if isinstance(read, Mapping) else {"not_json": arguments})


def _text(content: object) -> str:
    """Return a message's text; some endpoints send it in parts."""
    return text_of({"role": "assistant", "content": content}) or ""


def _user_message(text: str, picture: Picture | None) -> Message:
    """Return a message of the user, with the picture as a data URL if there is one."""
    if picture is None:
        return _message("user", text)
    url = f"data:{picture['media_type']};base64,{picture['data']}"
    parts = [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url}}]
    return {"role": "user", "content": parts}


def _message(role: str, content: str) -> Message:
    return {"role": role, "content": content}
