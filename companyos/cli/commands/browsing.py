"""The command `browser`, which plays episodes by pictures for clients of OpenEnv."""

from typing import Annotated

import typer

from .options import HomeOption, JsonOption, TokenOption, UrlOption


def add_to(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(browser)


def browser(
    *,
    url: UrlOption = None,
    token: TokenOption = None,
    agent_url: Annotated[
        str | None,
        typer.Option(help="Agent API as reached from here. [default: where the stack says it is]"),
    ] = None,
    host: Annotated[str, typer.Option(envvar="COMPANYOS_HOST", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 is any free one.")] = 8090,
    limit: Annotated[int, typer.Option(min=1, max=256, help="Windows that are open at once.")] = 32,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Serve the stack by pictures of its pages: OpenEnv's reset, step and state, whose actions are a browser's."""
    from ..episodes.pictures import run

    run(
        home,
        url=url,
        token=token,
        agent_url=agent_url,
        host=host,
        port=port,
        limit=limit,
        as_json=as_json,
    )
