"""Puts streamed answers together, in the formats of chat completions, of Anthropic's messages and of Ollama's own."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

Json = dict[str, Any]

#: Fields that streams repeat or send once; all other text comes in pieces.
_WHOLE: Final = frozenset({"id", "type", "role", "object", "format", "model", "finish_reason"})
#: The beginning of a stream of events, after the mark that some servers put before it.
_STREAM: Final = re.compile(r"[\ufeff\s]*(?:data:|event:|id:|retry:|: )")
#: The beginning of a stream of Ollama's own: an object on a line of its own, of which another line may follow.
_LINES: Final = re.compile(r"[\ufeff\s]*\{.*\}[ \t]*(?:[\r\n]|\Z)")
#: JSON holds the line separators of Unicode as they are.
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
#: Types of the parts of a content that comes in pieces, of Mistral.
_GROWING: Final = ("text", "thinking")
_DONE: Final = "[DONE]"
#: In which field Anthropic's deltas add to a block.
_PIECES: Final = ("text", "thinking", "signature", "partial_json")


def is_stream(answer: object) -> bool:
    """Return whether a response is a stream, of events or of lines."""
    return isinstance(answer, str) and bool(_STREAM.match(answer) or _LINES.match(answer))


def answer_of(stream: str) -> Json:
    """Return the answer in a stream, as the endpoint would have sent it at once.

    Raises:
        ValueError: An event is not JSON, or the stream ended early.
    """
    is_in_lines = _STREAM.match(stream) is None
    events = list(_events(_LINE_END.split(stream.lstrip("\ufeff")) if is_in_lines else _data_of(stream)))
    failed = next((event for event in events if event.get("error")), None)
    if failed is not None:
        return failed
    if is_in_lines:
        return _of_lines(events)
    is_message = any(event.get("type") == "message_start" for event in events)
    is_done = any(data == _DONE for data in _data_of(stream))
    return _message(events) if is_message else _completion(events, is_done=is_done)


def _data_of(stream: str) -> Iterator[str]:
    for line in _LINE_END.split(stream.lstrip("\ufeff")):
        if line.startswith("data:"):
            yield line.removeprefix("data:").strip()


def _events(texts: Iterable[str]) -> Iterator[Json]:
    for data in texts:
        if data.strip() and data != _DONE:
            event = json.loads(data)
            if isinstance(event, dict):
                yield event


def _of_lines(events: Sequence[Json]) -> Json:
    """Return an answer of Ollama's own: pieces of a message, the last of which is marked and counts the tokens."""
    last = events[-1] if events else {}
    if not last.get("done"):
        raise ValueError("the stream ended before the answer did")
    message: Json = {}
    for event in events:
        if isinstance(piece := event.get("message"), dict):
            _add(message, piece)
    return {**last, "message": message}


def _completion(events: Iterable[Json], *, is_done: bool) -> Json:
    answer: Json = {"choices": [], "usage": None}
    message: Json = {"role": "assistant"}
    reason = None
    for event in events:
        answer["usage"] = event.get("usage") or answer["usage"]
        for choice in _objects_in(event.get("choices")):
            if choice.get("index"):
                continue
            reason = choice.get("finish_reason") or reason
            if whole := _object_of(choice.get("message")):
                message |= whole
            else:
                _add(message, _object_of(choice.get("delta")))
    if reason is None and not is_done:
        raise ValueError("the stream ended before the answer did")
    for call in _objects_in(message.get("tool_calls")):
        call.pop("index", None)
    return {**answer, "choices": [{"message": message, "finish_reason": reason}]}


def _message(events: Iterable[Json]) -> Json:
    answer: Json = {}
    blocks: dict[str, Json] = {}
    for event in events:
        place = str(event.get("index", 0))
        match event.get("type"):
            case "message_start":
                answer = dict(_object_of(event.get("message")))
            case "content_block_start":
                blocks[place] = dict(_object_of(event.get("content_block")))
            case "content_block_delta":
                # Some start no block, so it is of the kind that its pieces are.
                block = blocks.setdefault(place, {"type": "text"})
                _add_piece(block, _object_of(event.get("delta")))
            case "message_delta":
                answer |= _object_of(event.get("delta"))
                answer["usage"] = {**_object_of(answer.get("usage")), **_object_of(event.get("usage"))}
    if not answer.get("stop_reason"):
        raise ValueError("the stream ended before the answer did")
    return {**answer, "content": [_whole(block) for block in blocks.values()]}


def _add_piece(block: Json, delta: Mapping[str, Any]) -> None:
    for field in _PIECES:
        if isinstance(delta.get(field), str):
            block[field] = str(block.get(field) or "") + delta[field]


def _whole(block: Json) -> Json:
    arguments = block.pop("partial_json", "")
    try:
        return {**block, "input": json.loads(arguments)} if arguments else block
    except json.JSONDecodeError as error:
        name, end = block.get("name"), arguments[-60:]
        raise ValueError(
            f"the arguments of its call of {name!r} are not JSON ({error.msg}), perhaps because max_tokens cut them "
            f"off; they end with {end!r}"
        ) from None


def _object_of(value: object) -> Mapping[str, Any]:
    """Return an object as it is, and nothing of what is none: a call is worth more than the form around it."""
    return value if isinstance(value, Mapping) else {}


def _objects_in(value: object) -> list[Any]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


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
        elif isinstance(value, str) and isinstance(known, list):
            _add_part(known, {"type": "text", "text": value})
        elif isinstance(value, str) and isinstance(known, str):
            is_repeated = name in _WHOLE or (name == "name" and value == known)
            message[name] = (known or value) if is_repeated else known + value
        else:
            message[name] = dict(value) if isinstance(value, Mapping) else value


def _add_part(parts: list[Any], part: Any) -> None:
    if not isinstance(part, Mapping):
        parts.append(part)
        return
    known = _known_part(parts, part)
    if known is None:
        parts.append(json.loads(json.dumps(part)))
    else:
        _add(known, {name: value for name, value in part.items() if name != "index"})


def _known_part(parts: list[Any], part: Mapping[str, Any]) -> Json | None:
    """Return the part that another one goes on with; None if it begins one."""
    index, given = part.get("index"), part.get("id")
    called = part.get("function")
    is_named = isinstance(called, Mapping) and bool(called.get("name"))
    if index is None:
        # Some endpoints number nothing, so a piece that is only arguments is of the latest call.
        goes_on = not is_named if isinstance(called, Mapping) else part.get("type") in _GROWING
        latest = parts[-1] if parts and isinstance(parts[-1], dict) else {}
        return (
            latest
            if latest and goes_on and latest.get("type") == part.get("type", latest.get("type"))
            else None
        )
    same = [each for each in parts if isinstance(each, dict) and each.get("index") == index]
    # Some give every call the index 0, so a new id with a name begins a new call, and so does another name after the
    # arguments, because some give every call the same id as well; and some every piece an id.
    has_other_id = same and given and same[-1].get("id") not in (None, "", given)
    is_new = is_named and same and (has_other_id or _names_another(same[-1], called))
    return same[-1] if same and not is_new else None


def _names_another(known: Json, called: Any) -> bool:
    function = _object_of(known.get("function"))
    return bool(function.get("arguments")) and function.get("name") != called["name"]
