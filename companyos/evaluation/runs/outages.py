"""How a run outlasts an outage: requests wait until the server answers again, and episodes go on where they were."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from companyos.client import CompanyosError, ServerUnreachable, Unavailable

from .stops import ServerGone

T = TypeVar("T")
Say = Callable[[str], None]

#: Longest time a run waits for a server that is away, in seconds.
LONGEST_S: Final = 300.0
#: Time after which a request that a healthy server keeps putting off fails its episode, in seconds.
PUT_OFF_S: Final = 60.0
#: Time after which a wait is announced, in seconds: a busy server is no outage.
QUIET_S: Final = 3.0
#: The first pause between two attempts and the longest, in seconds; each is twice the one before.
PAUSES_S: Final = (0.25, 15.0)


class Outages:
    """Repeats the requests of a run's episodes while their server is busy or away.

    Args:
        is_ready: Tells whether the server is ready.
        longest_s: Longest time to wait for the server, in seconds.
        put_off_s: Longest time to repeat a request that a ready server puts off, in seconds.
        say: Told when the run begins to wait, and when it goes on.
    """

    def __init__(
        self,
        is_ready: Callable[[], Awaitable[bool]],
        *,
        longest_s: float = LONGEST_S,
        put_off_s: float = PUT_OFF_S,
        say: Say = lambda text: None,
    ) -> None:
        self._is_ready = is_ready
        self._longest_s = longest_s
        self._put_off_s = put_off_s
        self._say = say
        self._said_at: float | None = None

    async def outlast(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what `ask` returns, asked again for as long as the server is away. A step is played once.

        Raises:
            Unavailable: The server is ready, and keeps putting off this request.
            ServerGone: The server stayed away.
            CompanyosError: The server refuses the request.
        """
        began, pause_s = time.monotonic(), PAUSES_S[0]
        while True:
            try:
                answer = await ask()
            except (ServerUnreachable, Unavailable) as failure:
                await self._check_patience(failure, began)
            else:
                self._end()
                return answer
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, PAUSES_S[1])

    async def _check_patience(self, failure: CompanyosError, began: float) -> None:
        waited_s = time.monotonic() - began
        if isinstance(failure, Unavailable) and waited_s > self._put_off_s and await self._is_ready():
            raise failure
        if waited_s > self._longest_s:
            raise ServerGone(f"The server has been away for {waited_s:.0f} s: {failure}") from failure
        if waited_s > QUIET_S and self._said_at is None:
            self._said_at = began
            minutes = f"{self._longest_s / 60:.0f} min"
            self._say(f"The server is away, and the run waits for it, for at most {minutes}: {failure}")

    def _end(self) -> None:
        if self._said_at is not None:
            self._say(f"The server answers again, after {time.monotonic() - self._said_at:.0f} s.")
            self._said_at = None
