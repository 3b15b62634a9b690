"""The commands and their options; what a command does is imported when it is called, so that help is quick."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from companyos import stackpath

HomeOption = Annotated[
    Path | None, typer.Option(help="Folder of the stack: its data and logs. [default: ~/.companyos]")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]

app = typer.Typer(
    name="companyos",
    help="A company for agents to work in: three real services, one orchestrator, exact reproducibility.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


chaos_app = typer.Typer(help="Show what can go wrong in episodes, and what would.", no_args_is_help=True)
app.add_typer(chaos_app, name="chaos")


@app.command()
def up(
    *,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Return when it is ready.")] = False,
    port: Annotated[
        int | None,
        typer.Option(envvar="COMPANYOS_PORT", help="Port of the trainer door. [default: 8000 or free]"),
    ] = None,
    home: HomeOption = None,
    replicas: Annotated[
        int | None,
        typer.Option(
            envvar="COMPANYOS_REPLICAS",
            min=1,
            max=16,
            help="Processes of each service and orchestrator. [default: 1]",
        ),
    ] = None,
    spawn: Annotated[bool, typer.Option("--spawn", help="One program a process, no forks.")] = False,
) -> None:
    """Start the whole stack on this machine, no Docker needed."""
    from .stack import up as start

    start(home, port=port, spawn=spawn, detach=detach, replicas=replicas)


@app.command()
def down(
    *,
    force: Annotated[bool, typer.Option("--force", help="Kill whatever is left of it.")] = False,
    home: HomeOption = None,
) -> None:
    """Stop the stack; its data stays."""
    from .stack import down as stop

    stop(home, force=force)


@app.command()
def status(*, as_json: JsonOption = False, home: HomeOption = None) -> None:
    """Show what runs and where; exit code 1 when nothing does."""
    from .stack import show_status

    show_status(home, as_json=as_json)


@app.command()
def logs(
    name: Annotated[str | None, typer.Argument(help="One process; all of them by default.")] = None,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what is written.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="How many lines of the past.")] = 20,
    home: HomeOption = None,
) -> None:
    """Show the logs."""
    from .logs import show

    show(home, name, lines=lines, follow=follow)


@app.command()
def doctor(*, as_json: JsonOption = False, home: HomeOption = None) -> None:
    """Check what the stack needs of this machine, and say how to fix what is missing."""
    from .doctor import run

    run(home, as_json=as_json)


@app.command()
def demo(
    *,
    url: Annotated[str | None, typer.Option(help="Play against this stack instead of our own.")] = None,
    token: Annotated[str | None, typer.Option(envvar="COMPANYOS_TRAINER_TOKEN", help="Its token.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="First seed.")] = 0,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes per scenario and agent.")] = 2,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Watch a random agent and an oracle play every scenario, and a bad day told step by step."""
    from .demo import run

    run(home, url=url, token=token, seeds=range(seed, seed + episodes), as_json=as_json)


@app.command()
def serve(
    name: Annotated[str, typer.Argument(help="A service, or `orchestrator`.")],
    *,
    fd: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run one process of the stack, with settings from COMPANYOS_*."""
    from .process import serve as run

    run(name, fd=fd)


@app.command()
def migrate() -> None:
    """Create or update roles, schemas and tables in COMPANYOS_ADMIN_DATABASE_URL."""
    from .process import migrate as run

    run()


@app.command()
def certify(
    scenarios: Annotated[list[str] | None, typer.Argument(help="Names; all scenarios by default.")] = None,
    *,
    url: Annotated[str | None, typer.Option(help="Certify on this stack instead of our own.")] = None,
    token: Annotated[str | None, typer.Option(envvar="COMPANYOS_TRAINER_TOKEN", help="Its token.")] = None,
    seeds: Annotated[
        str, typer.Option(help="Seeds per scenario, or the first and last one, as 0-99; pairs are twins.")
    ] = "20",
    levels: Annotated[str, typer.Option(help="Chaos levels, as 3 or 0-5.")] = "0-1",
    landed: Annotated[
        int, typer.Option(min=0, help="How often every fault of the levels has to land to be evidence.")
    ] = 0,
    agents: Annotated[
        list[str] | None, typer.Option("--agent", help="Only this agent, and others named so.")
    ] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=2, help="How many of the seeds agents other than the oracle play at most."),
    ] = None,
    journal: Annotated[
        Path | None,
        typer.Option(
            help="Write every play there, and do not play again what is there: to go on after a stop."
        ),
    ] = None,
    cards: Annotated[
        bool, typer.Option("--cards", help="Write the figures into the scenarios' cards.")
    ] = False,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Prove of every scenario that it can be solved, and not by accident."""
    from .certify import run

    run(
        home,
        url=url,
        token=token,
        seeds=seeds,
        levels=levels,
        scenarios=scenarios or [],
        landed=landed,
        agents=agents or [],
        sample=sample,
        journal=journal,
        cards=cards,
        as_json=as_json,
    )


@chaos_app.command("list")
def chaos_list(*, as_json: JsonOption = False) -> None:
    """List every fault with its parameters, and the presets."""
    from .chaos import show_list

    show_list(as_json=as_json)


@chaos_app.command("explain")
def chaos_explain(
    profile: Annotated[str, typer.Argument(help="A level, a name, a profile as JSON, or @file.")],
    *,
    scenario: Annotated[str, typer.Option(help="Name of the scenario.")] = "vendor_onboarding",
    seed: Annotated[int, typer.Option(min=0, help="Which instance.")] = 0,
    size: Annotated[str, typer.Option(hidden=True)] = "default",
    as_json: JsonOption = False,
) -> None:
    """Tell what would go wrong in one episode; COMPANYOS_SALT as where it is to be played."""
    from .chaos import explain

    explain(profile, scenario=scenario, seed=seed, size=size, as_json=as_json)


def main() -> None:
    """Run the command line; exit codes are 0 (done), 1 (failed, the message says what to do) and 2 (misused)."""
    from companyos.embedded.errors import StackError

    if sys.platform == "win32":
        sys.exit(
            "companyos: There is no Valkey for Windows. Use WSL2 or Docker; the client works everywhere."
        )
    stackpath.enter()
    try:
        app()
    except StackError as failure:
        typer.secho(f"companyos: {failure}", err=True, fg=typer.colors.RED)
        sys.exit(1)
