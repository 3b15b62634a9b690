"""Finds conflicting options of `companyos run` before anything starts."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Final

import typer

from companyos.evaluation.runs import RunRequest
from companyos.evaluation.runs.players.scripted import SCENARIO_SCRIPTS

from .options import TOOLSETS, AgentOptions

_MODELS: Final = ("openai", "anthropic")
#: Each option that only some kinds of agents take, with these kinds, by the name of its setting.
OWNERS: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "model": ("--model", _MODELS),
    "base_url": ("--base-url", _MODELS),
    "api_key_variable": ("--key-variable", _MODELS),
    "tool_mode": ("--tool-mode", _MODELS),
    "system_prompt": ("--system-prompt", _MODELS),
    "temperature": ("--temperature", _MODELS),
    "seed": ("--model-seed", ("openai",)),
    "max_tokens": ("--answer-tokens", _MODELS),
    "context_tokens": ("--context-tokens", _MODELS),
    "prices": ("--prices", _MODELS),
    "extra_body": ("--request-fields", _MODELS),
    "program": ("--program", ("command",)),
    "target": ("--target", ("python",)),
}


def refuse_options_of_other_agents(options: AgentOptions) -> None:
    """Refuse an option that the chosen kind of agent would ignore.

    Raises:
        typer.BadParameter: There is one.
    """
    given = {**options.model, "program": options.program, "target": options.target}
    for name, (option, kinds) in OWNERS.items():
        if given.get(name) is not None and options.kind not in kinds:
            told = f"{options.kind!r} does not take it; it is for --agent {' or '.join(kinds)}"
            raise typer.BadParameter(told, param_hint=option)


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
    told = (
        f"{script} plays a script, which needs all tools of its scenario. Choose from: {', '.join(TOOLSETS)}"
    )
    raise typer.BadParameter(told, param_hint="--tools")


def refuse_ray(agent: AgentOptions) -> None:
    """Refuse Ray workers if Ray is not installed or the workers would have nothing to do.

    Raises:
        typer.BadParameter: Ray is not installed, or the agent connects by itself.
    """
    if agent.kind == "mcp":
        told = "an agent of kind mcp comes by itself, so there is nothing that workers could play"
        raise typer.BadParameter(told, param_hint="--ray")
    if find_spec("ray") is None:
        told = "Ray is not installed. Install it with: pip install 'openenv-companyos[ray]'"
        raise typer.BadParameter(told, param_hint="--ray")
