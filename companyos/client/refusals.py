"""Reads what a server answered instead of what was asked for, and raises the error for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from .errors import (
    EpisodeOver,
    InvalidRequest,
    NoEpisode,
    Refused,
    StepsLost,
    TokenRefused,
    Unavailable,
    UnexpectedAnswer,
)
from .transport import JSON, PROBLEM, Answer, Lost

#: How much of a page that is not ours a message shows, in characters.
SHOWN = 200
_MARKUP = re.compile(r"<(style|script|head)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_OF_A_PROXY = frozenset({502, 503, 504})


def body_of(answer: Answer, expected: type, url: str) -> Any:
    """Return the body of an answer to a request that the server carried out.

    Args:
        answer: The answer.
        expected: The type of its body: of JSON, or `str` or `bytes` for text and files.
        url: The server, as messages name it.

    Raises:
        Refused: The server refused.
        UnexpectedAnswer: It is no answer of CompanyOS.
    """
    if answer.status >= 400:
        raise _refusal(answer, url)
    is_json = answer.kind in (JSON, PROBLEM) or not answer.body
    if (
        answer.status >= 300
        or not isinstance(answer.body, expected)
        or not (is_json or expected in (str, bytes))
    ):
        raise unexpected(answer, url)
    return answer.body


@contextmanager
def reading(body: Any, url: str) -> Iterator[None]:
    """Read a body in the block, which has what CompanyOS answers.

    Raises:
        UnexpectedAnswer: It has not, so it is no answer of CompanyOS.
    """
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError):
        raise unexpected(body, url) from None


def unexpected(found: Answer | Any, url: str) -> UnexpectedAnswer:
    """Return the error for an answer that no CompanyOS gives."""
    answer = found if isinstance(found, Answer) else Answer(200, found)
    if 300 <= answer.status < 400:
        return UnexpectedAnswer(
            f"{url} answered {_status(answer)}, a redirect to {answer.location or 'nowhere'}. Give the address at its "
            "end as base_url, or `headers` with what a proxy in front of the server asks for."
        )
    return UnexpectedAnswer(
        f"{url} answered {_status(answer)} with {answer.kind or 'broken JSON'}, which is no answer of CompanyOS: "
        f"{_excerpt(answer)}. Is this the address of its trainer API, and does a proxy stand in front of it?"
    )


def is_worth_repeating(answer: Answer | Lost) -> bool:
    """Return whether the same request may succeed later."""
    if isinstance(answer, Lost):
        return True
    if isinstance(answer.body, Mapping) and "retryable" in answer.body:
        return bool(answer.body["retryable"])
    return answer.status in _OF_A_PROXY


def code_of(answer: Answer | Lost) -> str | None:
    """Return the code of a refusal, None if there is none."""
    body = answer.body if isinstance(answer, Answer) else None
    return body.get("type") if isinstance(body, Mapping) else None


def _refusal(answer: Answer, url: str) -> Refused:
    body = answer.body if isinstance(answer.body, Mapping) else {}
    detail, code = body.get("detail"), str(body.get("type", f"http_{answer.status}"))
    if isinstance(detail, list):
        return InvalidRequest(answer.status, "invalid_request", "; ".join(map(_flaw, detail)))
    kind = _KINDS.get(code, _BY_STATUS.get(answer.status, Refused))
    return kind(answer.status, code, str(detail) if detail else _words_of_a_proxy(answer, url))


def _flaw(flaw: Any) -> str:
    if not isinstance(flaw, Mapping):
        return str(flaw)
    place = flaw.get("loc") or ()
    parts = place if isinstance(place, Sequence) and not isinstance(place, str) else [place]
    return f"{'.'.join(map(str, parts))}: {flaw.get('msg', '')}"


def _words_of_a_proxy(answer: Answer, url: str) -> str:
    wait = f" It asks to wait {answer.retry_after_s:g} s." if answer.retry_after_s else ""
    return (
        f"{url} answered {_status(answer)} with {answer.kind or 'no JSON'}, not in the words of CompanyOS, so perhaps "
        f"by a proxy in front of it: {_excerpt(answer)}.{wait}"
    )


def _status(answer: Answer) -> str:
    known = HTTPStatus(answer.status).phrase if answer.status in HTTPStatus._value2member_map_ else ""
    return f"{answer.status} {known}".strip()


def _excerpt(answer: Answer) -> str:
    """Return the beginning of a body as one line, a page without its markup."""
    text = answer.body if isinstance(answer.body, str) else repr(answer.body)
    line = " ".join(_MARKUP.sub(" ", text).split())
    return repr(line[:SHOWN]) if line else "an empty body"


_KINDS: Mapping[str, type[Refused]] = {
    "no_episode": NoEpisode,
    "episode_unknown": NoEpisode,
    "episode_replaced": NoEpisode,
    "episode_done": EpisodeOver,
    "episode_expired": EpisodeOver,
    "trainer_token_required": TokenRefused,
    "agent_token_refused": TokenRefused,
    "step_out_of_order": StepsLost,
}
_BY_STATUS: Mapping[int, type[Refused]] = {
    401: TokenRefused,
    422: InvalidRequest,
    429: Unavailable,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}
