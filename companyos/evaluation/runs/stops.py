"""Why a run stops before its end: what was asked for is refused, or the server or the agent is gone."""


class RunStopped(Exception):
    """A run cannot continue. Finished episodes are recorded; the message says why."""


class RunRefused(RunStopped):
    """The server does not accept what the run asks for."""


class ServerGone(RunStopped):
    """The server has not answered for as long as the run waits for it."""


class AgentGone(RunStopped):
    """The agent cannot be asked, so every further episode would fail without a step."""
