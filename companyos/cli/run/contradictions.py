"""Finds conflicting options of `companyos run` before anything starts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from importlib.util import find_spec
from typing import Final

import typer

from companyos.client.pages.chromium import INSTALL_PLAYWRIGHT
from companyos.evaluation.runs import RunRequest
from companyos.evaluation.runs.players.scripted import SCENARIO_SCRIPTS, SCRIPTED
from companyos.evaluation.runs.request import Door

from ..commands.run_options import AgentOptions, EpisodeOptions, ModelOptions, RunOptions
from .options import TOOLSETS

MODELS: Final = ("openai", "anthropic")
ORACLE: Final = "oracle"
#: As many cells as Ray has nodes.
EACH_NODE: Final = "auto"
#: The kinds of agents that take an option, by its name, for each option that not all kinds take.
OWNERS: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys((option.name for option in fields(ModelOptions)), MODELS),
    "model_seed": ("openai",),
    "program": ("command",),
    "target": ("python",),
}


def refuse_options_of_other_agents(options: AgentOptions) -> None:
    """Refuse an option that the chosen kind of agent would ignore.

    Raises:
        typer.BadParameter: There is one.
    """
    given = {**asdict(options.model), "program": options.program, "target": options.target}
    for name, kinds in OWNERS.items():
        if given[name] is not None and options.kind not in kinds:
            message = f"{options.kind!r} does not take it; it is for --agent {' or '.join(kinds)}"
            raise typer.BadParameter(message, param_hint=f"--{name.replace('_', '-')}")


def refuse_named_tools_for_scripts(request: RunRequest) -> None:
    """Refuse tools chosen by name if a script plays, because a script calls whatever its scenario needs.

    Raises:
        typer.BadParameter: The agent is a script, or the oracle plays as well.
    """
    if isinstance(request.tools, str):
        return
    if request.agent.kind in SCENARIO_SCRIPTS:
        script = request.agent.kind
    elif request.oracle:
        script = "--oracle"
    else:
        return
    message = (
        f"{script} plays a script, which needs all tools of its scenario. Choose from: {', '.join(TOOLSETS)}"
    )
    raise typer.BadParameter(message, param_hint="--tools")


def refuse_starts_for_scripts(request: RunRequest) -> None:
    """Refuse a start in the oracle's solution for another script, which begins at the brief.

    Raises:
        typer.BadParameter: The agent is one.
    """
    if request.start and request.agent.kind in SCENARIO_SCRIPTS and request.agent.kind != ORACLE:
        message = (
            f"{request.agent.kind} plays a script from the brief on; choose another --agent, such as {ORACLE}"
        )
        raise typer.BadParameter(message, param_hint="--start")


def refuse_door(request: RunRequest) -> None:
    """Refuse a door that the agent does not take, or that nothing opens here.

    Raises:
        typer.BadParameter: The agent connects by itself, is one of ours and asked to act by pictures, or Playwright
            is not installed.
    """
    message = None
    if request.door is not Door.TOOLS and request.agent.kind == "mcp":
        message = "an mcp agent connects by itself and calls tools"
    elif request.door is Door.SCREENSHOT and request.agent.kind in SCRIPTED:
        message = f"{request.agent.kind} sees no pictures; it plays through pages with --door text"
    elif request.door is Door.SCREENSHOT and find_spec("playwright") is None:
        message = f"pictures of pages need Playwright. Install it with: {INSTALL_PLAYWRIGHT}"
    if message is not None:
        raise typer.BadParameter(message, param_hint="--door")


def refuse_options_beside_snapshots(options: EpisodeOptions) -> None:
    """Refuse an option beside a snapshot that the snapshot decides.

    Raises:
        typer.BadParameter: There is one.
    """
    given = {
        "scenarios": options.named_scenarios,
        "--split": options.split,
        "--chaos": options.chaos,
        "--size": options.size,
        "--start": options.start,
    }
    if options.snapshot is not None and (decided := [name for name, value in given.items() if value]):
        message = f"a snapshot decides {' and '.join(decided)}; leave it out"
        raise typer.BadParameter(message, param_hint="--snapshot")


def refuse_ray(agent: AgentOptions, options: RunOptions, url: str | None) -> None:
    """Refuse Ray workers if Ray is not installed or the workers would have nothing to do, and cells without Ray.

    Raises:
        typer.BadParameter: Ray is not installed, the agent connects by itself, or cells have no place.
    """
    if options.cells is not None:
        _refuse_cells(options, url)
    if not options.ray:
        return
    if agent.kind == "mcp":
        message = "an agent of kind mcp comes by itself, so there is nothing that workers could play"
        raise typer.BadParameter(message, param_hint="--ray")
    if find_spec("ray") is None:
        message = "Ray is not installed. Install it with: pip install 'openenv-companyos[ray]'"
        raise typer.BadParameter(message, param_hint="--ray")


def _refuse_cells(options: RunOptions, url: str | None) -> None:
    if not options.ray:
        raise typer.BadParameter("cells are started on the nodes of Ray: add --ray", param_hint="--cells")
    if url:
        message = "the cells that it starts are played on, so --url would not be: leave one of them out"
        raise typer.BadParameter(message, param_hint="--cells")
    if options.cells != EACH_NODE and not (str(options.cells).isdecimal() and int(str(options.cells))):
        message = f"{options.cells!r} is neither a number above 0 nor {EACH_NODE!r}"
        raise typer.BadParameter(message, param_hint="--cells")
