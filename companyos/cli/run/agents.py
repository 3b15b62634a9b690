"""The agent that the options of `companyos run` name."""

import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import typer

from companyos.evaluation.runs import AgentSpec
from companyos.evaluation.runs.functions import CodeUnusable, code_source
from companyos.evaluation.runs.players import (
    SCRIPTED,
    AgentSource,
    CannotPlay,
    check_can_play,
    scripted_source,
)
from companyos.evaluation.runs.program import ProgramPlayer
from companyos.scenario import find

from .options import AgentOptions


@dataclass(frozen=True)
class ChosenAgent:
    """An agent: what `run.json` says of it, and what makes it for each episode."""

    spec: AgentSpec
    source: AgentSource

    @property
    def needs_scenarios(self) -> bool:
        """Whether it knows scenarios beforehand, so that they have to be installed here."""
        return self.spec.kind in SCRIPTED


def chosen_agent(options: AgentOptions) -> ChosenAgent:
    """Return the agent that the options name.

    Raises:
        typer.BadParameter: There is no such agent, or it cannot be made as given.
    """
    if options.kind in SCRIPTED:
        return ChosenAgent(AgentSpec(options.kind, options.kind), scripted_source(options.kind))
    if options.kind not in _MAKERS:
        known = ", ".join([*SCRIPTED, *_MAKERS])
        told = f"there is no agent {options.kind!r}. Choose from: {known}"
        raise typer.BadParameter(told, param_hint="--agent")
    return _MAKERS[options.kind](options)


def check_scenarios(agent: ChosenAgent, names: Mapping[str, int]) -> None:
    """Check that the agent can play all of these scenarios.

    Raises:
        typer.BadParameter: It cannot play one of them.
    """
    try:
        for name in names if agent.needs_scenarios else ():
            check_can_play(agent.spec.kind, find(name))
    except CannotPlay as refused:
        raise typer.BadParameter(f"{refused}. Name others with --scenario", param_hint="--agent") from None


def _program(options: AgentOptions) -> ChosenAgent:
    try:
        command = shlex.split(options.program or "")
    except ValueError as failure:
        raise typer.BadParameter(f"{options.program}: {failure}", param_hint="--program") from None
    if not command:
        told = 'a command agent needs a program, such as --program "python my_agent.py"'
        raise typer.BadParameter(told, param_hint="--program")
    if shutil.which(command[0]) is None:
        raise typer.BadParameter(f"there is no program {command[0]!r}", param_hint="--program")
    spec = AgentSpec("command", command[-1].rpartition("/")[2], {"program": command})
    return ChosenAgent(spec, lambda task: ProgramPlayer(command))


def _code(options: AgentOptions) -> ChosenAgent:
    if not options.target:
        told = "a python agent needs its code, such as --target my_agents:act"
        raise typer.BadParameter(told, param_hint="--target")
    try:
        source = code_source(options.target)
    except CodeUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint="--target") from None
    return ChosenAgent(AgentSpec("python", options.target, {"target": options.target}), source)


_MAKERS: Final[Mapping[str, Callable[[AgentOptions], ChosenAgent]]] = {"command": _program, "python": _code}
