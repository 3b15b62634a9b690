"""Paths below an episode: an encoded slash belongs to the episode's id, a plain one may also end the id.

Trainers name episodes freely. `/episodes/x%2Fgrade` is the episode `x/grade`, and `/episodes/x/grade` is the grade card
of `x`. Servers decode a path before it is routed, so these routes look at the path as it was sent.
"""

from __future__ import annotations

from urllib.parse import unquote

from fastapi.routing import APIRoute
from starlette.routing import Match
from starlette.types import Scope


class EpisodeRoute(APIRoute):
    """A route whose parameters may contain encoded slashes."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match the path as it was sent, and decode the parameters found in it."""
        raw: bytes = scope.get("raw_path") or b""
        if b"%" not in raw:
            return super().matches(scope)
        match, found = super().matches({**scope, "path": _half_decoded(raw.decode("latin-1"))})
        if "path_params" in found:
            found["path_params"] = {
                name: _decode_parameter(value) for name, value in found["path_params"].items()
            }
        return match, found


def _half_decoded(path: str) -> str:
    """Return a path with everything decoded but the slashes and percent signs within its segments."""
    segments = (unquote(each).replace("%", "%25").replace("/", "%2F") for each in path.split("/"))
    return "/".join(segments)


def _decode_parameter(parameter: str) -> str:
    return parameter.replace("%2F", "/").replace("%25", "%")
