"""The `run` command: play an agent over many episodes, on a running stack or one started for the purpose."""

import asyncio
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson
import typer

from companyos.client import CompanyosError
from companyos.embedded.errors import StackError
from companyos.evaluation.runs import AgentSpec, Budgets, FolderUnusable, Run, RunFolder, RunRequest, read_run
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.players import (
    SCRIPTED,
    AgentSource,
    CannotPlay,
    check_can_play,
    scripted_source,
)
from companyos.evaluation.runs.runner import RunSession, ServerGone
from companyos.scenario import find
from companyos.version import __version__

from ..demo import checked_url, trainer_stack
from ..output import print_json
from .options import parsed_chaos, parsed_scenarios, parsed_seeds

#: Exit code of a command that Ctrl-C has stopped.
INTERRUPTED = 130


@dataclass(frozen=True)
class RunOptions:
    """The options of the command as they were given."""

    agent: str
    scenarios: Sequence[str]
    split: str | None
    seeds: str
    chaos: Sequence[str]
    repeats: int
    rewards: str
    tools: Sequence[str]
    concurrency: int
    budgets: Budgets
    oracle: bool
    turn_timeout_s: float
    out: Path | None
    name: str | None


def run(home: Path | None, *, url: str | None, token: str | None, options: RunOptions, as_json: bool) -> None:
    """Play every episode that the result folder does not hold yet, and print the metrics.

    Raises:
        typer.BadParameter: An option cannot be used as given.
        StackError: The stack did not start, or stopped answering.
    """
    source, request = prepared(options)
    out = options.out or default_folder(request)
    with trainer_stack(home, checked_url(url), token) as (address, key):
        finished = _played(request, source, out, options.name, address, key)
    shown(read_run(out), as_json=as_json)
    if not finished:
        sys.exit(INTERRUPTED)


def prepared(options: RunOptions) -> tuple[AgentSource, RunRequest]:
    """Return the source of agents and the request.

    Raises:
        typer.BadParameter: An option cannot be used as given.
    """
    if options.agent not in SCRIPTED:
        told = f"there is no agent {options.agent!r}. Choose from: {', '.join(SCRIPTED)}"
        raise typer.BadParameter(told, param_hint="--agent")
    scenarios = parsed_scenarios(options.scenarios)
    try:
        for name in scenarios:
            check_can_play(options.agent, find(name))
    except CannotPlay as refused:
        raise typer.BadParameter(f"{refused}. Name others with --scenario", param_hint="--agent") from None
    request = RunRequest(
        agent=AgentSpec(options.agent, options.agent),
        scenarios=scenarios,
        seeds=tuple(parsed_seeds(options.seeds)),
        chaos=tuple(parsed_chaos(options.chaos)),
        repeats=options.repeats,
        rewards=options.rewards,
        tools=tools_of(options.tools),
        concurrency=options.concurrency,
        budgets=options.budgets,
        oracle=options.oracle,
        turn_timeout_s=options.turn_timeout_s,
    )
    return scripted_source(options.agent), request


def tools_of(names: Sequence[str]) -> str | tuple[str, ...]:
    """Return the tools as a reset takes them: a set's name, or names of tools."""
    return names[0] if len(names) == 1 and names[0] in ("scenario", "all") else tuple(names)


def default_folder(request: RunRequest) -> Path:
    """Return the folder of a request, so that the same command finds its run again."""
    digest = blake2b(orjson.dumps(request.decisive(), option=orjson.OPT_SORT_KEYS), digest_size=4).hexdigest()
    return Path("runs") / f"{request.agent.name.replace('/', '-')}-{digest}"


def about(name: str, url: str) -> dict[str, Any]:
    """Return what `run.json` says beside the request."""
    return {
        "name": name,
        "companyos_version": __version__,
        "argv": without_token(sys.argv[1:]),
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "stack": {"url": url, "version": __version__, "salt_digest": None},
    }


def without_token(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a command without the value of --token."""
    return [
        "--token=…" if argument.startswith("--token=") else "…" if before == "--token" else argument
        for before, argument in zip(["", *arguments], arguments, strict=False)
    ]


def shown(run: Run, *, as_json: bool) -> None:
    """Print the metrics of a run."""
    successes = sum(record.success for record in run.episodes)
    if as_json:
        print_json({"folder": str(run.path), "episodes": len(run.episodes), "successes": successes})
    else:
        typer.echo(f"{run.path}: {successes} of {len(run.episodes)} episodes succeeded")


def _played(
    request: RunRequest, source: AgentSource, out: Path, name: str | None, url: str, token: str | None
) -> bool:
    """Play what is left and return whether nothing is; Ctrl-C and SIGTERM stop the run and keep its folder."""
    try:
        with RunFolder.open(out, request, about(name or request.agent.name, url)) as folder:
            return asyncio.run(_session(request, source, folder, url, token))
    except FolderUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint="--out") from None
    except ServerGone as gone:
        raise StackError(f"{gone}. What was played is in {out}; the same command resumes.") from None
    except CompanyosError as failure:
        raise StackError(str(failure)) from None


async def _session(
    request: RunRequest, source: AgentSource, folder: RunFolder, url: str, token: str | None
) -> bool:
    async with TrainerConnection(url, token, limit=request.concurrency) as connection:
        session = RunSession(request, folder, connection, source)
        playing = asyncio.ensure_future(session.play())
        loop = asyncio.get_running_loop()
        for stopping in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(stopping, playing.cancel)
        with suppress(asyncio.CancelledError):
            await playing
        return not playing.cancelled()
