"""The `run` command: play an agent over many episodes, on a running stack or a new one."""

import asyncio
import os
import shlex
import signal
import sys
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import orjson
import typer

from companyos.client import CompanyosError
from companyos.embedded.errors import StackError
from companyos.evaluation.public_salt import DEFAULT_SALT, salt_digest
from companyos.evaluation.runs import FolderUnusable, Run, RunFolder, RunRequest, read_run, refuse_folder
from companyos.evaluation.runs.connection import TrainerConnection
from companyos.evaluation.runs.metrics import summarize
from companyos.evaluation.runs.outages import Outages
from companyos.evaluation.runs.play import PlayEpisode, playing_here
from companyos.evaluation.runs.progress import RunProgress
from companyos.evaluation.runs.runner import RunSession, tasks_left
from companyos.evaluation.runs.stops import AgentGone, RunStopped
from companyos.version import __version__

from ..commands.run_options import AgentOptions, RunOptions
from ..demo import checked_url
from ..output import echo, print_json
from .agents import ChosenAgent, chosen_agent, prompt_to_resume
from .contradictions import (
    refuse_door,
    refuse_named_tools_for_scripts,
    refuse_options_beside_snapshots,
    refuse_ray,
    refuse_starts_for_scripts,
)
from .offers import as_offered
from .options import local_scenarios, request_of
from .progress import progress_shown
from .stack import PROGRAMS, TrainerAddress, is_open, stack_for
from .tables import show_summary

#: Exit code of a command that was stopped by Ctrl-C or SIGTERM.
INTERRUPTED: Final = 130
#: The parent folder of runs for which no folder was given.
RUNS: Final = Path("runs")


def run(
    home: Path | None,
    *,
    url: str | None,
    token: str | None,
    agent: AgentOptions,
    options: RunOptions,
    as_json: bool,
) -> None:
    """Play every episode that is not yet in the result folder, and print the metrics.

    Raises:
        typer.BadParameter: An option cannot be used as given.
        StackError: The stack did not start, or stopped responding.
    """
    played = play(home, url=url, token=token, agent=agent, options=options, is_quiet=as_json)
    left = _show(played, as_json=as_json)
    if not played.is_whole:
        sys.exit(INTERRUPTED)
    if left.failed or not left.is_measured:
        sys.exit(1)


@dataclass(frozen=True)
class PlayedRun:
    """A run as far as it was played.

    Attributes:
        folder: The result folder.
        request: What was asked for.
        is_whole: Whether the run ended without interruption.
    """

    folder: Path
    request: RunRequest
    is_whole: bool


def play(
    home: Path | None,
    *,
    url: str | None,
    token: str | None,
    agent: AgentOptions,
    options: RunOptions,
    is_quiet: bool,
) -> PlayedRun:
    """Play every episode that is not yet in the result folder.

    Raises:
        typer.BadParameter: An option cannot be used as given.
        StackError: The stack did not start, or stopped responding.
    """
    prompt = prompt_to_resume(agent, options.out)
    chosen = chosen_agent(agent, is_quiet=is_quiet, recorded_prompt=prompt)
    episodes = options.episodes
    refuse_options_beside_snapshots(episodes)
    is_known_here = episodes.snapshot is None and (not url or chosen.needs_scenarios or options.oracle)
    versions = local_scenarios(episodes.named_scenarios, episodes.split) if is_known_here else {}
    request = request_of(options, chosen.spec, versions)
    refuse_named_tools_for_scripts(request)
    refuse_starts_for_scripts(request)
    refuse_door(request)
    refuse_ray(agent, options, url)
    if versions and (done := _finished_folder(options, request)):
        return PlayedRun(done, request, is_whole=True)
    with failures_told():
        refuse_folder(folder_of(options, request), request if versions else None)
    with _stack_of(options, chosen, home, url, token) as address:
        return play_request(address, chosen, request, options)


def _stack_of(
    options: RunOptions, agent: ChosenAgent, home: Path | None, url: str | None, token: str | None
) -> AbstractContextManager[TrainerAddress]:
    if options.cells is None:
        return stack_for(agent.spec.kind, home, checked_url(url), token)
    from .ray_workers import cells_for_run

    return cells_for_run(options.cells, token)


def play_request(
    stack: TrainerAddress, agent: ChosenAgent, request: RunRequest, options: RunOptions
) -> PlayedRun:
    """Play every episode of a request that is not yet in the result folder.

    Raises:
        typer.BadParameter: The folder cannot be used, or the server lacks what is asked for.
        StackError: The stack stopped responding.
    """
    with failures_told():
        return asyncio.run(_session(stack, agent, request, options))


@contextmanager
def failures_told() -> Iterator[None]:
    """Raise what stops a run as the command line tells it; raises the same errors as `play_request`."""
    try:
        yield
    except FolderUnusable as failure:
        raise typer.BadParameter(str(failure), param_hint="--out") from None
    except AgentGone as stopped:
        raise StackError(
            f"The agent could not begin several episodes in a row: {stopped}. What was played is kept; once this is "
            "cured, the same command with --retry-errors plays the failed episodes again and goes on."
        ) from None
    except RunStopped as stopped:
        raise StackError(f"{stopped} What was played is kept; the same command resumes.") from None
    except CompanyosError as failure:
        raise StackError(str(failure)) from None


def folder_of(options: RunOptions, request: RunRequest) -> Path:
    """Return the given result folder, or one below `runs` that the same command finds again."""
    return options.out or default_folder(request.agent.name, request.decisive())


def default_folder(name: str, decisive: Mapping[str, Any]) -> Path:
    """Return a folder below `runs`, named by what is played."""
    digest = blake2b(orjson.dumps(decisive, option=orjson.OPT_SORT_KEYS), digest_size=4).hexdigest()
    plain = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in name)
    return RUNS / f"{plain}-{digest}"


def without_token(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a command without the value of --token."""
    return [
        "--token=…" if argument.startswith("--token=") else "…" if before == "--token" else argument
        for before, argument in zip(["", *arguments], arguments, strict=False)
    ]


def command_line() -> str:
    """Return this command as it was typed, without the value of --token."""
    return shlex.join(["companyos", *without_token(sys.argv[1:])])


def _finished_folder(options: RunOptions, request: RunRequest) -> Path | None:
    """Return the folder if it contains the whole run, so that no stack is needed."""
    out = folder_of(options, request)
    try:
        found = read_run(out)
    except FolderUnusable:
        return None
    if request.differences(found.request):
        return None
    return None if tasks_left(request, found.episodes, retry_errors=options.retry_errors) else out


async def _session(
    stack: TrainerAddress, agent: ChosenAgent, request: RunRequest, options: RunOptions
) -> PlayedRun:
    async with TrainerConnection(stack.url, stack.token, limit=request.concurrency) as connection:
        request = await as_offered(connection, request, options)
        out = folder_of(options, request)
        about = {
            "name": options.name or request.agent.name,
            **about_run(stack, is_open=await is_open(stack.url)),
        }
        again = options.retry_errors
        with (
            RunFolder.open(out, request, about) as folder,
            progress_shown(_progress(request, folder, retry_errors=again)) as shown,
        ):
            if about["stack"]["open_trainer_api"] and request.agent.kind in PROGRAMS:
                shown.say(
                    f"Anybody can use the trainer API at {stack.url}, this agent as well: it could read grades and "
                    "seeds there. Start the stack with a trainer token to prevent that; run.json records this."
                )
            outages = Outages(connection.is_ready, say=shown.say)
            with _playing(stack, connection, agent, request, out.name, outages, on_ray=options.ray) as play:
                session = RunSession(
                    request, folder, connection, play, shown.watch, say=shown.say, retry_errors=again
                )
                return PlayedRun(out, request, await unless_interrupted(session.play()))


@contextmanager
def _playing(
    stack: TrainerAddress,
    connection: TrainerConnection,
    agent: ChosenAgent,
    request: RunRequest,
    run: str,
    outages: Outages,
    *,
    on_ray: bool,
) -> Iterator[PlayEpisode]:
    """Yield a function that plays an episode, in this process or in Ray workers kept for the run."""
    if not on_ray:
        yield playing_here(request, run, connection, agent.source, outages)
        return
    from .ray_workers import playing_on_ray

    with playing_on_ray(stack.url, stack.token, agent.options, request, run) as play:
        yield play


def _progress(request: RunRequest, folder: RunFolder, *, retry_errors: bool) -> RunProgress:
    records = folder.records.values()
    left = tasks_left(request, records, retry_errors=retry_errors)
    return RunProgress.of(sum(1 for _ in request.tasks()), records, len(left))


async def unless_interrupted(play: Coroutine[Any, Any, None]) -> bool:
    """Play until the end, or until Ctrl-C or SIGTERM; return whether the end was reached."""
    playing = asyncio.ensure_future(play)
    loop = asyncio.get_running_loop()
    for stopping in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(stopping, playing.cancel)
    with suppress(asyncio.CancelledError):
        await playing
    return not playing.cancelled()


def about_run(stack: TrainerAddress, *, is_open: bool) -> dict[str, Any]:
    """Return what `run.json` contains besides the name and the request."""
    return {
        "companyos_version": __version__,
        "argv": without_token(sys.argv[1:]),
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "stack": {
            "url": stack.url,
            "version": __version__,
            "salt_digest": _salt_digest(is_ours=stack.is_ours),
            "open_trainer_api": is_open,
        },
    }


def _salt_digest(*, is_ours: bool) -> str | None:
    """Return a digest of the salt, which identifies runs on the same companies; None if it is unknown."""
    salt = os.environ.get("COMPANYOS_SALT") or (DEFAULT_SALT if is_ours else None)
    return salt and salt_digest(salt)


@dataclass(frozen=True)
class Left:
    """What a run lacks.

    Attributes:
        unplayed: Episodes that were not played.
        failed: Episodes in which the environment failed.
        errors: Episodes that ended in an agent error.
        is_measured: Whether any episode, if there is one, ended in another way than by an agent error.
    """

    unplayed: int
    failed: int
    errors: int = 0
    is_measured: bool = True

    def __str__(self) -> str:
        unplayed = f"{self.unplayed} episodes were not played" if self.unplayed else ""
        failed = f"in {self.failed} episodes the environment failed" if self.failed else ""
        text = ", and ".join(filter(None, (unplayed, failed)))
        return " ".join(filter(None, (text and _sentence(text), self._errors())))

    def _errors(self) -> str:
        if not self.errors:
            return ""
        which = f"{self.errors}" if self.is_measured else f"all {self.errors}"
        return f"The agent failed in {which} episodes; --retry-errors plays them again."


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}. The same command goes on with them."


def lacking(run: Run, request: RunRequest) -> Left:
    """Return which episodes a run lacks."""
    failed = sum(not record.is_scored for record in run.episodes)
    return Left(len(tasks_left(request, run.episodes)) - failed, failed)


def _show(played: PlayedRun, *, as_json: bool) -> Left:
    """Print the metrics, and return what the run lacks."""
    run = read_run(played.folder)
    (summary,) = summarize(run)
    errors = sum(summary.overall.agent_errors.values())
    left = replace(lacking(run, played.request), errors=errors, is_measured=summary.overall.is_measured)
    if as_json:
        print_json({"folder": str(played.folder), "left": asdict(left), **summary.document()})
    else:
        show_summary(summary)
        echo(f"  results: {played.folder}")
    if message := str(left):
        echo(message, err=True)
    return left
