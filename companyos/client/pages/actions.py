"""The actions of a browser of the pages, by BrowserGym's names, and how they fail."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any


class BrowserActionError(ValueError):
    """An action that cannot be carried out on the page; it changed nothing."""


class PageLost(Exception):
    """No page arrived. The action may have been carried out."""


def perform(actions: Mapping[str, Callable[..., Any]], name: str, arguments: Sequence[Any]) -> Any:
    """Call the action of this name, and return what it returns.

    Raises:
        BrowserActionError: There is no such action, or it takes other arguments.
    """
    if name not in actions:
        raise BrowserActionError(f"There is no action {name!r}; there are {', '.join(actions)}.")
    try:
        return actions[name](*arguments)
    except TypeError as error:
        raise BrowserActionError(f"{name}: {error}") from None


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
