"""What OpenEnv's `UVProvider` runs as `uvicorn server.app:app`: the whole stack, at the address that uvicorn was given.

A stack is several programs with a supervisor, so the process of uvicorn becomes that supervisor when uvicorn starts the
application, before it listens. `uv run --project` installs the checkout as editable, which finds this module.
"""

import argparse
import os
import sys
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from uvicorn.main import main as uvicorn_command

from companyos.cli.stack import TOKENS, run_in_foreground
from companyos.embedded.errors import StackError
from companyos.embedded.home import Home
from companyos.sdk import stackpath

LOOPBACK: Final = "127.0.0.1"
EVERY_ADDRESS: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared, not bound
OPENING: Final = ("COMPANYOS_OPEN_ACCESS", *TOKENS)

Message = MutableMapping[str, Any]


async def app(
    scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
) -> None:
    """Replace the process with the stack as soon as uvicorn starts the application."""
    command = stack_command(sys.argv[1:])
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted


def stack_command(arguments: Sequence[str]) -> list[str]:
    """Return the command that runs the stack where uvicorn, given these arguments, would listen."""
    asked = uvicorn_command.make_context("uvicorn", list(arguments)).params
    # `-P`: no file in the working directory replaces a module.
    program = [sys.executable, "-P", str(Path(__file__).resolve())]
    return [*program, "--host", asked["host"], "--port", str(asked["port"])]


def address(host: str) -> str:
    """Return where to listen: providers name every address of the machine, which without a token is too many."""
    is_protected = any(os.environ.get(name) for name in OPENING)
    return LOOPBACK if host in EVERY_ADDRESS and not is_protected else host


def main() -> None:
    """Run the stack until it is asked to stop; then its data is removed, unless COMPANYOS_HOME names a folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--host", default=LOOPBACK, help="address of the trainer API")
    parser.add_argument("--port", default=8000, type=int, help="port of the trainer API")
    asked = parser.parse_args()
    os.environ["COMPANYOS_HOST"] = address(asked.host)
    stackpath.enter()
    with TemporaryDirectory(prefix="companyos-") as folder:
        home = Home.at(Path(os.environ.get("COMPANYOS_HOME") or folder))
        try:
            run_in_foreground(home, port=asked.port, spawn=False, replicas=1)
        except StackError as failure:
            sys.exit(f"companyos: {failure}")


if __name__ == "__main__":
    main()
