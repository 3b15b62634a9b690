"""Finds the call in a model's text: the one parser of every way of playing in which models write calls as text.

What stands in reasoning marks is never a call, and neither is an incomplete call. What is left must hold one call, in
any of the forms of `NAMED_FORMS`, as code in a mark, or as a JSON object. Different calls in one text are none, because
the model wrote the later ones without knowing the result of the first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .code_calls import code_call
from .elements import element_call
from .relaxed_json import KeyRepeated, dict_of_pairs, relaxed_object
from .tool_calls import call_of, is_call

#: The call that prompts show as an example. Beside another call it is an echo of the prompt.
EXAMPLE: Final[Mapping[str, Any]] = {"tool_name": "wait", "arguments": {"seconds": 60}}

#: What vendors put before the names of their tags.
_SPACE: Final = r"(?:\w+:|｜\w+｜|longcat_)?"
#: Forms in which the name of the tool stands in a mark, before the arguments: by models that write them.
NAMED_FORMS: Final[Mapping[str, str]] = {
    "Llama, Qwen-Coder": r"<function=(?P<n0>[^>\s{]+)(?:>|\s*(?=\{))",
    "Claude, MiniMax, newer DeepSeek, Step, MiniCPM, Grok": (
        rf"<{_SPACE}(?:invoke|function(?:_call)?|tool_call)\s+name=[\"'](?P<n1>[^\"'>]+)[\"']\s*>"
    ),
    "gpt-oss (harmony)": r"\bto=(?P<n2>[\w.:-]+)(?:\s|<\|\w+\|>|commentary|json|code)*(?=\{)",
    "Kimi": r"<\|tool_call_begin\|>\s*(?P<n3>[\w.-]+)(?::\d+)?\s*<\|tool_call_argument_begin\|>",
    "DeepSeek": r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?(?P<n4>[\w.-]+)(?:<｜tool▁sep｜>|\s|```json)*(?=\{)",
    "Mistral": r"\[TOOL_CALLS\]\s*(?P<n5>[\w.-]+)(?:\[CALL_ID\][\w-]+)?(?:\[ARGS\])?\s*(?=\{)",
    "GLM, LongCat, Hunyuan": (
        rf"<{_SPACE}tool_call>\s*(?P<n6>[\w.-]+)\s*(?:<tool_sep>\s*)?(?=<{_SPACE}arg_key>|</{_SPACE}tool_call>)"
    ),
    "Solar": r"<\|tool_call:name\|>(?P<n9>[\w.-]+)<\|tool_call:args\|>\s*(?=\{)",
    "ReAct": r"\bAction:\s*(?P<n7>[\w.-]+)\s+Action Input:\s*(?:```(?:json)?\s*)?(?=\{)",
    "Gemma": r"<(?:\|tool_call|start_function_call)>\s*call:(?P<n8>[\w.-]+)\s*(?=\{)",
}
#: Marks before calls as code: by LFM2, Llama 4, OLMo and Gemma.
_CODE: Final = (
    r"(?:<\|(?:tool_call_start|python_tag|python_start)\|>|<function_calls>|```(?:tool_code|python)\b)"
    r"\s*(?=\[?\s*[^\W\d][\w.]*\()"
)
_CODE_END: Final = re.compile(r"<\||</function_calls>|</s>|```|\Z")
_WORDS: Final = r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflection|analysis|scratchpad|antthinking)"
#: How Granite ends its reasoning.
_RESPONSE: Final = r"\bHere(?:'s| is) my response:"
_REASONING: Final = (
    rf"<\|?(?:\w+:|begin_of_|start_|longcat_)?{_WORDS}(?:\s[^<>/]*)?\|?>|\[THINK\]|◁think▷"
    r"|<\|channel\|>\s*analysis\b[^<]*(?:<\|\w+\|>[^<]*?)??<\|message\|>|<\|channel>thought"
    r"|<\|inner_prefix\|>|<unused94>|<\|open\|>think<\|sep\|>"
    rf"|\A\s*Here(?:'s| is) my thought process:(?=.*{_RESPONSE})"
    r"|\Aanalysis(?=.*assistant(?:final|commentary))"
)
_REASONING_END: Final = (
    rf"<(?:/|\|/|\|?end_(?:of_)?)(?:\w+:|longcat_)?{_WORDS}(?:\s[^<>/]*)?\|?>|\[/THINK\]|◁/think▷|<channel\|>"
    r"|<\|inner_suffix\|>|<unused95>|<\|close\|>think<\|sep\|>"
)
_HARMONY_END: Final = re.compile(r"<\|(?:end|return|call)\|>|(?=<\|start\|>)|assistant(?=final|commentary)")
_TAG_END: Final = re.compile(f"{_REASONING_END}|{_RESPONSE}", re.IGNORECASE)
#: The end of the model's turn; what follows it is an invented conversation.
_TURN_END: Final = (
    r"<\|im_end\|>|<\|eot_id\|>|<\|eom_id\|>|</s>|<\|endoftext\|>|<end_of_turn>|<｜end▁of▁sentence｜>"
)
#: How objects go on after their brace, in any notation that is read.
_INSIDE: Final = r"(?=\s*(?:[\"'}“„‘#]|//|/\*|<\|\"\|>|<escape>|[^\W\d][\w$-]*\s*:))"
_TOKEN: Final = re.compile(
    rf"(?P<mark>{'|'.join(NAMED_FORMS.values())})|(?P<reasoning>{_REASONING})|(?P<orphan>{_REASONING_END})"
    rf"|(?P<stop>{_TURN_END})|(?P<code>{_CODE})|(?P<object>\{{{_INSIDE})",
    re.IGNORECASE | re.DOTALL,
)
#: A value ends where the next one begins, too: models leave tags open.
_PARAMETERS: Final = re.compile(
    rf"<{_SPACE}param(?:eter)?(?:=|\s+name=)[\"']?([^\"'>\s]+)[\"']?[^>]*>\n?(.*?)\n?"
    rf"(?:</{_SPACE}param(?:eter)?>|(?=<{_SPACE}param(?:eter)?(?:=|\s+name=))|\Z)"
    rf"|<{_SPACE}arg_key>(.*?)</{_SPACE}arg_key>\s*<{_SPACE}arg_value>\n?(.*?)\n?"
    rf"(?:</{_SPACE}arg_value>|(?=<{_SPACE}arg_key>)|\Z)",
    re.DOTALL,
)
_OBJECT_NEXT: Final = re.compile(r"\s*(?=\{)")
_CALL_END: Final = re.compile(rf"</{_SPACE}(?:function(?:_call)?|invoke|tool_call)>")
_MARK: Final = r"```\w*|</?[\w:｜]+>|<\|[^|<>]*\|>|<｜[^｜<>]*｜>|\[/?[A-Z_]+\]"
_MARKS_BEFORE: Final = re.compile(rf"(?:\s*(?:{_MARK}))*\s*\Z")
_MARKS_AFTER: Final = re.compile(
    r"(?:\s*(?:```(?!\w)|</[\w:｜]+>|<\|[^|<>]*\|>|<｜[^｜<>]*｜>|\[END_TOOL_REQUEST\]))*"
)
#: The most calls that fail to parse, so that a text of braces does not take forever.
_MOST_TRIES: Final = 200


#: Models write line breaks into JSON strings as they are.
_DECODER: Final = json.JSONDecoder(strict=False, object_pairs_hook=dict_of_pairs)
_END_FINDER: Final = json.JSONDecoder(strict=False)


@dataclass(frozen=True)
class TextCall:
    """The call in a text.

    Attributes:
        action: The call; None if the text holds none, or several that differ.
        text: What the model said besides, without its reasoning: before the call, or in all.
        reasoning: What it wrote in reasoning marks.
        end: Where the call ends in the original text, including the marks that close it.
        is_bare: Whether the text is nothing but reasoning, the call and the marks around it.
    """

    action: dict[str, Any] | None
    text: str
    reasoning: str
    end: int
    is_bare: bool


@dataclass
class _Scan:
    """The text that was read so far; `spoken` and `reasoning` are spans."""

    text: str
    calls: list[tuple[dict[str, Any], int, int]] = field(default_factory=list)
    objects: list[tuple[dict[str, Any], int, int]] = field(default_factory=list)
    spoken: list[tuple[int, int]] = field(default_factory=list)
    reasoning: list[tuple[int, int]] = field(default_factory=list)
    tries: int = 0


def text_call(text: str) -> TextCall:
    """Return the call in a text, and what the model said besides."""
    scan = _scanned(text)
    others = [each for each in scan.calls if each[0] != EXAMPLE]
    calls = others or scan.calls or _only_element(scan) or _only_object(scan) or _only_code(scan)
    action, start, end = calls[0] if calls else (None, len(text), len(text))
    if any(each[0] != action for each in calls):
        action, start, end = None, len(text), len(text)
        scan.spoken = sorted([*scan.spoken, *(each[1:] for each in calls)])
    end = _MARKS_AFTER.match(text, end).end()  # type: ignore[union-attr]  # it matches nothing as well
    before = _joined(scan, scan.spoken, end=start)
    return TextCall(
        action,
        text=_MARKS_BEFORE.sub("", before).strip() if action is not None else before.strip(),
        reasoning=_joined(scan, scan.reasoning, end=len(text)).strip(),
        end=end,
        is_bare=action is not None and not _without_marks(before + _joined(scan, scan.spoken, start=end)),
    )


def _scanned(text: str) -> _Scan:
    scan, position = _Scan(text), 0
    while token := _TOKEN.search(text, position):
        scan.spoken.append((position, token.start()))
        match token.lastgroup:
            case "reasoning":
                end = _reasoning_end(text, token)
                scan.reasoning.append((token.end(), end[0]))
                position = end[1]
            case "orphan":
                # The prompt opened the reasoning, or it was closed by another mark within it.
                scan = _Scan(text, reasoning=[(0, token.start())], tries=scan.tries)
                position = token.end()
            case "stop":
                return scan
            case _:
                position = _read_call(scan, token)
    scan.spoken.append((position, len(text)))
    return scan


def _reasoning_end(text: str, opening: re.Match[str]) -> tuple[int, int]:
    """Return where the reasoning ends, and where its mark does; the end of the text if it is not closed."""
    is_harmony = "<|channel|>" in opening[0].lower() or opening[0].lower() == "analysis"
    end = (_HARMONY_END if is_harmony else _TAG_END).search(text, opening.end())
    return end.span() if end else (len(text), len(text))


def _read_call(scan: _Scan, token: re.Match[str]) -> int:
    """Add the call or the other object at a token, and return where to read on."""
    if token.lastgroup == "object":
        found, end = _object_at(scan, token.start())
        action = call_of(found) if found is not None and is_call(found) else None
    elif token.lastgroup == "code":
        end = _CODE_END.search(scan.text, token.end()).start()  # type: ignore[union-attr]  # the text has an end
        found, action = None, code_call(scan.text[token.end() : end])
    else:
        name = next(value for group, value in token.groupdict().items() if group.startswith("n") and value)
        arguments, end = _arguments_at(scan, token.end())
        found, action = None, None if arguments is None else {"tool_name": name, "arguments": arguments}
    if action is not None:
        scan.calls.append((action, token.start(), end))
    elif found is not None:
        scan.objects.append((found, token.start(), end))
        scan.spoken.append((token.start(), end))
    else:
        scan.spoken.append((token.start(), end))
    return end


def _object_at(scan: _Scan, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the JSON object at `start` and its end; None and the next position if there is none."""
    if scan.tries > _MOST_TRIES:
        return None, start + 1
    try:
        return _DECODER.raw_decode(scan.text, start)
    except KeyRepeated:
        scan.tries += 1
        return None, _END_FINDER.raw_decode(scan.text, start)[1]
    except (ValueError, RecursionError):
        scan.tries += 1
        return relaxed_object(scan.text, start) or (None, start + 1)


def _arguments_at(scan: _Scan, start: int) -> tuple[dict[str, Any] | None, int]:
    """Return the arguments after the name of a tool, as JSON or as tags; None if they are incomplete."""
    text = scan.text
    if opening := _OBJECT_NEXT.match(text, start):
        return _object_at(scan, opening.end())
    end = _CALL_END.search(text, start) if scan.tries <= _MOST_TRIES else None
    if end is None:
        scan.tries += 1
        return None, start
    parameters = _PARAMETERS.findall(text, start, end.start())
    return {first or third: second or fourth for first, second, third, fourth in parameters}, end.end()


def _only_element(scan: _Scan) -> list[tuple[dict[str, Any], int, int]]:
    """Return the call that ends the text as an element; what stands before it since the last reasoning may be said."""
    end = start = scan.spoken[-1][1]
    for first, last in reversed(scan.spoken):
        start = first if last == start else start
    found = element_call(scan.text[start:end])
    return [] if found is None else [(found[0], start + found[1], end)]


def _only_object(scan: _Scan) -> list[tuple[dict[str, Any], int, int]]:
    """Return the action of a text that is one object, which need not look like a call then."""
    if len(scan.objects) != 1:
        return []
    found, start, end = scan.objects[0]
    around = _joined(scan, scan.spoken, end=start) + _joined(scan, scan.spoken, start=end)
    action = call_of(found) if not _without_marks(around) else None
    return [] if action is None else [(action, start, end)]


def _only_code(scan: _Scan) -> list[tuple[dict[str, Any], int, int]]:
    """Return the call of a text that is a list of it in code, as Llama 4 writes it without a mark."""
    code = _without_marks(_joined(scan, scan.spoken))
    action = code_call(code) if code.startswith("[") and not scan.objects else None
    return [] if action is None else [(action, scan.spoken[0][0], len(scan.text))]


def _joined(scan: _Scan, spans: list[tuple[int, int]], *, start: int = 0, end: int | None = None) -> str:
    """Return the text of the spans between two positions."""
    last = len(scan.text) if end is None else end
    return "".join(_clipped(scan.text, spans, start, last))


def _clipped(text: str, spans: list[tuple[int, int]], start: int, end: int) -> Iterator[str]:
    for first, last in spans:
        yield text[max(first, start) : min(last, end)] if max(first, start) < min(last, end) else ""


def _without_marks(text: str) -> str:
    return re.sub(_MARK, "", text).strip()
