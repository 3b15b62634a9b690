"""The `container` commands: run the whole stack in one container, and prepare its image."""

import os
from pathlib import Path
from typing import Annotated

import typer

from ..summaries import WholeSummaries
from .numbers import PlainNumbers

container_app = PlainNumbers(
    cls=WholeSummaries, help="Run the whole stack in one container.", no_args_is_help=True
)

#: A container listens on all of its addresses; port publishing determines who can reach them.
EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 - meant
OPEN_ACCESS = "COMPANYOS_OPEN_ACCESS"
OPEN = (
    "Everyone who reaches this container's port can use the trainer API, because no token is set."
    " Set COMPANYOS_TRAINER_TOKEN, or publish the port on 127.0.0.1 only."
)


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(container_app, name="container")


@container_app.command()
def run() -> None:
    """Run the whole stack as the main program of a container, open to everyone unless a token is set."""
    from companyos.embedded.home import Home
    from companyos.embedded.programs.init import leave_init_behind
    from companyos.embedded.settings import stack_settings

    from ..stack import TOKENS, run_in_foreground

    os.environ.setdefault("COMPANYOS_HOST", EVERY_ADDRESS)
    if not any(os.environ.get(name) for name in (OPEN_ACCESS, *TOKENS)):
        os.environ[OPEN_ACCESS] = "true"
        typer.echo(OPEN)
    if os.getpid() == 1:
        leave_init_behind()
    settings = stack_settings()
    run_in_foreground(Home.at(None), port=settings.port, spawn=False, replicas=settings.replicas)


@container_app.command()
def prepare(
    folder: Annotated[Path, typer.Argument(help="Folder to create, for COMPANYOS_PREPARED.")],
) -> None:
    """Create, while an image is built, what lets its containers start faster and as any user."""
    from companyos.embedded.preparation import prepare as fill

    fill(folder)
    typer.echo(f"Prepared {folder}.")
