"""Serve an environment that echoes a message, written like OpenEnv's own, and print the port.

Usage: `echo.py message SESSIONS` echoes like the template of `openenv init`; in `echo.py tool SESSIONS` the
echo is an MCP tool. Neither does any work, so their time is the cost of OpenEnv's protocol.
"""

import socket
import sys
from uuid import uuid4

import uvicorn
from fastmcp import FastMCP
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import Action, Observation, State


class EchoAction(Action):
    message: str


class EchoObservation(Observation):
    echoed_message: str = ""
    message_length: int = 0


class MessageEcho(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = State(episode_id=str(uuid4()), step_count=0)

    def reset(self, seed=None, episode_id=None, **kwargs):
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return EchoObservation(echoed_message="Ready.", done=False, reward=0.0)

    def step(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        length = len(action.message)
        return EchoObservation(
            echoed_message=action.message, message_length=length, done=False, reward=min(length * 0.1, 1.0)
        )

    @property
    def state(self):
        return self._state


class ToolEcho(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        server = FastMCP("echo")

        @server.tool
        def echo_message(message: str) -> str:
            """Return the message."""
            return message

        super().__init__(server)
        self._state = State(episode_id=str(uuid4()), step_count=0)

    def reset(self, seed=None, episode_id=None, **kwargs):
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        return Observation(done=False, reward=0.0)

    def step(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        return super().step(action, timeout_s=timeout_s, **kwargs)

    async def step_async(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        return await super().step_async(action, timeout_s=timeout_s, **kwargs)

    def _step_impl(self, action, timeout_s=None, **kwargs):
        raise NotImplementedError("an echo has no other actions")

    @property
    def state(self):
        return self._state


KINDS = {
    "message": (MessageEcho, EchoAction, EchoObservation),
    "tool": (ToolEcho, CallToolAction, CallToolObservation),
}

if __name__ == "__main__":
    kind, sessions = sys.argv[1], int(sys.argv[2])
    app = create_app(*KINDS[kind], env_name="echo", max_concurrent_envs=sessions)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    # A measuring client reads only after it has sent something, so a ping would find it away.
    uvicorn.Server(uvicorn.Config(app, log_level="warning", ws_ping_interval=None)).run(sockets=[listener])
