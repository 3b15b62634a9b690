"""The failures of calls, under Ray's names."""


class RayError(Exception):
    """Ray could not carry out a call."""


class WorkerCrashedError(RayError):
    """The worker died."""


class RayTaskError(RayError):
    """The function raised `cause`."""

    def __init__(self, function_name: str, traceback_str: str, cause: Exception) -> None:
        super().__init__(function_name, traceback_str, cause)
        self.cause = cause

    def __str__(self) -> str:
        return str(self.args[1])
