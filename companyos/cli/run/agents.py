"""Creates the agent that the options of `companyos run` name."""

import asyncio
import json
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from companyos.evaluation.agents.turn import AsyncAgent
from companyos.evaluation.runs import AgentSpec, EpisodeTask
from companyos.evaluation.runs.players.functions import CodeUnusable, code_source
from companyos.evaluation.runs.players.program import ProgramPlayer
from companyos.evaluation.runs.players.scripted import (
    SCRIPTED,
    AgentSource,
    CannotPlay,
    check_can_play,
    scripted_source,
)
from companyos.evaluation.runs.players.visitor import VisitingPlayer
from companyos.scenario import find

from .contradictions import refuse_options_of_other_agents
from .options import AgentOptions


@dataclass(frozen=True)
class ChosenAgent:
    """An agent: its options, its entry in `run.json`, and the source that makes it for each episode."""

    options: AgentOptions
    spec: AgentSpec
    source: AgentSource

    @property
    def needs_scenarios(self) -> bool:
        """Whether it needs the scenarios' code, so that they have to be installed here."""
        return self.spec.kind in SCRIPTED


def chosen_agent(options: AgentOptions) -> ChosenAgent:
    """Return the agent that the options name.

    Raises:
        typer.BadParameter: There is no such agent, it cannot be created as given, or it does not take an
            option.
    """
    if options.kind not in KINDS:
        told = f"there is no agent {options.kind!r}. Choose from: {', '.join(KINDS)}"
        raise typer.BadParameter(told, param_hint="--agent")
    refuse_options_of_other_agents(options)
    if options.kind in SCRIPTED:
        return ChosenAgent(options, AgentSpec(options.kind, options.kind), scripted_source(options.kind))
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
    return ChosenAgent(options, spec, lambda task: ProgramPlayer(command))


def _visitor(options: AgentOptions) -> ChosenAgent:
    def announce(task: EpisodeTask, url: str, token: str) -> None:
        typer.echo(f"{task.key} {url} {token}", err=options.is_quiet)

    return ChosenAgent(options, AgentSpec("mcp", "mcp"), lambda task: VisitingPlayer(task, announce))


def _code(options: AgentOptions) -> ChosenAgent:
    if not options.target:
        told = "a python agent needs its code, such as --target my_agents:act"
        raise typer.BadParameter(told, param_hint="--target")
    try:
        source = code_source(options.target)
    except CodeUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint="--target") from None
    spec = AgentSpec("python", options.target, {"target": options.target})
    return ChosenAgent(options, spec, source)


def _model(options: AgentOptions) -> ChosenAgent:
    from companyos.evaluation.models import AgentUnusable, model_agent, model_settings

    if not options.model.get("model"):
        told = f"an agent of kind {options.kind} needs the name of a model, such as --model NAME"
        raise typer.BadParameter(told, param_hint="--model")
    given = {**options.model, **_texts_of(options.model)}
    try:
        settings = model_settings(options.kind, given)
        # Report a missing key or library before anything starts.
        asyncio.run(model_agent(settings).close())
    except AgentUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint=f"--agent {options.kind}") from None

    def source(task: EpisodeTask) -> AsyncAgent:
        # Each repetition of an instance samples with its own seed.
        seed = None if settings.seed is None else settings.seed + task.repeat
        return model_agent(settings.model_copy(update={"seed": seed}))

    spec = AgentSpec(options.kind, settings.model, settings.model_dump(mode="json"))
    return ChosenAgent(options, spec, source)


def _texts_of(model: Mapping[str, Any]) -> dict[str, Any]:
    """Parse the settings that are given as text: a prompt or its file, prices, and request fields."""
    prompt = model.get("system_prompt")
    if prompt is not None and prompt.startswith("@"):
        try:
            prompt = Path(prompt[1:]).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as failure:
            raise typer.BadParameter(f"{prompt[1:]}: {failure}", param_hint="--system-prompt") from None
    fields = model.get("extra_body")
    return {
        "system_prompt": prompt,
        "prices": _prices(model.get("prices")),
        "extra_body": None if fields is None else _fields(fields),
    }


def _prices(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    try:
        prompt, completion, *cached = map(float, text.split(","))
    except ValueError:
        told = (
            f"{text!r} does not give prices as PROMPT,COMPLETION or PROMPT,COMPLETION,CACHED, such as 2.5,10"
        )
        raise typer.BadParameter(told, param_hint="--prices") from None
    return {"prompt": prompt, "completion": completion, **({"cached": cached[0]} if cached else {})}


def _fields(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        told = f'{text!r} is no JSON object, such as {{"reasoning_effort": "low"}}'
        raise typer.BadParameter(told, param_hint="--request-fields") from None


_MAKERS: Final[Mapping[str, Callable[[AgentOptions], ChosenAgent]]] = {
    "openai": _model,
    "anthropic": _model,
    "mcp": _visitor,
    "command": _program,
    "python": _code,
}

#: Every kind of agent, by its name on the command line.
KINDS: Final = (*SCRIPTED, *_MAKERS)
