"""The `dataset` command: the oracles' episodes of many tasks as a data set for fine-tuning."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import chain
from math import ceil
from pathlib import Path
from typing import Final

import typer

from companyos.client import CompanyosEnv, CompanyosError
from companyos.embedded.errors import StackError
from companyos.evaluation.runs import FolderUnusable, Run, read_run, refuse_place
from companyos.evaluation.runs.export.card import WHOLE, Card
from companyos.evaluation.runs.export.conversations import successes
from companyos.evaluation.runs.export.dataset import Example, examples, is_replaceable, write_dataset
from companyos.evaluation.runs.export.mistakes import Mistakes
from companyos.evaluation.runs.export.rows import RowsOf, by_call, of_tools, whole
from companyos.evaluation.runs.export.splits import SplitRule
from companyos.evaluation.runs.export.tokens import (
    TokenCounter,
    TokenizerUnusable,
    estimated_tokens,
    tokens_of_tokenizer,
)
from companyos.sdk.scenario import find
from companyos.sdk.splits import Split

from ..commands.dataset_options import DatasetOptions
from ..commands.run_options import AgentOptions, EpisodeOptions, RunOptions, TaskOptions
from ..demo import checked_url, trainer_stack
from ..output import echo, print_columns, print_json
from .command import INTERRUPTED, command_line, failures_told, lacking, play
from .options import local_scenarios, parsed_seeds, parsed_tools

#: How many exchanges a row of `calls` shows unless --last says otherwise.
LAST: Final = 8
ROWS: Final = ("conversations", "calls", "preferences")
_CALL: Final = (
    "A row is a call: `prompt` is the task and at most {last} exchanges right before the call, `completion` is the "
    "call, and `call` its number in the episode."
)
_PREFERENCE: Final = (
    "A row is a call of the oracle, `chosen`, and a mistake in its place, `rejected`, after which the oracle "
    "cannot solve the task: the call of the counterfactual twin where the two first differ, or the last call of the "
    "solution before its time. Each was made in a live episode. `prompt` is the task and at most {last} exchanges "
    "right before the call, and `call` its number in the episode."
)
_OFFERED: Final = "Only {tools} are offered; rows with calls of other tools to learn are left out."
#: The license of the scenarios that come with CompanyOS, as the Hub names it.
_LICENSE: Final = "apache-2.0"


@dataclass(frozen=True)
class Plan:
    """What a data set is to be.

    Attributes:
        scenarios: The names of the families.
        seeds: Whole counterfactual pairs.
        rule: Which episodes each split has.
        rows_of: Makes the rows of an episode; None if rows are preferences, for which mistakes are to be played.
        last: How many exchanges a prompt has.
        tools: The tools that rows offer; empty for all that the oracles were offered.
        card: What the card says.
        tokens: Counts tokens.
    """

    scenarios: Sequence[str]
    seeds: range
    rule: SplitRule
    rows_of: RowsOf | None
    last: int
    tools: Sequence[str]
    card: Card
    tokens: TokenCounter


def dataset(
    home: Path | None, *, url: str | None, token: str | None, options: DatasetOptions, as_json: bool
) -> None:
    """Play what is not yet played, and write the data set.

    Raises:
        typer.BadParameter: An option cannot be used as given.
        StackError: The stack did not start or stopped responding, or the oracles solved nothing.
    """
    plan = plan_of(options)
    echo(f"The oracles play {len(plan.scenarios)} scenarios, {len(plan.seeds)} seeds of each.", err=True)
    played = play(
        home,
        url=url,
        token=token,
        agent=AgentOptions("oracle"),
        options=_run_options(options, plan),
        is_quiet=True,
    )
    if not played.is_whole:
        sys.exit(INTERRUPTED)
    run = read_run(played.folder)
    if message := str(lacking(run, played.request)):
        echo(f"The data set is not written. {message}", err=True)
        sys.exit(1)
    with _row_maker(run, plan, home, url, token) as rows_of:
        _write(run, plan, rows_of, options.out, as_json=as_json)


def plan_of(options: DatasetOptions) -> Plan:
    """Return what the options ask for.

    Raises:
        typer.BadParameter: An option cannot be used as given.
    """
    if not is_replaceable(options.out):
        message = f"{options.out} holds something else than a data set. Choose another --out"
        raise typer.BadParameter(message, param_hint="--out")
    with failures_told():
        refuse_place(options.out)
    seeds = parsed_seeds(options.seeds, Split.TRAIN)
    if seeds[0] % 2 or not seeds[-1] % 2:
        whole_pairs = f"{seeds[0] - seeds[0] % 2}-{seeds[-1] | 1}"
        message = f"seeds 2k and 2k+1 are a pair, and stay together. Give {whole_pairs}"
        raise typer.BadParameter(message, param_hint="--seeds")
    scenarios, held_out = _families(options)
    rule = SplitRule(Fraction(str(options.validation)), frozenset(held_out))
    _refuse_empty_splits(rule, scenarios, seeds)
    rows_of, last, described = _rows(options)
    tools = parsed_tools(options.tools or ["scenario"])
    named = () if isinstance(tools, str) else tools
    if named:
        described = f"{described} {_OFFERED.format(tools=', '.join(f'`{name}`' for name in named))}"
    own = all(type(find(name)).__module__.startswith("scenarios.") for name in scenarios)
    card = Card(command_line(), described, _described(rule), _LICENSE if own else None)
    return Plan(scenarios, seeds, rule, rows_of, last, named, card, _tokens(options.tokenizer))


def _families(options: DatasetOptions) -> tuple[list[str], list[str]]:
    """Return all families to play, and those that are held out."""
    held_out = list(local_scenarios(options.held_out, option="--hold-out")) if options.held_out else []
    named = [name for name in options.named_scenarios if name not in held_out]
    to_learn = [] if options.named_scenarios and not named else list(local_scenarios(named, Split.TRAIN))
    return sorted({*to_learn, *held_out}), held_out


def _refuse_empty_splits(rule: SplitRule, scenarios: Sequence[str], seeds: range) -> None:
    """Refuse a data set without an episode to train on, or without one for validation if it is to have some."""
    if rule.held_out >= set(scenarios):
        raise typer.BadParameter("it leaves no scenario to train on", param_hint="--hold-out")
    found = {rule.split_of(name, seed) for name in scenarios for seed in seeds[::2]}
    if rule.validation and Split.VALIDATION not in found:
        last = seeds[0] + 2 * ceil(1 / rule.validation) - 1
        message = f"these are too few pairs for it. Give --seeds {seeds[0]}-{last} or more, or --validation 0"
        raise typer.BadParameter(message, param_hint="--validation")
    if Split.TRAIN not in found:
        raise typer.BadParameter("it leaves no pair of these seeds to train on", param_hint="--validation")


def _rows(options: DatasetOptions) -> tuple[RowsOf | None, int, str]:
    """Return what makes rows, how many exchanges a prompt has, and a description of the rows."""
    last = options.last or LAST
    if options.rows == "calls":
        return by_call(last), last, _CALL.format(last=last)
    if options.rows == "preferences":
        if options.start:
            message = "preferences are of whole episodes; mistakes are made at every place of them"
            raise typer.BadParameter(message, param_hint="--start")
        return None, last, _PREFERENCE.format(last=last)
    if options.rows != "conversations":
        message = f"there are no {options.rows!r}. Choose from: {', '.join(ROWS)}"
        raise typer.BadParameter(message, param_hint="--rows")
    if options.last is not None:
        message = "conversations are whole; it is for --rows calls and preferences"
        raise typer.BadParameter(message, param_hint="--last")
    return whole, last, WHOLE


@contextmanager
def _row_maker(
    run: Run, plan: Plan, home: Path | None, url: str | None, token: str | None
) -> Iterator[RowsOf]:
    """Yield what makes the rows of an episode; mistakes are played on a stack."""
    if plan.rows_of is not None:
        yield plan.rows_of
        return
    conversations = {one.record.instance: one for one in successes([run])}
    try:
        with (
            trainer_stack(home, checked_url(url), token) as (address, key),
            CompanyosEnv(address, token=key) as env,
        ):
            yield Mistakes(env, run, conversations, plan.last).rows
    except CompanyosError as failure:
        raise StackError(str(failure)) from failure


def _tokens(tokenizer: str | None) -> TokenCounter:
    try:
        return estimated_tokens() if tokenizer is None else tokens_of_tokenizer(tokenizer)
    except TokenizerUnusable as unusable:
        raise typer.BadParameter(str(unusable), param_hint="--tokenizer") from None


def _described(rule: SplitRule) -> dict[Split, str]:
    texts = {
        Split.TRAIN: "the other pairs. Seeds 2k and 2k+1 are a counterfactual pair and always in one split",
        Split.VALIDATION: f"{float(rule.validation):.0%} of the pairs of each scenario that is trained on",
        Split.TEST: f"all of {', '.join(sorted(rule.held_out))}, and nothing else",
    }
    return {split: texts[split] for split in rule.splits()}


def _run_options(options: DatasetOptions, plan: Plan) -> RunOptions:
    """Return the options of the run. Oracles call what they need, so named tools are chosen from all."""
    shared = {option.name: getattr(options, option.name) for option in fields(TaskOptions)}
    if plan.tools:
        shared["tools"] = ["all"]
    seeds = f"{plan.seeds[0]}-{plan.seeds[-1]}"
    episodes = EpisodeOptions(
        **{**shared, "scenarios": list(plan.scenarios), "scenario_options": None, "seeds": seeds}
    )
    return RunOptions(episodes=episodes, concurrency=options.concurrency)


def _examples(run: Run, plan: Plan, rows_of: RowsOf) -> Iterator[Example]:
    """Return what the data set holds.

    Raises:
        typer.BadParameter: There are no such tools, or nothing to learn with them.
    """
    solved = successes([run])
    if not plan.tools:
        return examples(solved, rows_of, plan.rule.split_of)
    known = {tool["function"]["name"] for tool in next(successes([run])).tools}
    if unknown := [name for name in plan.tools if name not in known]:
        raise typer.BadParameter(f"there is no tool {unknown[0]!r}", param_hint="--tools")
    found = examples(solved, of_tools(plan.tools, rows_of), plan.rule.split_of)
    if (first := next(found, None)) is None:
        message = "no row of the oracles has calls of these tools alone. Name more, or choose --rows calls"
        raise typer.BadParameter(message, param_hint="--tools")
    return chain([first], found)


def _write(run: Run, plan: Plan, rows_of: RowsOf, out: Path, *, as_json: bool) -> None:
    solved = sum(record.success for record in run.episodes)
    if not solved:
        raise StackError("The oracles solved no episode, so there is nothing to learn from.")
    if missing := len(run.episodes) - solved:
        echo(f"The oracles did not solve {missing} episodes, which are left out.", err=True)
    found = _examples(run, plan, rows_of)
    try:
        with typer.progressbar(found, length=solved, label="writing", file=sys.stderr) as shown:
            counts = write_dataset(out, shown, plan.card, plan.tokens)
    except FolderUnusable as failure:
        raise StackError(f"{failure}. Play it again: remove {run.path}.") from None
    except OSError as failure:
        raise typer.BadParameter(f"{out} cannot be written: {failure.strerror}", param_hint="--out") from None
    splits = {str(split): one.document() for split, one in counts.items()}
    if as_json:
        print_json({"out": str(out), "run": str(run.path), "unsolved": missing, "splits": splits})
        return
    lines = [(name, *(f"{number:,}" for number in one.values())) for name, one in splits.items()]
    print_columns([("split", "rows", "episodes", "calls", "tokens", "longest"), *lines])
    echo(f"  data set: {out}, episodes: {run.path}")
