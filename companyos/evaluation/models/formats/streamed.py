"""Puts streamed answers together, in the formats of chat completions and of Anthropic's messages."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

Json = dict[str, Any]

#: Fields that streams repeat or send once; all other text comes in pieces.
_WHOLE: Final = frozenset({"id", "type", "role", "name", "object", "format", "model", "finish_reason"})
#: In which field Anthropic's deltas add to a block.
_PIECES: Final = ("text", "thinking", "signature", "partial_json")


def is_stream(answer: object) -> bool:
    """Return whether a response is a stream of events."""
    return isinstance(answer, str) and answer.lstrip().startswith(("data:", "event:", "id:", ": "))


def answer_of(stream: str) -> Json:
    """Return the answer in a stream, as the endpoint would have sent it at once.

    Raises:
        ValueError: An event is not JSON, or the stream ended early.
    """
    events = list(_events(stream))
    failed = next((event for event in events if event.get("error")), None)
    if failed is not None:
        return failed
    is_message = any(event.get("type") == "message_start" for event in events)
    return _message(events) if is_message else _completion(events)


def _events(stream: str) -> Iterator[Json]:
    for line in stream.splitlines():
        data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if data and data != "[DONE]":
            event = json.loads(data)
            if isinstance(event, dict):
                yield event


def _completion(events: Iterable[Json]) -> Json:
    answer: Json = {"choices": [], "usage": None}
    message: Json = {"role": "assistant"}
    reason = None
    for event in events:
        answer["usage"] = event.get("usage") or answer["usage"]
        for choice in event.get("choices") or []:
            reason = choice.get("finish_reason") or reason
            _add(message, choice.get("delta") or choice.get("message") or {})
    if reason is None:
        raise ValueError("the stream ended before the answer did")
    for call in message.get("tool_calls") or []:
        call.pop("index", None)
    return {**answer, "choices": [{"message": message, "finish_reason": reason}]}


def _message(events: Iterable[Json]) -> Json:
    answer: Json = {}
    blocks: dict[int, Json] = {}
    for event in events:
        match event.get("type"):
            case "message_start":
                answer = dict(event["message"])
            case "content_block_start":
                blocks[event["index"]] = dict(event["content_block"])
            case "content_block_delta":
                _add_piece(blocks[event["index"]], event["delta"])
            case "message_delta":
                answer |= event.get("delta") or {}
                answer["usage"] = {**(answer.get("usage") or {}), **(event.get("usage") or {})}
    if not answer.get("stop_reason"):
        raise ValueError("the stream ended before the answer did")
    return {**answer, "content": [_whole(block) for _, block in sorted(blocks.items())]}


def _add_piece(block: Json, delta: Mapping[str, Any]) -> None:
    for field in _PIECES:
        if isinstance(delta.get(field), str):
            block[field] = block.get(field, "") + delta[field]


def _whole(block: Json) -> Json:
    arguments = block.pop("partial_json", "")
    return {**block, "input": json.loads(arguments)} if arguments else block


def _add(message: Json, delta: Mapping[str, Any]) -> None:
    """Add a delta: text grows, parts of lists find theirs by index, and other values replace earlier ones."""
    for name, value in delta.items():
        known = message.get(name)
        if value is None:
            continue
        if isinstance(value, list):
            message[name] = known if isinstance(known, list) else []
            for part in value:
                _add_part(message[name], part)
        elif isinstance(value, Mapping) and isinstance(known, dict):
            _add(known, value)
        elif isinstance(value, str) and isinstance(known, str):
            message[name] = (known or value) if name in _WHOLE else known + value
        else:
            message[name] = dict(value) if isinstance(value, Mapping) else value


def _add_part(parts: list[Any], part: Any) -> None:
    if not isinstance(part, Mapping):
        parts.append(part)
        return
    index, given = part.get("index"), part.get("id")
    same = [
        each for each in parts if isinstance(each, dict) and index is not None and each.get("index") == index
    ]
    # Some endpoints give every call the index 0, so a new id begins a new call.
    if same and (not given or not same[-1].get("id") or same[-1]["id"] == given):
        _add(same[-1], {name: value for name, value in part.items() if name != "index"})
    else:
        parts.append(json.loads(json.dumps(part)))
