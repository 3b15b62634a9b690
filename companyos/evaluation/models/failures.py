"""Turns an endpoint's errors into failures whose messages help the person who started the run."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from companyos.evaluation.agents.turn import Usage

from .endpoint import ContextOverflow, EndpointFailed, PassingFailure
from .error_words import is_prompt_too_long, lacks_tools, message_in, texts_of
from .pauses import asked_wait_s
from .settings import ModelSettings, environment_text

_MOST_SHOWN: Final = 300
_BAD_REQUEST: Final = 400
_TOO_LARGE: Final = 413
_OUTAGE: Final = 500
#: Statuses with which endpoints refuse a request for what is in it. With 402, OpenRouter refuses a prompt that the
#: account cannot pay for: agents that forgot more as the credit shrinks would be scored by the credit.
_REFUSED: Final = frozenset({_BAD_REQUEST, 404, _TOO_LARGE, 422})
#: Statuses of errors that pass.
_PASSING: Final = frozenset({408, 409, 425, 429})
#: The errors of client libraries where no answer came.
_NO_ANSWER: Final = frozenset({"APIConnectionError", "APITimeoutError"})
#: What a status means for the person who started the run.
_PLAINLY: Final[Mapping[int, str]] = {
    400: "it does not accept the request",
    401: "it refuses the key in {variable}",
    402: "it wants to be paid first",
    403: "it does not allow this with the key in {variable}",
    404: "it does not know the model, or the URL is wrong",
    422: "it does not accept the request",
    429: "the rate limit is reached, or the quota is used up",
}
#: What of a page in HTML is not for people: comments, styles and scripts, and its tags.
_MARKUP: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|<(style|script)\b.*?(?:</\1>|\Z)|<[^>]*>", re.DOTALL | re.IGNORECASE
)
_PAGE: Final = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_HINT_NO_TOOLS: Final = " Use --tool-mode json, or start the server with the model's tool parser."


def failure_of(error: Exception, settings: ModelSettings) -> EndpointFailed:
    """Return the failure that an error of a client library stands for."""
    body = _body_of(error)
    status, words = getattr(error, "status_code", None), f"{' '.join(texts_of(body))} {error}"
    shown = _without_key(_error_text(error, body), settings)
    if _is_overflow(status, words):
        return ContextOverflow(f"{where(settings)}: {shown}", words=words)
    message = f"{where(settings)}: {_plainly(status, error, settings)}{shown}"
    headers = getattr(getattr(error, "response", None), "headers", {})
    if _passes(error, status, headers):
        return PassingFailure(message, wait_s=asked_wait_s(headers, body))
    hint = _HINT_NO_TOOLS if status in _REFUSED and lacks_tools(words) else ""
    return EndpointFailed(f"{message}{hint}", words=words if status in _REFUSED else "")


def failure_in(answer: Mapping[str, Any], settings: ModelSettings, usage: Usage) -> EndpointFailed | None:
    """Return the failure that a response of status 200 holds; None if it holds none."""
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else {}
    error = answer.get("error") or first.get("error") or (first.get("finish_reason") == "error" and first)
    if not error and not {"choices", "content"} & set(answer) and message_in(answer):
        error = answer
    if not error:
        is_blank = "choices" in answer and not choices
        return PassingFailure(str(unreadable(answer, settings)), usage=usage) if is_blank else None
    words = " ".join(texts_of(error))
    status = _status_in(error)
    shown = message_in(error) or words
    message = f"{where(settings)}: {_plainly(status, None, settings)}{_without_key(shown, settings)}"
    if _is_overflow(status or _BAD_REQUEST, words):
        return ContextOverflow(message, words=words, usage=usage)
    if status is None or status in _PASSING or status >= _OUTAGE:
        return PassingFailure(message, words=words, usage=usage, wait_s=asked_wait_s({}, error))
    return EndpointFailed(message, words=words, usage=usage)


def unread_call_in(error: Exception) -> str:
    """Return what the model said of which the endpoint (Groq) could read no call; nothing if that is not the error."""
    body = _body_of(error)
    refusal = body.get("error") if isinstance(body, Mapping) else None
    words = refusal.get("failed_generation") if isinstance(refusal, Mapping) else None
    return words if isinstance(words, str) else ""


def unreadable(answer: Any, settings: ModelSettings) -> EndpointFailed:
    """Return the failure of an endpoint whose response does not follow its protocol."""
    if isinstance(answer, str) and _PAGE.match(answer):
        words = f"answered with a page for people, so --base-url is not that of its API: {_without_markup(answer)!r}"
    else:
        words = f"answered with something else than a chat message: {str(answer)[:_MOST_SHOWN]!r}"
    return EndpointFailed(f"{where(settings)} {words}")


def where(settings: ModelSettings) -> str:
    """Return which model failed, and at which endpoint."""
    return f"{settings.model} at {settings.base_url or 'its vendor'}"


def _passes(error: Exception, status: int | None, headers: Mapping[str, str]) -> bool:
    """Return whether a request is worth repeating: after a cut body, no answer, or a status that says so."""
    if (word := headers.get("x-should-retry")) in ("true", "false"):  # OpenAI's and Anthropic's own word
        return word == "true"
    if status is None:
        return isinstance(error, ValueError) or type(error).__name__ in _NO_ANSWER
    return status in _PASSING or status >= _OUTAGE


def _is_overflow(status: int | None, words: str) -> bool:
    if status == _TOO_LARGE:
        return True
    return status in _REFUSED and is_prompt_too_long(words)


def _status_in(error: Any) -> int | None:
    """Return the status that an error in a response of status 200 names; 400 if it is about the request."""
    code = error.get("code") or error.get("status") if isinstance(error, Mapping) else None
    if isinstance(code, int | str) and str(code).isdigit() and 400 <= int(code) < 600:
        return int(code)
    kind = f"{code} {error.get('type')}" if isinstance(error, Mapping) else ""
    return _BAD_REQUEST if re.search(r"invalid|auth|permission|not_found|unsupported", kind) else None


def _plainly(status: int | None, error: Exception | None, settings: ModelSettings) -> str:
    """Return what an error means, in plain words; nothing if its own message has to do."""
    if status is None:
        return "it cannot be reached. " if type(error).__name__ == "APIConnectionError" else ""
    reason = _PLAINLY.get(status, "it has an outage" if status >= _OUTAGE else "")
    return reason and f"{reason.format(variable=settings.api_key_variable)}. "


def _body_of(error: Exception) -> Any:
    """Return the body of the response behind an error, which client libraries keep in part."""
    text = getattr(getattr(error, "response", None), "text", None)
    try:
        return json.loads(text) if text else getattr(error, "body", None)
    except (ValueError, RecursionError):
        return text


def _error_text(error: Exception, body: Any) -> str:
    """Return an error's message, with the vendor's words, which some bodies hide from the client library."""
    text, words = _without_markup(str(error)), _without_markup(message_in(body))
    return f"{type(error).__name__}: {text}" + (f" - {words}" if words and words not in text else "")


def _without_markup(text: str) -> str:
    """Return the words of a page in HTML, such as proxies answer with; other text as it is."""
    if not _PAGE.search(text):
        return text
    return " ".join(_MARKUP.sub(" ", text).split())[:_MOST_SHOWN]


def _without_key(text: str, settings: ModelSettings) -> str:
    """Return a message without the key, which some endpoints echo."""
    key = environment_text(settings.api_key_variable)
    return (text.replace(key, "…") if key else text)[:_MOST_SHOWN]
