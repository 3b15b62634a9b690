"""The format of Anthropic's Messages API: prompts to messages, and responses to replies."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from companyos.evaluation.agents.reported_usage import count_of
from companyos.evaluation.agents.turn import Usage

from ..endpoint import Exchange, ModelReply, Picture, Prompt
from ..prompts import FunctionTool
from ..settings import Prices
from .call_ids import call_ids

Message = dict[str, Any]
Block = Mapping[str, Any]

_CALL: Final = "tool_use"


def messages_of(prompt: Prompt) -> list[Message]:
    """Return the messages of a request, without the system prompt."""
    messages: list[Message] = [{"role": "user", "content": _task_of(prompt)}]
    for exchange, ids in zip(prompt.exchanges, call_ids(prompt.exchanges), strict=True):
        messages += [
            _message_with_ids(exchange.reply, ids),
            {"role": "user", "content": list(_results_of(exchange, ids))},
        ]
    return messages


def tools_of(tools: Sequence[FunctionTool]) -> list[dict[str, Any]]:
    """Return tools in this format."""
    functions = [tool["function"] for tool in tools]
    return [
        {"name": each["name"], "description": each["description"], "input_schema": each["parameters"]}
        for each in functions
    ]


def reply_of(answer: object, prices: Prices | None) -> ModelReply | None:
    """Return the reply in a response; None if the response has no such form."""
    content = answer.get("content") if isinstance(answer, Mapping) else None
    if not isinstance(answer, Mapping) or not isinstance(content, list):
        return None
    blocks = [block for block in content if isinstance(block, Mapping) and not _is_blank(block)]
    return ModelReply(
        message={"role": "assistant", "content": blocks},
        calls=[block for block in blocks if block.get("type") == _CALL],
        content=_text_of(blocks, "text"),
        reasoning=_text_of(blocks, "thinking"),
        usage=usage_of(answer.get("usage"), prices),
        stop_reason=str(answer.get("stop_reason") or ""),
    )


def usage_of(usage: object, prices: Prices | None) -> Usage:
    """Return the usage of a request; this endpoint counts cached tokens separately."""
    if not isinstance(usage, Mapping):
        return Usage()
    plain, completion = count_of(usage.get("input_tokens")), count_of(usage.get("output_tokens"))
    cached = count_of(usage.get("cache_read_input_tokens"))
    written = count_of(usage.get("cache_creation_input_tokens"))
    counts = {"prompt": plain + cached + written, "completion": completion, "cached": cached}
    cost = prices.cost_usd(**counts, cache_write=written) if prices else None
    return Usage(counts["prompt"], completion, cached, cost)


def _task_of(prompt: Prompt) -> str | list[Block]:
    if prompt.picture is None:
        return prompt.task
    return [{"type": "text", "text": prompt.task}, _image(prompt.picture)]


def _image(picture: Picture) -> Block:
    source = {"type": "base64", "media_type": picture["media_type"], "data": picture["data"]}
    return {"type": "image", "source": source}


def _message_with_ids(reply: ModelReply, ids: Sequence[str]) -> Message:
    """Return a message to send back: as it came, but with the ids by which results name its calls."""
    waiting, content = iter(ids), reply.message.get("content")
    if not isinstance(content, list):
        return dict(reply.message)
    blocks = [{**block, "id": next(waiting)} if block.get("type") == _CALL else block for block in content]
    return {**reply.message, "content": blocks}


def _results_of(exchange: Exchange, ids: Sequence[str]) -> Iterator[Block]:
    if not ids:
        yield from ({"type": "text", "text": result} for result in exchange.results)
    else:
        for name, result in zip(ids, exchange.results, strict=True):
            yield {"type": "tool_result", "tool_use_id": name, "content": result}
    if exchange.picture is not None:
        yield _image(exchange.picture)


def _is_blank(block: Block) -> bool:
    """Return whether a block is blank text, which the endpoint rejects in a request."""
    return block.get("type") == "text" and not str(block.get("text") or "").strip()


def _text_of(blocks: Sequence[Block], kind: str) -> str:
    return "\n\n".join(str(block.get(kind) or "") for block in blocks if block.get("type") == kind)
