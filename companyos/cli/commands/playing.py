"""The commands that play agents and keep the results: `run` and `export`."""

from pathlib import Path
from typing import Annotated

import typer

from .options import HomeOption, JsonOption, TokenOption, UrlOption


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(run)
    app.command()(export)


def run(
    *,
    agent: Annotated[
        str,
        typer.Option(
            help="nothing, random, naive, careful, oracle, openai, anthropic, mcp, command or python."
        ),
    ],
    model: Annotated[str | None, typer.Option(help="openai, anthropic: the model's name.")] = None,
    base_url: Annotated[
        str | None, typer.Option(help="openai, anthropic: URL of the endpoint. [default: the vendor's]")
    ] = None,
    key_variable: Annotated[
        str | None,
        typer.Option(help="Environment variable that holds the endpoint's key. [default: the vendor's]"),
    ] = None,
    tool_mode: Annotated[
        str | None, typer.Option(help="native tool calls, or json in the text. [default: native]")
    ] = None,
    system_prompt: Annotated[
        str | None, typer.Option(help="What a model is told before the task, or @file.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = None,
    model_seed: Annotated[
        int | None, typer.Option(help="openai: seed of sampling, one more for each repetition.")
    ] = None,
    answer_tokens: Annotated[int | None, typer.Option(help="Most tokens of one answer.")] = None,
    context_tokens: Annotated[
        int | None,
        typer.Option(
            help="Most tokens of a prompt and its answer; the oldest results are left out to stay below."
        ),
    ] = None,
    prices: Annotated[
        str | None,
        typer.Option(help="US dollars per million tokens: PROMPT,COMPLETION or PROMPT,COMPLETION,CACHED."),
    ] = None,
    request_fields: Annotated[
        str | None, typer.Option(help="Other fields of each request to the endpoint, as a JSON object.")
    ] = None,
    program: Annotated[
        str | None, typer.Option(help="command: the program and its arguments; one process per episode.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="python: the agent's code, as module:callable.")] = None,
    scenarios: Annotated[
        list[str] | None, typer.Option("--scenario", help="Play only this scenario; may be repeated.")
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="Take scenarios and seeds from this split: train, validation or test.")
    ] = None,
    seeds: Annotated[
        str,
        typer.Option(help="Number of seeds per scenario, or a range such as 0-99; 2k and 2k+1 are a pair."),
    ] = "20",
    chaos: Annotated[
        list[str] | None,
        typer.Option(
            help="A level, a range such as 0-3, a preset, a profile as JSON or @file; may be repeated. [default: 1]"
        ),
    ] = None,
    repeats: Annotated[int, typer.Option("--repeats", "-k", min=1, help="Episodes per instance.")] = 1,
    rewards: Annotated[str, typer.Option(help="seed, potential, progress or sparse.")] = "seed",
    guidance: Annotated[
        str, typer.Option(help="What the agent is told beside the brief: none, pointers or full.")
    ] = "none",
    tools: Annotated[
        list[str] | None,
        typer.Option(help="scenario, all, or the name of a tool; may be repeated. [default: scenario]"),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=1024, help="Episodes in progress at once.")] = 8,
    max_steps: Annotated[int | None, typer.Option(min=1, help="Most steps of an episode.")] = None,
    max_steps_over_oracle: Annotated[
        float | None,
        typer.Option(min=0.1, help="Most steps of an episode, as a multiple of the oracle's longest."),
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Most tokens of an episode.")] = None,
    max_usd: Annotated[
        float | None, typer.Option(min=0, help="Begin no episode after so many US dollars.")
    ] = None,
    max_minutes: Annotated[
        float | None, typer.Option(min=0, help="Begin no episode after so many minutes.")
    ] = None,
    turn_timeout: Annotated[
        float, typer.Option(min=0.1, help="Most seconds that the agent may take for a turn.")
    ] = 600.0,
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Let the oracle play as well, to compare the numbers of steps.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Result folder; a run in it is resumed. [default: one below runs/]")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the run in reports. [default: the agent's]")
    ] = None,
    ray: Annotated[
        bool,
        typer.Option("--ray", help="Let workers of Ray play, of the cluster at RAY_ADDRESS if it is set."),
    ] = False,
    url: UrlOption = None,
    token: TokenOption = None,
    as_json: JsonOption = False,
    home: HomeOption = None,
) -> None:
    """Play an agent over many episodes; the same command resumes an interrupted run."""
    from companyos.evaluation.runs import Budgets

    from ..run.command import run as start
    from ..run.options import AgentOptions, RunOptions

    settings = {
        "model": model,
        "base_url": base_url,
        "api_key_variable": key_variable,
        "tool_mode": tool_mode,
        "system_prompt": system_prompt,
        "temperature": temperature,
        "seed": model_seed,
        "max_tokens": answer_tokens,
        "context_tokens": context_tokens,
        "prices": prices,
        "extra_body": request_fields,
    }
    options = RunOptions(
        scenarios=scenarios or (),
        split=split,
        seeds=seeds,
        chaos=chaos or ("1",),
        repeats=repeats,
        rewards=rewards,
        guidance=guidance,
        tools=tools or ("scenario",),
        concurrency=concurrency,
        budgets=Budgets(max_steps, max_tokens, max_usd, max_minutes, max_steps_over_oracle),
        oracle=oracle,
        turn_timeout_s=turn_timeout,
        out=out,
        name=name,
        ray=ray,
    )
    played = AgentOptions(agent, program=program, target=target, model=settings, is_quiet=as_json)
    start(home, url=url, token=token, agent=played, options=options, as_json=as_json)


def export(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Result folders of `companyos run`.")],
    *,
    form: Annotated[str, typer.Option("--format", help="sft, preferences, openai or hf.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; for hf a folder. [default: standard output]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the successful conversations of runs, without duplicates, for fine-tuning."""
    from ..run.export import export as write

    write(runs, form=form, out=out, as_json=as_json)
