"""Pydantic's findings about a request, about the fields as they were sent, and without the names of Python's types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

#: Messages in place of those that name types of Python or classes of ours.
_MESSAGES: Mapping[str, str] = {
    "dict_type": "Input should be an object",
    "extra_forbidden": "There is no such field",
    "list_type": "Input should be a list",
    "model_type": "Input should be an object",
    "tuple_type": "Input should be a list",
}
_SHOULD_BE = "Input should be "
#: Pydantic's messages that are sentences of their own, in the form that follows "Input should be".
_FORMS = (
    (re.compile(r"String should match pattern '(.*)'"), r"a text that matches \1"),
    (re.compile(r"(?:List|Tuple) should have (at (?:least|most) \d+ items?).*"), r"a list of \1"),
)
#: Bounds that a number breaks: that a text was possible too is then beside the point.
_BOUNDS = frozenset({"greater_than_equal", "less_than_equal"})


def sent_place(error: Mapping[str, Any], body: Any) -> tuple[str | int, ...]:
    """Return where in a request the value is that a route refuses, without the names of forms that Pydantic tried.

    Args:
        error: From `RequestValidationError.errors`.
        body: The body of the request.
    """
    kind, *places = error["loc"]
    if kind != "body":
        return tuple(places)
    found: list[str | int] = []
    for place in places:
        is_there = (
            place in body if isinstance(body, dict) else isinstance(body, list) and isinstance(place, int)
        )
        if is_there:
            found.append(place)
            body = body[place]
        elif error["type"] == "missing" and place == places[-1]:
            found.append(place)
    return tuple(found)


def readable(errors: Iterable[Any], *, names: int | None = None) -> list[dict[str, Any]]:
    """Return Pydantic's errors, with one entry for a value that matches none of several forms.

    Args:
        errors: From `ValidationError.errors`.
        names: How many names lead to a field: 1 in a body, 2 in parameters, which begin with their kind. A later name
            in `loc` is one of Pydantic's, for the form that it tried. None if each `loc` is a `sent_place`.
    """
    found = [_locate_error(error, names) for error in errors]
    return [one for _, group in groupby(found, key=lambda one: one[0]) for one in _merge_errors(list(group))]


def _locate_error(
    error: Mapping[str, Any], names: int | None
) -> tuple[tuple[str | int, ...], dict[str, Any]]:
    """Return where the value with several forms is, or else the value itself, and the error at its own place."""
    loc = error["loc"]
    named = [place for place, part in enumerate(loc) if isinstance(part, str)]
    value = loc if names is None or len(named) <= names else loc[: named[names]]
    rest = [part for part in loc[len(value) :] if isinstance(part, int)]
    message = _MESSAGES.get(error["type"], error["msg"].replace(" after validation", ""))
    return value, {**error, "loc": (*value, *rest), "msg": message}


def _merge_errors(found: Sequence[tuple[tuple[str | int, ...], dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the errors of the form that fits best, or one error that names every form."""
    errors = [error for _, error in found]
    deepest = max(len(error["loc"]) for error in errors)
    inside = [error for error in errors if len(error["loc"]) == deepest]
    if len(errors) == 1 or len(inside) < len(errors):
        return inside
    if any(error["type"] in _BOUNDS for error in errors):
        errors = [error for error in errors if error["type"] != "string_type"]
    forms = ", or ".join(dict.fromkeys(map(_form, errors)))
    return [{**errors[0], "msg": f"{_SHOULD_BE}{forms}"}]


def _form(error: Mapping[str, Any]) -> str:
    message = str(error["msg"]).removeprefix(_SHOULD_BE)
    for sentence, form in _FORMS:
        message = sentence.sub(form, message)
    return message
