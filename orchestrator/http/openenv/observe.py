"""OpenEnv's observer surface (RFC 009): a WebSocket that sends the steps of an episode and carries out nothing."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, WebSocket
from pydantic import Field, ValidationError
from starlette.responses import Response
from starlette.websockets import WebSocketDisconnect

from ...episodes.watching import Watching
from ...protocol.problems import Refusal
from ...protocol.records import Episode
from ...protocol.trace import canonical
from ..messages.answers import Invalid, problem, refused
from ..messages.models import Strict

router = APIRouter()

NORMAL_CLOSURE = 1000
TRY_AGAIN_LATER = 1013


class Watched(Strict):
    """Which episode to watch, and from which step on."""

    episode_id: Annotated[str, Field(min_length=1, max_length=255)]
    after: Annotated[int, Field(ge=0)] = 0


@router.websocket("/observe")
async def observe(socket: WebSocket) -> None:
    watching: Watching = socket.app.state.episodes.watching
    try:
        wanted = Watched.model_validate(dict(socket.query_params))
        episode = await watching.begin(wanted.episode_id)
    except ValidationError as error:
        flaws = Invalid.of(error)
        return await _deny(socket, problem(422, "invalid_request", str(flaws), errors=flaws.flaws))
    except Refusal as refusal:
        return await _deny(socket, refused(refusal))
    await socket.accept()
    sending = asyncio.create_task(_send_records(socket, watching, episode, wanted.after))
    leaving = asyncio.create_task(_await_disconnect(socket))
    try:
        await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not leaving.done():
            await socket.close(sending.result())
    finally:
        for task in (sending, leaving):
            task.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)


async def _send_records(socket: WebSocket, watching: Watching, episode: Episode, after: int) -> int:
    """Send the records to the last, and return the code to close with."""
    try:
        async for record in watching.records(episode, after=after):
            await socket.send_text(canonical(record).decode())
    except Refusal:
        return TRY_AGAIN_LATER
    return NORMAL_CLOSURE


async def _await_disconnect(socket: WebSocket) -> None:
    """Return when the client has left; nothing that it says is read."""
    with suppress(WebSocketDisconnect):
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass


async def _deny(socket: WebSocket, refusal: Response) -> None:
    if "websocket.http.response" in socket.scope.get("extensions", {}):
        await socket.send_denial_response(refusal)
    else:
        await socket.close()
