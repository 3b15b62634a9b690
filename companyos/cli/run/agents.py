"""Creates the agent that the options of `companyos run` name."""

import asyncio
import json
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from companyos.evaluation.agents.turn import AsyncAgent
from companyos.evaluation.runs import AgentSpec, EpisodeTask, FolderUnusable, read_run
from companyos.evaluation.runs.players.functions import CodeUnusable, code_source
from companyos.evaluation.runs.players.program import ProgramPlayer
from companyos.evaluation.runs.players.scripted import (
    SCRIPTED,
    AgentSource,
    scripted_source,
)
from companyos.evaluation.runs.players.visitor import VisitingPlayer

from ..commands.run_options import AgentOptions, ModelOptions
from ..output import echo
from .contradictions import MODELS, refuse_options_of_other_agents

#: Every kind of agent, by its name on the command line.
KINDS: Final = (*SCRIPTED, *MODELS, "mcp", "command", "python")


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


def chosen_agent(
    options: AgentOptions, *, is_quiet: bool = False, recorded_prompt: str | None = None
) -> ChosenAgent:
    """Return the agent that the options name.

    Args:
        options: The options about the agent.
        is_quiet: Whether nothing but the result goes to standard output.
        recorded_prompt: The system prompt of the run that is resumed, for a model that is given none.

    Raises:
        typer.BadParameter: There is no such agent, it cannot be created as given, or it does not take an
            option.
    """
    if options.kind not in KINDS:
        message = f"there is no agent {options.kind!r}. Choose from: {', '.join(KINDS)}"
        raise typer.BadParameter(message, param_hint="--agent")
    refuse_options_of_other_agents(options)
    match options.kind:
        case "openai" | "anthropic":
            return _model(options, recorded_prompt)
        case "mcp":
            return _visitor(options, is_quiet=is_quiet)
        case "command":
            return _program(options)
        case "python":
            return _code(options)
        case script:
            return ChosenAgent(options, AgentSpec(script, script), scripted_source(script))


def prompt_to_resume(options: AgentOptions, out: Path | None) -> str | None:
    """Return the system prompt of the model's run in `out`, and say so where it is not today's default.

    Otherwise a run could not be resumed once the default prompt has changed.
    """
    from companyos.evaluation.models.prompts import SYSTEM_PROMPT

    if out is None or options.kind not in MODELS or options.model.system_prompt is not None:
        return None
    try:
        prompt: str | None = read_run(out).request.agent.settings.get("system_prompt")
    except FolderUnusable:
        return None
    if prompt not in (None, SYSTEM_PROMPT):
        notice = "Continuing with the recorded system prompt, which is not the default of this release."
        echo(notice, err=True)
    return prompt


def _program(options: AgentOptions) -> ChosenAgent:
    try:
        command = shlex.split(options.program or "")
    except ValueError as failure:
        raise typer.BadParameter(f"{options.program}: {failure}", param_hint="--program") from None
    if not command:
        message = 'a command agent needs a program, such as --program "python my_agent.py"'
        raise typer.BadParameter(message, param_hint="--program")
    if shutil.which(command[0]) is None:
        raise typer.BadParameter(f"there is no program {command[0]!r}", param_hint="--program")
    spec = AgentSpec("command", command[-1].rpartition("/")[2], {"program": command})
    return ChosenAgent(options, spec, lambda task: ProgramPlayer(command))


def _visitor(options: AgentOptions, *, is_quiet: bool) -> ChosenAgent:
    def announce(task: EpisodeTask, url: str, token: str) -> None:
        echo(f"{task.key} {url} {token}", err=is_quiet)

    return ChosenAgent(options, AgentSpec("mcp", "mcp"), lambda task: VisitingPlayer(task, announce))


def _code(options: AgentOptions) -> ChosenAgent:
    if not options.target:
        message = "a python agent needs its code, such as --target my_agents:act"
        raise typer.BadParameter(message, param_hint="--target")
    try:
        source = code_source(options.target)
    except CodeUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint="--target") from None
    spec = AgentSpec("python", options.target, {"target": options.target})
    return ChosenAgent(options, spec, source)


def _model(options: AgentOptions, recorded_prompt: str | None) -> ChosenAgent:
    from companyos.evaluation.models import AgentUnusable, WaitNews, model_agent, model_settings, rules_of

    if not options.model.model:
        message = f"an agent of kind {options.kind} needs the name of a model, such as --model NAME"
        raise typer.BadParameter(message, param_hint="--model")
    given = _settings_of(options.model)
    if given["system_prompt"] is None:
        given["system_prompt"] = recorded_prompt
    try:
        settings = model_settings(options.kind, given)
        # Report a missing key or library before anything starts.
        asyncio.run(model_agent(settings).close())
    except AgentUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint=f"--agent {options.kind}") from None

    rules, news = rules_of(settings), WaitNews(_say)

    def source(task: EpisodeTask) -> AsyncAgent:
        # Each repetition of an instance samples with its own seed.
        seed = None if settings.seed is None else settings.seed + task.repeat
        return model_agent(settings.model_copy(update={"seed": seed}), rules, news)

    spec = AgentSpec(options.kind, settings.model, settings.model_dump(mode="json"))
    return ChosenAgent(options, spec, source)


def _say(text: str) -> None:
    echo(text, err=True)


def _settings_of(options: ModelOptions) -> dict[str, Any]:
    """Return the settings of a model by name, with those parsed that are given as text."""
    fields = options.request_fields
    return {
        "model": options.model,
        "base_url": options.base_url,
        "api_key_variable": options.key_variable,
        "tool_mode": options.tool_mode,
        "system_prompt": _prompt(options.system_prompt),
        "temperature": options.temperature,
        "seed": options.model_seed,
        "max_tokens": options.answer_tokens,
        "context_tokens": options.context_tokens,
        "max_wait_s": options.max_wait,
        "prices": _prices(options.prices),
        "extra_body": None if fields is None else _fields(fields),
    }


def _prompt(text: str | None) -> str | None:
    """Return the prompt, read from its file if it is given as @file."""
    if text is None or not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as failure:
        raise typer.BadParameter(f"{text[1:]}: {failure}", param_hint="--system-prompt") from None


def _prices(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    try:
        prompt, completion, *cached = map(float, text.split(","))
    except ValueError:
        message = (
            f"{text!r} does not give prices as PROMPT,COMPLETION or PROMPT,COMPLETION,CACHED, such as 2.5,10"
        )
        raise typer.BadParameter(message, param_hint="--prices") from None
    return {"prompt": prompt, "completion": completion, **({"cached": cached[0]} if cached else {})}


def _fields(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        message = f'{text!r} is no JSON object, such as {{"reasoning_effort": "low"}}'
        raise typer.BadParameter(message, param_hint="--request-fields") from None
