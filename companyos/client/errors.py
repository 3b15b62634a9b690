"""The errors that the client raises. Their messages say what to do and never hold a token."""

from __future__ import annotations


class CompanyosError(Exception):
    """Base class of the client's errors. The message says what to do."""


class ServerUnreachable(CompanyosError):
    """No response arrived, even after retries."""


class CellGone(CompanyosError):
    """One of several stacks does not answer, and its open episodes are lost. The next reset begins in another."""


class UnexpectedAnswer(CompanyosError):
    """The response is not one of CompanyOS: a redirect, a page of a proxy, or another server's."""


class ProxyUnusable(CompanyosError):
    """The environment names a proxy that the client cannot use. The message names the variable."""


class Refused(CompanyosError):
    """The server refused the request.

    Attributes:
        status: The HTTP status.
        code: The stable error code, for example `scenario_unknown`.
    """

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({code})")
        self.status = status
        self.code = code

    def __reduce__(self) -> tuple[type[Refused], tuple[int, str, str]]:
        """Let the error travel between processes, with its three arguments."""
        detail = str(self).removesuffix(f" ({self.code})")
        return type(self), (self.status, self.code, detail)


class TokenRefused(Refused):
    """The server rejected the trainer token."""


class NoEpisode(Refused):
    """There is no episode to step; call `reset` first."""


class EpisodeOver(Refused):
    """The episode is done and accepts no more steps; call `reset`."""


class StepsLost(Refused):
    """Acknowledged steps are lost: the server's database crashed while running without durable commits.

    The episode continues from the state that `state()` returns. Play the lost steps again, or others.
    """

    @classmethod
    def since(cls, answered: int, known: int) -> StepsLost:
        """Return the error about a server that answered so many steps and knows fewer."""
        lost = f"Step {answered} was answered, and the server knows {known} steps: it crashed and lost the others"
        return cls(409, "step_out_of_order", f"{lost}. Play them again, or others.")


class InvalidRequest(Refused):
    """The request is invalid. Nothing happened."""


class Unavailable(Refused):
    """The server is temporarily unavailable. Retry the same call; a step is never played twice."""
