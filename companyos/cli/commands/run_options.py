"""The options of `companyos run` in groups: the agent, the episodes, the budgets, and the run as a whole."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from .options import ConcurrencyOption, ScenariosArgument, SeedsOption


@dataclass(frozen=True)
class ModelOptions:
    """The settings of an `openai` or `anthropic` agent; None for the default."""

    model: Annotated[str | None, typer.Option(help="openai, anthropic: the model's name.")] = None
    base_url: Annotated[
        str | None, typer.Option(help="openai, anthropic: URL of the endpoint. [default: the vendor's]")
    ] = None
    key_variable: Annotated[
        str | None,
        typer.Option(help="Environment variable that holds the endpoint's key. [default: the vendor's]"),
    ] = None
    tool_mode: Annotated[
        str | None, typer.Option(help="native tool calls, or json in the text. [default: native]")
    ] = None
    system_prompt: Annotated[
        str | None, typer.Option(help="What a model is told before the task, or @file.")
    ] = None
    temperature: Annotated[float | None, typer.Option(help="Sampling temperature.")] = None
    model_seed: Annotated[
        int | None, typer.Option(help="openai: seed of sampling, one more for each repetition.")
    ] = None
    answer_tokens: Annotated[int | None, typer.Option(help="Most tokens of one answer.")] = None
    context_tokens: Annotated[
        int | None,
        typer.Option(
            help="Most tokens of a prompt and its answer; the oldest results are left out to stay below."
        ),
    ] = None
    max_wait: Annotated[
        float | None,
        typer.Option(
            help="Most seconds that one answer may wait for an endpoint that limits the rate or is down. [default: 300]"
        ),
    ] = None
    prices: Annotated[
        str | None,
        typer.Option(help="US dollars per million tokens: PROMPT,COMPLETION or PROMPT,COMPLETION,CACHED."),
    ] = None
    request_fields: Annotated[
        str | None, typer.Option(help="Other fields of each request to the endpoint, as a JSON object.")
    ] = None


@dataclass(frozen=True)
class AgentOptions:
    """The agent that plays."""

    kind: Annotated[
        str,
        typer.Option(
            "--agent",
            help="oracle, or the oracle without a skill (believes_claims, looks_once, …); do_nothing, random; openai, "
            "anthropic, mcp, command or python.",
        ),
    ]
    model: ModelOptions = ModelOptions()
    program: Annotated[
        str | None, typer.Option(help="command: the program and its arguments; one process per episode.")
    ] = None
    target: Annotated[str | None, typer.Option(help="python: the agent's code, as module:callable.")] = None


@dataclass(frozen=True)
class TaskOptions:
    """The tasks, and what an agent gets in them."""

    scenarios: ScenariosArgument = None
    scenario_options: Annotated[
        list[str] | None, typer.Option("--scenario", help="Another way to name a scenario.", hidden=True)
    ] = None
    seeds: SeedsOption = "20"
    chaos: Annotated[
        list[str] | None,
        typer.Option(
            help="A level, a range such as 0-3, a preset, a profile as JSON or @file; may be repeated. [default: 1]"
        ),
    ] = None
    guidance: Annotated[
        str, typer.Option(help="What the agent is told beside the brief: none, pointers or full.")
    ] = "none"
    size: Annotated[
        str | None, typer.Option(help="Size of the company: small, default, large, huge or a number of rows.")
    ] = None
    tools: Annotated[
        list[str] | None,
        typer.Option(
            help="scenario, all, or the name of a tool; repeated, exactly these. [default: scenario]"
        ),
    ] = None
    tools_format: Annotated[
        str, typer.Option(help="How the agent's tools are shown: schemas, or signatures of a line each.")
    ] = "schemas"
    observation_format: Annotated[
        str, typer.Option(help="How much of a result its text shows: full, or compact.")
    ] = "full"
    start: Annotated[
        str | None,
        typer.Option(
            help="Start in the oracle's solution: calls=N after its first N calls, calls_left=N before its last N, "
            "or milestone:NAME. [default: at the brief]"
        ),
    ] = None

    @property
    def named_scenarios(self) -> list[str]:
        """The scenarios that were named, in either way; none where all are meant."""
        return [*(self.scenarios or ()), *(self.scenario_options or ())]


@dataclass(frozen=True)
class EpisodeOptions(TaskOptions):
    """The episodes to play."""

    split: Annotated[
        str | None, typer.Option(help="Take scenarios and seeds from this split: train, validation or test.")
    ] = None
    repeats: Annotated[int, typer.Option("--repeats", "-k", min=1, help="Episodes per instance.")] = 1
    door: Annotated[
        str,
        typer.Option(
            help="How the agent acts: tools, or in the pages, which it sees as text or as a screenshot."
        ),
    ] = "tools"
    rewards: Annotated[str, typer.Option(help="seed, potential, progress, sparse or drill.")] = "seed"
    snapshot: Annotated[
        str | None,
        typer.Option(
            help="Start every episode from this snapshot, which decides scenario, seed, chaos and size."
        ),
    ] = None


@dataclass(frozen=True)
class BudgetOptions:
    """The limits of an episode and of the run; None is no limit."""

    steps: Annotated[int | None, typer.Option("--max-steps", min=1, help="Most steps of an episode.")] = None
    steps_over_oracle: Annotated[
        float | None,
        typer.Option(
            "--max-steps-over-oracle",
            min=0.1,
            help="Most steps of an episode, as a multiple of the oracle's longest.",
        ),
    ] = None
    tokens: Annotated[int | None, typer.Option("--max-tokens", min=1, help="Most tokens of an episode.")] = (
        None
    )
    usd: Annotated[
        float | None, typer.Option("--max-usd", min=0, help="Begin no episode after so many US dollars.")
    ] = None
    minutes: Annotated[
        float | None, typer.Option("--max-minutes", min=0, help="Begin no episode after so many minutes.")
    ] = None


@dataclass(frozen=True)
class RunOptions:
    """What to play, at what cost, and where to keep it."""

    episodes: EpisodeOptions = EpisodeOptions()
    concurrency: ConcurrencyOption = 8
    budgets: BudgetOptions = BudgetOptions()
    turn_timeout_s: Annotated[
        float,
        typer.Option("--turn-timeout", min=0.1, help="Most seconds that the agent may take for a turn."),
    ] = 600.0
    oracle: Annotated[
        bool, typer.Option("--oracle", help="Let the oracle play as well, to compare the numbers of steps.")
    ] = False
    out: Annotated[
        Path | None, typer.Option(help="Result folder; a run in it is resumed. [default: one below runs/]")
    ] = None
    retry_errors: Annotated[
        bool,
        typer.Option(
            "--retry-errors",
            help="Also play the episodes again that ended in an agent error, such as a wrong key.",
        ),
    ] = False
    name: Annotated[str | None, typer.Option(help="Name of the run in reports. [default: the agent's]")] = (
        None
    )
    ray: Annotated[
        bool,
        typer.Option("--ray", help="Let workers of Ray play, of the cluster at RAY_ADDRESS if it is set."),
    ] = False
    cells: Annotated[
        str | None,
        typer.Option(
            help="With --ray: play on so many cells, started on Ray's nodes; `auto` is one for each."
        ),
    ] = None
