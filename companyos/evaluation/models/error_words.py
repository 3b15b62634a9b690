"""What endpoints say when they refuse a request; few have error codes for it, so their words decide."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

#: Fields that hold the words for people, most telling first.
_FIELDS: Final = ("message", "msg", "detail", "error", "raw", "reason", "description")

_PROMPT: Final = r"(?:prompt|inputs?|conversation|messages|request|tokens?)"
_EXCEEDS: Final = r"(?:exceed\w*|(?:longer|larger|more|greater|bigger) than|over the)"
_LIMIT: Final = r"(?:context|input|prompt|model|maximum(?: number of)?(?: allowed)?|limit|length)"
#: A prompt that is too long, by the mechanism of the sentence; after it the vendors that say nothing else.
_TOO_LONG: Final = re.compile(
    "|".join(
        [
            r"context[ _-]?(?:length|size|window|limit)",
            r"maximum context|(?:model|prompt|context|\d) token limit|max_(?:model|seq)_len",
            r"(?:maximum|max) (?:model|prompt|input|sequence) (?:length|tokens|size|characters)",
            rf"{_PROMPT} (?:\(\d+\) )?(?:is |are |was |were )?too (?:long|large)\b(?! ago)",
            r"too long (?:a )?(?:prompt|input)|messages? token length must be|exceed max message tokens",
            r"(?<!output )(?<!completion )tokens? limit exceeded",
            r"exceeds max length|cannot exceed \d+",
            rf"{_PROMPT}\b[^.]{{0,100}}?\b{_EXCEEDS}\b[^.]{{0,80}}?\b{_LIMIT}\b[^.]{{0,40}}(?:tokens?|length|limit|\d{{4}})",
            r"exceed\w* the (?:maximum|max|limit)[^.]{0,20}? tokens",
            r"too (?:many|much) (?:input |prompt |total )?(?:tokens|text)",
            r"(?:maximum|max) (?:input )?(?:number of )?(?:input |prompt )?tokens",
            r"(?:input|prompt) token count is \d+ but",  # Vertex AI
            r"(?:input|prompt) length\b.{0,60}?\b(?:should|must|can) ?not exceed",  # TensorRT-LLM
            r"(?:reduce|shorten) the (?:length|size) of|shorten (?:the|your) (?:prompt|input|messages|conversation)",
            r"\binputs?\b`?[^.]{0,60}must (?:be|have) (?:<=|less|at most|fewer|under|shorter)",  # TGI, Together
            r"range of input length",  # DashScope
            r"(?:prompt|输入|上下文|提示词|对话|tokens?)[^。]{0,30}(?:超长|过长|超过|超出|太长)",  # Zhipu
            r"(?:超过|超出)[^。]{0,20}(?:上下文|长度|tokens?)",
        ]
    ),
    re.IGNORECASE,
)
#: The limit of an answer, which no shorter prompt changes.
_ANSWER: Final = re.compile(
    r"max\w*_tokens|max\w* (?:output|completion|new) tokens|number of output tokens|completion tokens"
    r"|max(?:imum)?(?: number of)? tokens (?:must|should|can)",
    re.IGNORECASE,
)
_CONTEXT: Final = re.compile(r"context|\binputs?\b|prompt|\bmessages\b", re.IGNORECASE)
_NO_TOOLS: Final = re.compile(
    r"(?:not|n't|no)\b.{0,40}support.{0,20}\b(?:tool|function)|support(?:ing)? tool use|tool-call-parser"
    r"|\b(?:tools|functions|(?:tool|function) (?:calls|calling|use))`? (?:is|are) "
    r"(?:not (?:supported|enabled)|unsupported)"
    r"|tool[ _-](?:choice|call|use)\w*.{0,60}(?:require|not support|not enabled)",
    re.IGNORECASE | re.DOTALL,
)


def is_prompt_too_long(words: str) -> bool:
    """Return whether a refusal is about the length of the prompt, and not of an answer, a name or a description."""
    is_about_the_answer = _ANSWER.search(words) and not _CONTEXT.search(words)
    return bool(_TOO_LONG.search(words)) and not is_about_the_answer


def lacks_tools(words: str) -> bool:
    """Return whether a refusal says that the endpoint or the model takes no tools."""
    return bool(_NO_TOOLS.search(words))


def message_in(body: Any) -> str:
    """Return the words for people in an error's body, of whichever form."""
    found: dict[str, None] = {}
    for field in _FIELDS:
        found |= dict.fromkeys(_values_of(body, field))
    return body if isinstance(body, str) else "; ".join(found)


def texts_of(body: Any) -> Iterator[str]:
    """Yield every text in a body; names of fields are none."""
    if isinstance(body, str):
        yield body
    children = body.values() if isinstance(body, Mapping) else body if isinstance(body, list) else ()
    for child in children:
        yield from texts_of(child)


def _values_of(body: Any, field: str) -> Iterator[str]:
    if isinstance(body, Mapping) and isinstance(body.get(field), str):
        yield body[field]
    children = body.values() if isinstance(body, Mapping) else body if isinstance(body, list) else ()
    for child in children:
        yield from _values_of(child, field)
