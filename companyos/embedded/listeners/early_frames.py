"""WebSockets whose clients send frames before their handshake is answered, as RFC 6455 does not forbid."""

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


class EarlyFrames(WebSocketsSansIOProtocol):
    """A WebSocket that reads frames only once its handshake is answered.

    uvicorn would answer a ping before the handshake, and refuse the rest. What arrives early is kept, and no more is
    read until then, so a client cannot fill the memory.
    """

    _early = b""

    def data_received(self, data: bytes) -> None:
        """Read a handshake, then nothing before its answer, then frames; behind a refusal nothing."""
        if self.handshake_initiated and not self.handshake_complete:
            self._early += data
            self.transport.pause_reading()
        elif not self.transport.is_closing():
            super().data_received(data)

    async def send(self, message: Any) -> None:
        """Send a message, and behind the answer to a handshake read what came early."""
        await super().send(message)
        if message["type"] == "websocket.accept" and not self.transport.is_closing():
            early, self._early = self._early, b""
            self.transport.resume_reading()
            self.data_received(early)
