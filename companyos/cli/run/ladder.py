"""The `ladder` command: where episodes can start in an oracle's solution, and an agent's success from there."""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from companyos.client import CompanyosEnv, CompanyosError
from companyos.embedded.errors import StackError
from companyos.evaluation.runs import RunRequest, read_run
from companyos.evaluation.runs.intervals import Estimate
from companyos.evaluation.runs.metrics import summarize
from companyos.training.rungs import DEMOTE, PROMOTE

from ..commands.ladder_options import LadderAgent, LadderOptions
from ..commands.run_options import EpisodeOptions, RunOptions
from ..demo import checked_url
from ..episodes.play import EpisodeChoice, reset_options
from ..output import print_columns, print_json
from .agents import ChosenAgent, chosen_agent
from .command import INTERRUPTED, play_request
from .contradictions import refuse_options_of_other_agents, refuse_starts_for_scripts
from .options import local_scenarios, request_of
from .stack import TrainerAddress, stack_for
from .tables import interval_text, share_text

LONGEST_CALL: Final = 72

#: A place: `calls`, `calls_left`, the oracle's next `call`, the `milestones` that hold.
Rung = dict[str, Any]
Success = Mapping[int, Estimate | None]


def ladder(
    home: Path | None,
    *,
    url: str | None,
    token: str | None,
    agent: LadderAgent,
    options: LadderOptions,
    as_json: bool,
) -> None:
    """List the places of an instance, with an agent's success if one is named.

    Raises:
        typer.BadParameter: An option cannot be used as given.
        StackError: The stack did not start, or refused.
    """
    url = checked_url(url)
    reset = reset_options(EpisodeChoice(options.scenario, options.seed, options.chaos), url)
    refuse_options_of_other_agents(agent)
    measured = _Measured.of(agent, options) if agent.kind else None
    with stack_for(agent.kind, home, url, token) as stack:
        try:
            with CompanyosEnv(stack.url, token=stack.token) as env:
                rungs = list(_rungs(env, reset, options.calls_left))
                seeds = range(options.seed, options.seed + options.episodes if measured else options.seed)
                lengths = {seed: _length(env, {**reset, "seed": seed}) for seed in seeds}
        except CompanyosError as failure:
            raise StackError(str(failure)) from failure
        lefts = [rung["calls_left"] for rung in rungs]
        success = (
            None if measured is None else {left: measured.success(stack, left, lengths) for left in lefts}
        )
    if as_json:
        shares = {left: one and asdict(one) for left, one in (success or {}).items()}
        print_json([{**rung, "success": shares.get(rung["calls_left"])} for rung in rungs])
    else:
        print_columns(_rows(rungs, success))


@dataclass(frozen=True)
class _Measured:
    """An agent whose success is measured, by a run at each place."""

    agent: ChosenAgent
    request: RunRequest
    options: RunOptions

    @classmethod
    def of(cls, agent: LadderAgent, options: LadderOptions) -> "_Measured":
        """Return the agent that the options name, once they are checked."""
        chosen = chosen_agent(agent, is_quiet=True)
        versions = local_scenarios([options.scenario]) if chosen.needs_scenarios else {}
        episodes = EpisodeOptions(scenarios=[options.scenario], chaos=[options.chaos], start="calls_left=1")
        run_options = RunOptions(episodes=episodes, concurrency=options.concurrency)
        request = request_of(run_options, chosen.spec, versions)
        refuse_starts_for_scripts(request)
        return cls(chosen, request, run_options)

    def success(self, stack: TrainerAddress, left: int, lengths: Mapping[int, int]) -> Estimate | None:
        """Return the share of successes with so many calls left, on the seeds whose solutions have as many."""
        seeds = tuple(seed for seed, length in lengths.items() if length >= left)
        started = replace(self.request, seeds=seeds, start={"calls_left": left})
        run = play_request(stack, self.agent, started, self.options)
        if not run.is_whole:
            sys.exit(INTERRUPTED)
        return summarize(read_run(run.folder))[0].overall.success


def _rungs(env: CompanyosEnv, reset: Mapping[str, Any], wanted: list[int] | None) -> Iterator[Rung]:
    length, advice = _length(env, reset), env.advise()
    for calls, call in enumerate([advice["action"], *advice["then"]]):
        if wanted is None or length - calls in wanted:
            yield {**env.reset(**reset, start={"calls": calls}).metadata["start"], "call": call}


def _length(env: CompanyosEnv, reset: Mapping[str, Any]) -> int:
    return int(env.reset(**reset, start={"calls": 0}).metadata["start"]["calls_left"])


def _rows(rungs: list[Rung], success: Success | None) -> Iterator[tuple[str, ...]]:
    measured = () if success is None else ("success", "95 %", "")
    yield ("calls", "left", "next call of the oracle", "milestones", *measured)
    for rung in rungs:
        left = rung["calls_left"]
        row = (str(rung["calls"]), str(left), _call_text(rung["call"]), ", ".join(rung["milestones"][-1:]))
        one = (success or {}).get(left)
        yield row if success is None else (*row, share_text(one), interval_text(one), _standing(one))


def _call_text(call: Mapping[str, Any]) -> str:
    arguments = (f"{name}={value}" for name, value in (call.get("arguments") or {}).items())
    text = " ".join([call["tool_name"], *arguments])
    return text if len(text) <= LONGEST_CALL else f"{text[: LONGEST_CALL - 1]}…"


def _standing(success: Estimate | None) -> str:
    """Return what a curriculum makes of a success: it goes on from a mastered place, and back from one out of reach."""
    if success is None:
        return ""
    return (
        "mastered" if success.value >= PROMOTE else "out of reach" if success.value <= DEMOTE else "learning"
    )
