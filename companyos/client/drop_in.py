"""What programs written for OpenEnv's clients do with a client, and ours has no other need of."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NoReturn, Self


class DropIn:
    """A client that is ready to use and can be awaited all the same.

    OpenEnv's clients are awaited, or turned into a blocking one by `sync`, once a container runs; AutoEnv runs what
    `from_docker_image` returns as a coroutine. Each of these gives this client itself.
    """

    def sync(self) -> Self:
        """Return this client, which blocks already."""
        return self

    def __await__(self) -> Generator[Any, None, Self]:
        return self
        yield

    def send(self, value: Any) -> NoReturn:
        """End as a coroutine whose result is this client."""
        raise StopIteration(self)

    def throw(self, error: BaseException, *rest: Any) -> NoReturn:
        """Raise `error`, as a coroutine does that catches nothing."""
        raise error
