"""The commands and their options. Each command imports its implementation when called, so help stays fast."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from companyos.embedded.programs.standard_streams import forget_output, open_standard_streams
from companyos.sdk import stackpath
from companyos.version import __version__

from .commands import attacking, browsing, container, episodes, playing, ranking, showing, training
from .commands.certify_options import CertifyOptions
from .commands.numbers import PlainNumbers
from .commands.option_groups import with_option_groups
from .commands.options import HomeOption, JsonOption, TokenOption, UrlOption
from .summaries import WholeSummaries

app = PlainNumbers(
    name="companyos",
    cls=WholeSummaries,
    help="A simulated company for agents: three real services, one orchestrator, exactly reproducible episodes.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


chaos_app = PlainNumbers(
    cls=WholeSummaries, help="List faults, and show which ones an episode injects.", no_args_is_help=True
)
app.add_typer(chaos_app, name="chaos")
scenario_app = PlainNumbers(help="Create, check and list scenarios.", no_args_is_help=True)
app.add_typer(scenario_app, name="scenario")


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        typer.echo(f"companyos {__version__}")
        raise typer.Exit


@app.callback()
def companyos(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """A simulated company for agents: three real services, one orchestrator, exactly reproducible episodes."""


@app.command()
def up(
    *,
    detach: Annotated[bool, typer.Option("--detach", "-d", help="Return once the stack is ready.")] = False,
    port: Annotated[
        int | None,
        typer.Option(
            envvar="COMPANYOS_PORT",
            min=0,
            max=65535,
            help="Port of the trainer API; 0 is any free one. [default: 8000, or a free one if that is taken]",
        ),
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
    token: Annotated[
        bool,
        typer.Option("--token", help="Require a generated trainer token, kept in the home for its owner."),
    ] = False,
    spawn: Annotated[
        bool, typer.Option("--spawn", help="Start each process as a program instead of forking.")
    ] = False,
) -> None:
    """Start the whole stack on this machine, without Docker."""
    from .stack import up as start

    start(home, port=port, spawn=spawn, detach=detach, replicas=replicas, token=token)


@app.command()
def down(
    *,
    force: Annotated[bool, typer.Option("--force", help="Kill processes that do not stop.")] = False,
    home: HomeOption = None,
) -> None:
    """Stop the stack and keep its data."""
    from .stack import down as stop

    stop(home, force=force)


@app.command()
def drain(
    *,
    seconds: Annotated[float, typer.Option(min=1, help="Longest time to take no resets.")] = 600.0,
    wait: Annotated[
        bool, typer.Option("--wait", help="Return once no episode is open; exit with 1 if some are left.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Take resets again.")] = False,
    url: UrlOption = None,
    token: TokenOption = None,
    home: HomeOption = None,
) -> None:
    """Let the stack finish its open episodes and take no resets, before it is stopped or updated."""
    from .stack import drain as drain_stack

    drain_stack(home, url=url, token=token, seconds=seconds, wait=wait, undo=undo)


@app.command()
def router(
    cells: Annotated[list[str], typer.Argument(metavar="NAME=URL…", help="The trainer API of each cell.")],
    *,
    agents: Annotated[
        list[str] | None, typer.Option(help="Route to these agent APIs instead, each as NAME=URL.")
    ] = None,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    resolve: Annotated[
        bool, typer.Option("--resolve", help="Follow the DNS; cells may be missing, host names are complete.")
    ] = False,
    certificate: Annotated[
        str | None, typer.Option(metavar="FILE", help="Certificate and key, with which clients use TLS.")
    ] = None,
) -> None:
    """Print a configuration of HAProxy, which routes to cells by name for clients that know one address."""
    from .stack import print_router

    print_router(cells, agents=agents or (), port=port, resolves=resolve, certificate=certificate)


@app.command()
def capacity(
    *,
    rollouts: Annotated[int, typer.Option(min=1, help="Episodes that are open at once.")],
    period: Annotated[float, typer.Option(min=0.01, help="Seconds from one step of an episode to the next.")],
    as_json: JsonOption = False,
) -> None:
    """Compute how many stacks a training needs, from measured costs of a step."""
    from .stack import show_capacity

    show_capacity(rollouts, period, as_json=as_json)


@app.command()
def status(*, as_json: JsonOption = False, home: HomeOption = None) -> None:
    """Show which processes run and where; exit with 1 unless all of them do."""
    from .stack import show_status

    show_status(home, as_json=as_json)


@app.command()
def logs(
    name: Annotated[str | None, typer.Argument(help="Name of a process. [default: all]")] = None,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="Number of past lines to print.")] = 20,
    home: HomeOption = None,
) -> None:
    """Show the logs."""
    from .logs import show

    show(home, name, lines=lines, follow=follow)


@app.command()
def doctor(*, as_json: JsonOption = False, home: HomeOption = None) -> None:
    """Check this machine's prerequisites and print a fix for each missing one."""
    from .doctor import run

    run(home, as_json=as_json)


@app.command()
def serve(
    name: Annotated[str, typer.Argument(help="A service, or `orchestrator`.")],
    *,
    fd: Annotated[int | None, typer.Option(hidden=True)] = None,
    agent_fd: Annotated[int | None, typer.Option(hidden=True)] = None,
    own_fd: Annotated[int | None, typer.Option(hidden=True)] = None,
) -> None:
    """Run one process of the stack, configured by COMPANYOS_* variables."""
    from .process import serve as run

    run(name, fd=fd, agent_fd=agent_fd, own_fd=own_fd)


@app.command()
def migrate() -> None:
    """Create or update the roles, schemas and tables of COMPANYOS_ADMIN_DATABASE_URL."""
    from .process import migrate as run

    run()


@app.command()
@with_option_groups
def certify(
    *,
    url: UrlOption = None,
    token: TokenOption = None,
    options: CertifyOptions,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Prove that every scenario can be solved, and not by accident."""
    from .certify import run

    run(home, url=url, token=token, options=options, as_json=as_json)


@app.command()
def verify(
    file: Annotated[
        str, typer.Argument(help="A trace, as returned by GET /episodes/{id}/trace; - reads stdin.")
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Check by its hashes that a trace is unaltered; needs no running stack."""
    from .audit import verify as run

    run(file, as_json=as_json)


@app.command()
def regrade(
    file: Annotated[
        str, typer.Argument(help="A trace, as returned by GET /episodes/{id}/trace; - reads stdin.")
    ],
    *,
    as_json: JsonOption = False,
) -> None:
    """Recompute the ledger, rewards and success of a trace; set COMPANYOS_SALT as when it was played."""
    from .audit import regrade as run

    run(file, as_json=as_json)


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
    """Show what goes wrong in one episode; set COMPANYOS_SALT as when it is played."""
    from .chaos import explain

    explain(profile, scenario=scenario, seed=seed, size=size, as_json=as_json)


@scenario_app.command("list")
def scenario_list(*, as_json: JsonOption = False) -> None:
    """List every scenario and its location; COMPANYOS_SCENARIOS adds folders."""
    from .scenario import show_list

    show_list(as_json=as_json)


@scenario_app.command("new")
def scenario_new(
    name: Annotated[str, typer.Argument(help="Name of the scenario, such as `invoice_dispute`.")],
    *,
    into: Annotated[Path, typer.Option(help="Folder in which the scenario's folder is created.")] = Path(),
    shape: Annotated[str, typer.Option(help="plain, or approval (the approval task template).")] = "plain",
) -> None:
    """Create the folder of a new, working scenario to edit."""
    from .scenario import new

    new(name, into=into, shape=shape)


@scenario_app.command("check")
def scenario_check(
    target: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A scenario's name, or its folder.")],
    *,
    seeds: Annotated[int, typer.Option(min=2, help="Seeds generated at each level.")] = 200,
    pairs: Annotated[
        int, typer.Option(min=0, help="Counterfactual pairs played at each level; 0 plays none.")
    ] = 2,
    levels: Annotated[str, typer.Option(help="Chaos levels, such as 3 or 0-5.")] = "0-5",
    url: Annotated[str | None, typer.Option(help="Play on this stack instead of starting one.")] = None,
    token: Annotated[str | None, typer.Option(envvar="COMPANYOS_TRAINER_TOKEN", help="Its token.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Check every claim the suite makes about a scenario and explain failures; exit with 1 if any fails."""
    from .commands.numbers import span
    from .scenario import Extent, check

    first_to_last = span(levels if "-" in levels else f"{levels}-{levels}", "--levels", most=5)
    check(target, Extent(first_to_last, seeds, pairs), url=url, token=token, as_json=as_json)


attacking.add_to(app)
browsing.add_to(app)
container.add_to(app)
episodes.add_to(app)
playing.add_to(app)
ranking.add_to(app)
showing.add_to(app)
training.add_to(app)


def main() -> None:
    """Run the command line; exit codes are 0 (done), 1 (failed; the message says what to do) and 2 (usage error)."""
    from companyos.embedded.errors import StackError, unusable_place
    from companyos.sdk.scenario_sources import ScenariosUnusable

    if sys.platform == "win32":
        sys.exit(
            "companyos: There is no Valkey for Windows. Use WSL2 or Docker; the client works everywhere."
        )
    open_standard_streams()
    stackpath.enter()
    try:
        # Shell completion is registered for `companyos`, however the program was started.
        app(prog_name="companyos")
    except (StackError, ScenariosUnusable) as failure:
        from .output import echo

        echo(f"companyos: {failure}", err=True, color=typer.colors.RED)
        sys.exit(failure.exit_code if isinstance(failure, StackError) else 1)
    except OSError as failure:
        if (sentence := unusable_place(failure)) is None:
            raise
        forget_output()
        sys.exit(f"companyos: {sentence}")
