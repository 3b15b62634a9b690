"""The `view` command: pages that show the episodes of runs and of a running stack."""

import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companyos.embedded.errors import Misuse, StackError

from ..demo import checked_url
from ..output import echo
from . import DEFAULT_RUNS
from .browser import show_in_browser

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from companyos.evaluation.viewer import LiveStack, RunShelf

LOOPBACK: Final = "127.0.0.1"
VIEWER_PORT: Final = 8010


def view(
    runs: Sequence[Path],
    home: Path | None,
    *,
    url: str | None,
    token: str | None,
    port: int | None,
    open_it: bool,
) -> None:
    """Serve the viewer on this machine until it is interrupted.

    Raises:
        typer.BadParameter: `url` is not a URL.
        StackError: There is nothing to show, or the port is taken.
    """
    from companyos.embedded.ports import listen
    from companyos.evaluation.viewer import viewer_app

    shelf, stack = shelf_of(runs), stack_of(home, checked_url(url), token)
    if stack is None and not shelf.runs():
        raise StackError(
            "There is nothing to show: no run was given, and no stack runs. "
            "Write a run with `companyos run`, or name a stack with --url."
        )
    with listen(LOOPBACK, port or VIEWER_PORT, exactly=port is not None) as listener:
        address = f"http://{LOOPBACK}:{listener.getsockname()[1]}/"
        echo(f"viewer: {address}  (Ctrl-C stops it)")
        if open_it:
            show_in_browser(address)
        serve(viewer_app(shelf, stack), listener)


def shelf_of(runs: Sequence[Path]) -> "RunShelf":
    """Return the runs in these folders, by default those below `runs`.

    Raises:
        StackError: One of the folders contains no run.
    """
    from companyos.evaluation.runs import FolderUnusable
    from companyos.evaluation.viewer import RunShelf

    try:
        return RunShelf(runs or [folder for folder in (DEFAULT_RUNS,) if any(folder.glob("*/run.json"))])
    except FolderUnusable as failure:
        raise Misuse(str(failure)) from None


def stack_of(home: Path | None, url: str | None, token: str | None) -> "LiveStack | None":
    """Return the stack at `url`, by default the home's running stack, if there is one."""
    from companyos.embedded.home import Home
    from companyos.evaluation.viewer import LiveStack

    if url:
        return LiveStack(url, token)
    running = Home.at(home).status()
    return LiveStack(running.url, token or running.trainer_token) if running else None


def serve(app: "Starlette", listener: socket.socket) -> None:
    """Serve an application on a listening socket until Ctrl-C."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="none", timeout_graceful_shutdown=2))
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
