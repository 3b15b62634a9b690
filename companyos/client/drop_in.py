"""Methods that programs written for OpenEnv's clients expect of a client."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NoReturn, Self


class DropIn:
    """A client that is ready to use, but can also be awaited.

    Programs await an OpenEnv client once its container runs, or call `sync` to get a blocking client; AutoEnv
    runs the result of `from_docker_image` as a coroutine. Each of these yields this client itself.
    """

    def sync(self) -> Self:
        """Return this client, which is already blocking."""
        return self

    def __await__(self) -> Generator[Any, None, Self]:
        return self
        yield

    def send(self, value: Any) -> NoReturn:
        """End as a coroutine whose result is this client."""
        raise StopIteration(self)

    def throw(self, error: BaseException, *rest: Any) -> NoReturn:
        """Raise `error`, as a coroutine that catches nothing does."""
        raise error
