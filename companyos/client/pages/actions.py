"""The actions of a browser of the pages, by BrowserGym's names, and how they fail."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

import httpx

from ..model_output import clean_text


class BrowserActionError(ValueError):
    """An action that cannot be carried out on the page; it changed nothing."""


class BrowserRestarted(BrowserActionError):
    """The browser ended and was started anew on its page, so that the action may not have been carried out."""


class PageLost(Exception):
    """No page arrived. The action may have been carried out."""


def perform(actions: Mapping[str, Callable[..., Any]], name: str, arguments: Sequence[Any]) -> Any:
    """Call the action of this name with texts that can be sent, and return what it returns.

    Raises:
        BrowserActionError: There is no such action, or it takes other arguments.
    """
    if name not in actions:
        raise BrowserActionError(f"There is no action {name!r}; there are {', '.join(actions)}.")
    try:
        return actions[name](*(clean_text(one) if isinstance(one, str) else one for one in arguments))
    except TypeError as error:
        raise BrowserActionError(f"{name}: {error}") from None


def address_of(url: str, here: str, home: str) -> str:
    """Return an address in full that is given relative to the page `here`, as it will be asked for.

    Raises:
        BrowserActionError: It is none, or none of the pages below `home`.
    """
    try:
        address = str(httpx.URL(urljoin(here, str(url))))
    except (ValueError, httpx.InvalidURL):
        address = ""
    if not address.startswith(home):
        raise BrowserActionError(f"{str(url)[:200]!r} is not a page of the company.")
    return address


def parse_action(action: str) -> tuple[str, list[Any]]:
    """Return the name and the arguments of an action.

    Raises:
        BrowserActionError: It is not written as a call with literal arguments.
    """
    try:
        call = ast.parse(action.strip(), mode="eval").body
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and not call.keywords:
            return call.func.id, [ast.literal_eval(argument) for argument in call.args]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    raise BrowserActionError("Write an action as a call, such as click(3).")
