"""The chat of a task, without the second browser in which BrowserGym shows it."""

from __future__ import annotations

import time
from typing import Any


class WindowlessChat:
    """The messages of a chat, as BrowserGym's own keeps them, in no window."""

    recording_start_time = None

    def __init__(self, *_: Any, **__: Any) -> None:
        self.messages: list[dict[str, Any]] = []

    def add_message(self, role: str, msg: str) -> None:
        """Keep a message."""
        if role != "info":
            self.messages.append({"role": role, "timestamp": time.time(), "message": msg})

    def wait_for_user_message(self) -> None:
        """Return at once: there is no user."""

    def close(self) -> None:
        """Do nothing."""
