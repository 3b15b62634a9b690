"""The transports of a client of several cells: one for each, opened when the first request is for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

from ..server import Server
from ..transport import Answer, AsyncTransport, Lost, Request, Transport

T = TypeVar("T", Transport, AsyncTransport)


class _PerCell(Generic[T]):
    """Transports by cell; the address of `server` is replaced by that of each request."""

    def __init__(self, server: Server, opened: Callable[[Server], T]) -> None:
        self._server = server
        self._open: Callable[[Server], T] = opened
        self._transports: dict[str, T] = {}

    def of(self, request: Request) -> T:
        """Return the transport to the cell of a request."""
        assert request.at is not None
        if request.at not in self._transports:
            self._transports[request.at] = self._open(replace(self._server, url=request.at))
        return self._transports[request.at]

    def forget_episode(self) -> None:
        """Leave the episode open, whatever happens to the transports."""
        for transport in self._transports.values():
            transport.forget_episode()


class CellTransports(_PerCell[Transport]):
    """Sends requests to their cells, blocking."""

    def send(self, request: Request) -> Answer | Lost:
        """Send `request` to its cell and wait for the response."""
        return self.of(request).send(request)

    def close(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            transport.close()


class AsyncCellTransports(_PerCell[AsyncTransport]):
    """Sends requests to their cells on an event loop."""

    async def send(self, request: Request) -> Answer | Lost:
        """Send `request` to its cell and wait for the response."""
        return await self.of(request).send(request)

    def abandon(self) -> None:
        """Let go of all connections."""
        for transport in self._transports.values():
            transport.abandon()

    async def close(self) -> None:
        """Close all connections."""
        for transport in self._transports.values():
            await transport.close()
